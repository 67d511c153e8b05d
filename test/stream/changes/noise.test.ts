import { expect, test } from 'vitest';
import { withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { isNoise, sameRows } from '../../../src/stream/changes/noise.ts';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

const object = (resourceVersion: string, rest: object = {}, metadata: object = {}): UnknownObject => ({
  metadata: { name: 'a', resourceVersion, managedFields: [{ time: resourceVersion }], ...metadata },
  ...rest,
});
const ready = (status: string, times: object) => ({ status: { conditions: [{ type: 'Ready', status, ...times }] } });

test.each<[string, UnknownObject, UnknownObject, boolean]>([
  [
    'a write that changed nothing',
    object('1', { spec: { a: [1, { b: 2 }] } }),
    object('2', { spec: { a: [1, { b: 2 }] } }),
    true,
  ],
  [
    'a heartbeat',
    object('1', ready('True', { lastHeartbeatTime: '1' })),
    object('2', ready('True', { lastHeartbeatTime: '2' })),
    true,
  ],
  [
    'a probe',
    object('1', ready('True', { lastProbeTime: null })),
    object('2', ready('True', { lastProbeTime: '2' })),
    true,
  ],
  ['a first heartbeat', object('1', ready('True', {})), object('2', ready('True', { lastHeartbeatTime: '2' })), true],
  [
    'a heartbeat with news',
    object('1', ready('True', { lastHeartbeatTime: '1' })),
    object('2', ready('False', { lastHeartbeatTime: '2' })),
    false,
  ],
  [
    'a transition',
    object('1', ready('True', { lastTransitionTime: '1' })),
    object('2', ready('True', { lastTransitionTime: '2' })),
    false,
  ],
  ['an item more', object('1', { spec: [1] }), object('2', { spec: [1, 2] }), false],
  ['a field less', object('1', { spec: { a: 1 } }), object('2', { spec: {} }), false],
  ['a map for a list', object('1', { spec: [] }), object('2', { spec: {} }), false],
  ['a null for a map', object('1', { spec: null }), object('2', { spec: {} }), false],
  ['a label', object('1'), object('2', {}, { labels: { a: 'b' } }), false],
  [
    'a label whose key is the name of a method of every object',
    object('1', {}, { labels: { a: 'b' } }),
    object('2', {}, { labels: { a: 'b', constructor: 'c' } }),
    false,
  ],
  ['a generation', object('1', {}, { generation: 1 }), object('2', {}, { generation: 2 }), false],
  [
    'renewTime of another type',
    object('1', { spec: { renewTime: '1' } }),
    object('2', { spec: { renewTime: '2' } }),
    false,
  ],
])('%s', (_, before, after, expected) => {
  expect(isNoise(before, after, NODES)).toBe(expected);
  expect(isNoise(after, before, NODES)).toBe(expected);
});

test('a leader that says it still leads is noise', () => {
  const leader = (time: string) =>
    object(
      time,
      {},
      { annotations: { 'control-plane.alpha.kubernetes.io/leader': `{"renewTime":"${time}"}`, a: 'b' } },
    );
  expect(isNoise(leader('1'), leader('2'), NODES)).toBe(true);
});

test('a Lease renewed is noise, one that changes hands is not', () => {
  const lease = (holderIdentity: string, renewTime: string) =>
    object(renewTime, { spec: { holderIdentity, renewTime } });
  expect(isNoise(lease('a', '1'), lease('a', '2'), LEASES)).toBe(true);
  expect(isNoise(lease('a', '1'), lease('b', '2'), LEASES)).toBe(false);
});

test.each([
  ['another group', { ...LEASES, group: 'example.com' }],
  ['another type of the group', { ...LEASES, resource: 'leasecandidates' }],
])('renewTime of %s is no noise', (_, gvr) => {
  expect(isNoise(object('1', { spec: { renewTime: '1' } }), object('2', { spec: { renewTime: '2' } }), gvr)).toBe(
    false,
  );
});

test('an object with cells on one side alone is compared by its fields', () => {
  const columns = [{ name: 'Status', type: 'string', format: '', priority: 0 }];
  const row = (version: string) => withCells(object(version), { columns, cells: ['Ready'] });
  expect([isNoise(row('1'), object('2'), NODES), isNoise(object('1'), row('2'), NODES)]).toEqual([true, true]);
});

test('the cells of table rows count, except their age', () => {
  const columns = ['Name', 'Status', 'Age'].map((name) => ({ name, type: 'string', format: '', priority: 0 }));
  const row = (...cells: string[]) => withCells(object('1'), { columns, cells });
  expect(isNoise(row('a', 'Ready', '1s'), row('a', 'Ready', '9s'), NODES)).toBe(true);
  expect(isNoise(row('a', 'Ready', '1s'), row('a', 'NotReady', '1s'), NODES)).toBe(false);
});

test('rows look the same if all shown cells are the same except ages; shown labels count', () => {
  const columns = ['Name', 'Restarts', 'Age', 'Node'].map((name) => ({
    name,
    type: 'string',
    format: '',
    priority: name === 'Node' ? 1 : 0,
  }));
  const row = (cells: unknown[], labels: Record<string, string> = {}) =>
    withCells(object('1', {}, { labels }), { columns, cells });
  const before = row(['a', '1 (5m ago)', '1s', 'n1']);
  const later = row(['a', '1 (6m ago)', '61s', 'n2'], { app: 'x' });
  const look = (wide: boolean, labels: readonly string[] | 'all') => sameRows({ wide, labels })(before, later);
  expect([look(false, []), look(true, []), look(false, ['app']), look(false, ['other']), look(false, 'all')]).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(sameRows({ wide: false, labels: [] })(before, row(['a', '2 (1s ago)', '1s', 'n1']))).toBe(false);
  expect(sameRows({ wide: false, labels: [] })(before, object('2'))).toBe(false);
  const bare = () => withCells({ metadata: { name: 'a' } }, { columns, cells: ['a', '1', '1s', 'n1'] });
  expect(sameRows({ wide: false, labels: 'all' })(bare(), bare())).toBe(true);
});
