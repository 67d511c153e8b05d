import { expect, it } from 'vitest';
import { CLUSTER_CELLS } from '../../../src/sandbox/table/cluster-cells.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:50:00Z' };

/** The cells of an object that is ten minutes old. */
const cells = (storage: string, object: object) => CLUSTER_CELLS[storage]?.({ metadata, ...object }, NOW);

it.each<[storage: string, object: object, cells: unknown[]]>([
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
    [
      'n',
      'NotReady,SchedulingDisabled',
      'edge,worker',
      '10m',
      'v1.36.2',
      '10.1.1.1',
      '<none>',
      '<unknown>',
      '<unknown>',
      '<unknown>',
    ],
  ],
  ['configmaps', { data: { a: '1', b: '2' }, binaryData: { c: '' } }, ['x', 3, '10m']],
  [
    'nodes',
    { metadata: { ...metadata, labels: { 'kubernetes.io/role': 'old' } }, status: {} },
    ['x', 'Unknown', 'old', '10m', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  ],
  ['namespaces', { status: { phase: 'Active' } }, ['x', 'Active', '10m']],
  ['secrets', { type: 'Opaque', data: { a: '' } }, ['x', 'Opaque', 1, '10m']],
  ['serviceaccounts', {}, ['x', '10m']],
  ['leases.coordination.k8s.io', { spec: { holderIdentity: 'me' } }, ['x', 'me', '10m']],
  [
    'poddisruptionbudgets.policy',
    { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } },
    ['x', '50%', 'N/A', 2, '10m'],
  ],
  [
    'rolebindings.rbac.authorization.k8s.io',
    {
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [
        { kind: 'User', name: 'a' },
        { kind: 'User', name: 'b' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    ['x', 'Role/reader', '10m', 'a, b', 'g', 'n/s'],
  ],
])('shows the cells of %s', (storage, object, expected) => {
  expect(cells(storage, object)).toEqual(expected);
});

const about = {
  type: 'Normal',
  reason: 'Started',
  message: ' text\n',
  involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
};
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

it.each<[what: string, event: object, last: string, first: string, count: number, source: string]>([
  [
    'that happened once',
    { firstTimestamp: ago(5), source: { component: 'kubelet', host: 'n1' } },
    '5m',
    '5m',
    1,
    'kubelet, n1',
  ],
  ['that was counted', { firstTimestamp: ago(9), lastTimestamp: ago(2), count: 4 }, '2m', '9m', 4, ''],
  [
    'in a series',
    { eventTime: ago(9), lastTimestamp: ago(4), series: { count: 7, lastObservedTime: ago(1) } },
    '60s',
    '9m',
    7,
    '',
  ],
  ['of the new API', { eventTime: ago(3), reportingComponent: 'c', reportingInstance: 'c-1' }, '3m', '3m', 1, 'c, c-1'],
  ['without a time', {}, '<unknown>', '<unknown>', 1, ''],
])('shows an event %s', (_what, event, last, first, count, source) => {
  expect(cells('events', { ...about, ...event })).toEqual([
    last,
    'Normal',
    'Started',
    'pod/p',
    'spec',
    source,
    'text',
    first,
    count,
    'x',
  ]);
});
