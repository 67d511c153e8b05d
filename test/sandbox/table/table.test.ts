import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { findPath } from '../../../src/sandbox/table/json-path.ts';
import { row, tableColumns } from '../../../src/sandbox/table/table.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const types = builtinTypes();

function cells(storage: string, object: object): unknown[] {
  const type = types.find((t) => t.storage === storage);
  if (!type) throw new Error(storage);
  return row(type, { metadata: { name: 'x', creationTimestamp: '2026-01-01T00:50:00Z' }, ...object } as UnknownObject, NOW);
}

it('gives every built-in type as many cells as columns, also of an object without fields', () => {
  for (const type of types.filter((t) => t.verbs.includes('list'))) {
    const count = tableColumns(type).length;
    expect(row(type, { metadata: {} }, NOW).length, type.storage).toBe(count);
  }
});

it.each<[string, object, unknown[]]>([
  [
    'services',
    {
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.5',
        ports: [
          { port: 80, nodePort: 30001, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
    },
    ['x', 'LoadBalancer', '10.0.0.5', '<pending>', '80:30001/TCP,53/UDP', '10m', 'a=1,b=2'],
  ],
  [
    'nodes',
    {
      metadata: {
        name: 'n',
        creationTimestamp: '2026-01-01T00:50:00Z',
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/edge': '' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'Unknown' }],
        nodeInfo: { kubeletVersion: 'v1.36.2' },
        addresses: [{ type: 'InternalIP', address: '10.1.1.1' }],
      },
    },
    ['n', 'NotReady,SchedulingDisabled', 'edge,worker', '10m', 'v1.36.2', '10.1.1.1', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  ],
  [
    'jobs.batch',
    { spec: { completions: 3 }, status: { succeeded: 1, startTime: '2026-01-01T00:58:00Z' } },
    ['x', 'Running', '1/3', '2m', '10m', '', '', '<none>'],
  ],
  [
    'persistentvolumes',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] } },
    ['x', '1Gi', 'RWO,RWX', '', '', '', '', '<unset>', '', '10m', '<unset>'],
  ],
  [
    'ingresses.networking.k8s.io',
    { spec: { rules: [{ host: 'a' }, { host: 'b' }, { host: 'c' }, { host: 'd' }], tls: [{}] } },
    ['x', '<none>', 'a,b,c + 1 more...', '', '80, 443', '10m'],
  ],
  ['configmaps', { data: { a: '1', b: '2' }, binaryData: { c: '' } }, ['x', 3, '10m']],
  ['statefulsets.apps', { spec: { replicas: 3 }, status: { readyReplicas: 1 } }, ['x', '1/3', '10m', '', '']],
])('shows the cells of %s', (storage, object, expected) => {
  expect(cells(storage, object)).toEqual(expected);
});

const OBJECT = {
  spec: { color: 'red', list: [{ n: 1 }, { n: 2 }], 'a.b': 'dot' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

it.each([
  ['.spec.color', ['red']],
  ['{.spec.color}', ['red']],
  ['spec.color', ['red']],
  ['.spec.list[1].n', [2]],
  ['.spec.list[-1].n', [2]],
  ['.spec.list[*].n', [1, 2]],
  [".spec['a.b']", ['dot']],
  ['.spec.a\\.b', ['dot']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type!='Ready')].status", ['False']],
  ['.spec.missing.deep', []],
  ['.spec.list[?(@.n > 1)]', []],
])('finds by the printer column path %s: %j', (path, expected) => {
  expect(findPath(OBJECT, path)).toEqual(expected);
});
