import { expect, test } from 'vitest';
import { type TableColumn, withCells } from '../../src/model/cells.ts';
import type { ManagedFieldsEntry, UnknownObject } from '../../src/model/object.ts';
import { parseOutputFormat } from '../../src/output/formats.ts';
import { LiveTable } from '../../src/output/live/live-table.ts';
import type { PrintedEvent, PrintedType } from '../../src/output/printer.ts';
import type { EventType } from '../../src/stream/envelope.ts';
import { createPrinter } from './fixtures.ts';
import { Terminal } from './terminal.ts';

// Whole outputs, checked by a person when they were written. `vitest run -u` writes them again.

const NOON = Date.UTC(2026, 0, 1, 12);
const clock = { now: () => NOON };
const printer = (format: string, options: object = {}) =>
  createPrinter(parseOutputFormat(format), { clock, ...options });
const kept = (text: string, name: string) => expect(text).toMatchFileSnapshot(`golden/${name}.txt`);

const type = (gvr: string, kind: string, namespaced = true): PrintedType => {
  const [resource = '', version = '', group = ''] = gvr.split('/').reverse();
  return { gvr: { group, version, resource }, kind, namespaced };
};
const PODS = type('v1/pods', 'Pod');
const DEPLOYMENTS = type('apps/v1/deployments', 'Deployment');
const NODES = type('v1/nodes', 'Node', false);
const EVENTS = type('v1/events', 'Event');

/** Headings; those behind `|` are shown in wide output only. */
const columns = (headings: string): TableColumn[] =>
  headings
    .split('|')
    .flatMap((part, priority) =>
      part.split(',').map((name) => ({ name, type: 'string', format: name === 'Name' ? 'name' : '', priority })),
    );
const COLUMNS = new Map([
  [PODS, columns('Name,Ready,Status,Restarts,Age|IP,Node,Nominated Node,Readiness Gates')],
  [DEPLOYMENTS, columns('Name,Ready,Up-to-date,Available,Age|Containers,Images,Selector')],
  [NODES, columns('Name,Status,Roles,Age,Version|Internal-IP')],
  [
    EVENTS,
    columns('Last Seen,Type,Reason,Object|Subobject').concat(
      columns('Message,Name').map((c) => ({ ...c, priority: c.name === 'Name' ? 1 : 0 })),
    ),
  ],
]);

let seq = 0;

/** An event of an object with these cells, created the given number of minutes ago. */
function row(
  what: EventType,
  of: PrintedType,
  cells: unknown[],
  { minutes = 60, name = String(cells[0]), labels = {} } = {},
): PrintedEvent {
  const metadata = {
    name,
    ...(of.namespaced ? { namespace: 'shop' } : {}),
    labels,
    creationTimestamp: new Date(NOON - minutes * 60_000).toISOString(),
  };
  const object: UnknownObject = { apiVersion: 'v1', kind: of.kind, metadata };
  return printed(what, of, withCells(object, { columns: COLUMNS.get(of) ?? [], cells }));
}

function printed(what: EventType, of: PrintedType, object: UnknownObject, oldObject?: UnknownObject): PrintedEvent {
  const { name, namespace } = object.metadata;
  const key = namespace ? `${namespace}/${name}` : `${name}`;
  const time = new Date(NOON + ++seq * 120).toISOString();
  const event = {
    type: what,
    object,
    key,
    gvr: '',
    cause: 'watch' as const,
    changed: [],
    seq,
    time,
    ...(oldObject ? { oldObject } : {}),
  };
  return { type: of, event };
}

const pod = (what: EventType, name: string, ready: string, status: string, restarts = '0', minutes = 60) =>
  row(what, PODS, [name, ready, status, restarts, '', '10.1.0.7', 'worker-1', '<none>', '<none>'], {
    minutes,
    labels: { app: 'web' },
  });
const deployment = (what: EventType, ready: string, upToDate: number) =>
  row(what, DEPLOYMENTS, ['web', ready, upToDate, 3, '', 'web', 'nginx:1.26', 'app=web'], { minutes: 3000 });
const node = (what: EventType, name: string, status: string) =>
  row(what, NODES, [name, status, '<none>', '', 'v1.36.0', '172.18.0.3'], { minutes: 90_000 });
const warning = (message: string) =>
  row('ADDED', EVENTS, ['0s', 'Warning', 'BackOff', 'pod/web-5f7c-x2x', '', message, 'web-5f7c-x2x.18a'], {
    minutes: 0,
    name: 'web-5f7c-x2x.18a',
  });

const MIXED = [
  deployment('ADDED', '3/3', 3),
  pod('ADDED', 'web-5f7c-abc', '1/1', 'Running', '2 (5h ago)', 3000),
  pod('ADDED', 'web-5f7c-d4f', '1/1', 'Running', '0', 3000),
  node('ADDED', 'worker-1', 'Ready'),
  node('ADDED', 'control-plane', 'Ready'),
];

test('a mixed stream of pods, deployments, nodes and events', async () => {
  const table = await printer('', { showKind: true, withNamespace: true });
  const changes = [
    deployment('MODIFIED', '2/3', 1),
    pod('ADDED', 'web-7d9b-x2x', '0/1', 'Pending', '0', 0),
    pod('MODIFIED', 'web-7d9b-x2x', '0/1', 'ContainerCreating', '0', 0),
    pod('MODIFIED', 'web-5f7c-d4f', '1/1', 'Terminating', '0', 3000),
    pod('MODIFIED', 'web-7d9b-x2x', '0/1', 'CrashLoopBackOff', '1 (3s ago)', 0),
    warning('Back-off restarting failed container web\nin pod web-7d9b-x2x'),
    node('MODIFIED', 'worker-1', 'NotReady'),
    pod('DELETED', 'web-5f7c-d4f', '0/1', 'Completed', '0', 3000),
    deployment('MODIFIED', '3/3', 3),
  ];
  await kept(table.events(MIXED) + changes.map((change) => table.events([change])).join(''), 'mixed-stream');
});

test('wide, with labels and times', async () => {
  const table = await printer('wide', { showLabels: true, labelColumns: ['app'], timestamps: 'rfc3339' });
  seq = 0;
  await kept(
    table.events([pod('ADDED', 'web-5f7c-abc', '1/1', 'Running'), pod('MODIFIED', 'web-5f7c-abc', '0/1', 'Error')]),
    'wide',
  );
});

test('custom columns', async () => {
  const table = await printer(
    'custom-columns=NAME:.metadata.name,IMAGES:.spec.template.spec.containers[*].image,READY:.status.readyReplicas',
  );
  const [before, after] = rollout();
  await kept(
    table.events([printed('ADDED', DEPLOYMENTS, before), printed('MODIFIED', DEPLOYMENTS, after)]),
    'custom-columns',
  );
});

test.each(['diff', 'changes'])('%s of a step of a rollout', async (format) => {
  const [before, after] = rollout();
  const done = structuredClone(after);
  Object.assign(done.metadata, { resourceVersion: '9' });
  const config = (text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'shop', creationTimestamp: '2026-01-01T11:00:00Z' },
    data: { 'nginx.conf': text, mode: 'fast' },
  });
  const CONFIG_MAPS = type('v1/configmaps', 'ConfigMap');
  const lines = ['user www;', 'worker_processes 1;', '', 'events {', '  worker_connections 1024;', '}', ''];
  const events = [
    printed('ADDED', DEPLOYMENTS, before),
    printed('ADDED', CONFIG_MAPS, config(lines.join('\n'))),
    printed('MODIFIED', DEPLOYMENTS, after, before),
    printed('MODIFIED', DEPLOYMENTS, done, after),
    printed('MODIFIED', CONFIG_MAPS, config(lines.join('\n').replace('1024', '4096')), config(lines.join('\n'))),
    printed('DELETED', CONFIG_MAPS, config(lines.join('\n'))),
  ];
  await kept((await printer(format, { showKind: true })).events(events), format);
});

test('a live table on 80 by 12', async () => {
  const live = new LiveTable({ showKind: true, withNamespace: true });
  const terminal = new Terminal(80, 12, ['$ kubectl informer watch pods,deploy -A --live']);
  const frame = (seconds: number) => terminal.write(live.frame({ columns: 80, rows: 12 }, NOON + seconds * 1000));
  for (const { event, type: of } of [
    ...MIXED,
    ...Array.from({ length: 6 }, (_, i) => pod('ADDED', `web-5f7c-p${i}`, '1/1', 'Running')),
  ]) {
    live.update({ event: { ...event, cause: 'initial' }, type: of });
  }
  frame(0);
  for (const change of [
    deployment('MODIFIED', '2/3', 1),
    pod('DELETED', 'web-5f7c-d4f', '0/1', 'Completed'),
    pod('ADDED', 'web-5f7c-e2x', '0/1', 'Pending'),
  ]) {
    live.update(change);
  }
  frame(1);
  // hours and minutes are those of the zone
  const screen = terminal.screen.map((line) => line.replace(/last \d\d:\d\d/, 'last 12:00'));
  await kept(`${screen.join('\n')}\n`, 'live-80x12');
});

/** A Deployment before and after the step in which it gets another image and a second container. */
function rollout(): [UnknownObject, UnknownObject] {
  const entry = (
    manager: string,
    second: number,
    fieldsV1: Record<string, unknown>,
    subresource?: string,
  ): ManagedFieldsEntry => ({
    manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: `2026-01-01T12:00:0${second}Z`,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource ? { subresource } : {}),
  });
  const template = {
    'f:spec': {
      'f:replicas': {},
      'f:template': {
        'f:spec': {
          'f:containers': { 'k:{"name":"web"}': { 'f:image': {}, 'f:args': {} }, 'k:{"name":"proxy"}': { '.': {} } },
        },
      },
    },
  };
  const status = {
    'f:status': {
      'f:observedGeneration': {},
      'f:readyReplicas': {},
      'f:updatedReplicas': {},
      'f:conditions': { 'k:{"type":"Progressing"}': { 'f:reason': {}, 'f:message': {}, 'f:lastUpdateTime': {} } },
    },
  };
  const revision = { 'f:metadata': { 'f:annotations': { 'f:deployment.kubernetes.io/revision': {} } } };
  const object = (n: number, containers: object[], more: object): UnknownObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      generation: n,
      resourceVersion: String(n),
      creationTimestamp: '2026-01-01T11:00:00Z',
      annotations: { 'deployment.kubernetes.io/revision': String(n) },
      managedFields: [
        entry('kubectl-edit', n, template),
        entry('kube-controller-manager', n + 1, { ...revision, ...status }, 'status'),
      ],
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
    status: { observedGeneration: n, replicas: 3, ...more },
  });
  const progressing = (reason: string, second: number, message: string) => ({
    conditions: [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason, message, lastUpdateTime: `2026-01-01T12:00:0${second}Z` },
    ],
  });
  const before = object(1, [{ name: 'web', image: 'nginx:1.25', args: ['--port', '80'] }], {
    readyReplicas: 3,
    ...progressing('NewReplicaSetAvailable', 1, 'ReplicaSet "web-5f7c" has successfully progressed.'),
  });
  const proxy = {
    name: 'proxy',
    image: 'envoyproxy/envoy:v1.36',
    ports: [{ containerPort: 9901, protocol: 'TCP' }],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
  };
  const after = object(2, [{ name: 'web', image: 'nginx:1.26', args: ['--port', '8080'] }, proxy], {
    readyReplicas: 2,
    updatedReplicas: 1,
    ...progressing('ReplicaSetUpdated', 2, 'ReplicaSet "web-7d9b" is progressing.'),
  });
  return [before, after];
}
