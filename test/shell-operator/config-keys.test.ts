import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHAPES } from '../../src/shell-operator/config-shapes.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const READ = 'test/shell-operator/read-config.test.ts';
const QUEUE = 'test/shell-operator/task-queue.test.ts';
const MONITOR = 'test/shell-operator/monitor.test.ts';
const E2E = 'test/e2e/shell-operator.test.ts';
const LIMITS = 'test/e2e/shell-operator-limits.test.ts';
const WEBHOOKS = 'test/e2e/shell-operator-webhooks.test.ts';

/** A key, its meaning, and the test that proves it: a file, and a part of the title. */
type Row = readonly [key: string, meaning: string, file: string, title: string];

const SELECTOR = 'labels as in a manifest';
const V1: readonly Row[] = [
  ['configVersion', 'v0 or v1', READ, 'is YAML or JSON, of version v0 where it names none'],
  ['settings', 'how often the hook may run', READ, "'settings'"],
  [
    'settings.executionMinInterval',
    'the time between two runs',
    'test/shell-operator/rate.test.ts',
    'are apart by the interval',
  ],
  [
    'settings.executionBurst',
    'the runs that may follow at once',
    'test/shell-operator/rate.test.ts',
    'as many at once as the burst',
  ],
  ['onStartup', 'runs at the start, in this order', E2E, 'run at the start, then with the whole state'],
  ['schedule', 'runs at times', READ, "'schedule.crontab'"],
  ['schedule.name', 'the binding in contexts', READ, "'schedule.name, queue and allowFailure'"],
  ['schedule.crontab', 'the times', 'test/shell-operator/crontab.test.ts', 'come at'],
  ['schedule.allowFailure', 'a failed run is not tried again', READ, "'schedule.name, queue and allowFailure'"],
  ['schedule.includeSnapshotsFrom', 'snapshots in the context', LIMITS, 'a queue goes on only when'],
  ['schedule.queue', 'the queue of its runs', READ, "'schedule.name, queue and allowFailure'"],
  ['schedule.group', 'contexts of a group are one', READ, 'gives a group the snapshots'],
  ['kubernetes', 'runs for objects', E2E, 'run at the start, then with the whole state'],
  ['kubernetes.name', 'the binding in contexts', READ, "'name'"],
  ['kubernetes.apiVersion', 'the group and version of the type', READ, "'apiVersion'"],
  ['kubernetes.kind', 'the type, by any of its names', READ, "'kind'"],
  ['kubernetes.watchEvent', 'the old name of executeHookOnEvent', READ, "'watchEvent'"],
  ['kubernetes.executeHookOnEvent', 'the events it runs for', MONITOR, 'are no events that the binding does not want'],
  ['kubernetes.includeSnapshotsFrom', 'snapshots in the context', READ, "'includeSnapshotsFrom'"],
  ['kubernetes.queue', 'the queue of its runs', E2E, 'hold up their queue but no other'],
  ['kubernetes.group', 'contexts of a group are one', QUEUE, 'keeps one context of those of a group'],
  ['kubernetes.jqFilter', 'events only where its result changes', MONITOR, 'are events only where the result'],
  ['kubernetes.keepFullObjectsInMemory', 'objects in contexts', MONITOR, 'no objects that it does not keep'],
  ['kubernetes.allowFailure', 'a failed run is not tried again', READ, "'allowFailure'"],
  ['kubernetes.executeHookOnSynchronization', 'a run for the whole state', LIMITS, 'parked for that object'],
  ['kubernetes.waitForSynchronization', 'accepted', READ, "'waitForSynchronization'"],
  ['kubernetes.resynchronizationPeriod', 'the cache is compared this often', READ, "'resynchronizationPeriod'"],
  ['kubernetes.nameSelector', 'names of objects', MONITOR, 'have only the names of the selector'],
  ['kubernetes.nameSelector.matchNames', 'names of objects', MONITOR, 'have only the names of the selector'],
  ['kubernetes.labelSelector', SELECTOR, LIMITS, 'a namespace that begins or ceases to match'],
  ['kubernetes.fieldSelector', 'fields that the server can select by', READ, "'fieldSelector'"],
  ['kubernetes.fieldSelector.matchExpressions', 'all of them hold', READ, "'fieldSelector'"],
  ['kubernetes.fieldSelector.matchExpressions.field', 'the path', READ, "'fieldSelector'"],
  ['kubernetes.fieldSelector.matchExpressions.operator', 'equal or not', READ, "'fieldSelector'"],
  ['kubernetes.fieldSelector.matchExpressions.value', 'the value', READ, "'fieldSelector'"],
  ['kubernetes.namespace', 'the namespaces of objects', READ, "'namespace.nameSelector'"],
  ['kubernetes.namespace.nameSelector', 'by name', READ, "'namespace.nameSelector'"],
  ['kubernetes.namespace.nameSelector.matchNames', 'by name', READ, "'namespace.nameSelector'"],
  ['kubernetes.namespace.labelSelector', 'by labels, followed', LIMITS, 'a namespace that begins or ceases to match'],
  ...(['kubernetesMutating', 'kubernetesValidating'] as const).flatMap((sort): Row[] => {
    const title = 'decide about writes, and change what is written';
    return [
      [sort, 'decides about writes', WEBHOOKS, title],
      [`${sort}.name`, 'the name of the webhook', WEBHOOKS, title],
      [`${sort}.group`, 'snapshots of a group', READ, 'gives a group the snapshots'],
      [`${sort}.includeSnapshotsFrom`, 'snapshots in the context', WEBHOOKS, title],
      ...['failurePolicy', 'sideEffects', 'timeoutSeconds', 'matchConditions', 'labelSelector', 'namespace'].map(
        (key): Row => [`${sort}.${key}`, 'as in a webhook configuration', READ, "'kubernetesMutating'"],
      ),
      [`${sort}.matchConditions.expression`, 'CEL', READ, "'kubernetesMutating'"],
      [`${sort}.matchConditions.name`, 'its name', READ, "'kubernetesMutating'"],
      [`${sort}.namespace.labelSelector`, SELECTOR, READ, "'kubernetesValidating'"],
      [`${sort}.rules`, 'the writes', WEBHOOKS, title],
      ...['apiVersions', 'apiGroups', 'resources', 'operations'].map(
        (key): Row => [`${sort}.rules.${key}`, 'as in a webhook configuration', WEBHOOKS, title],
      ),
      [`${sort}.rules.scope`, 'Cluster, Namespaced or *', READ, "'kubernetesMutating'"],
    ];
  }),
  ...(['', '.name', '.crdName', '.conversions', '.conversions.fromVersion', '.conversions.toVersion'] as const).map(
    (key): Row => [
      `kubernetesCustomResourceConversion${key}`,
      'converts objects of a definition',
      WEBHOOKS,
      'convert objects between versions step by step',
    ],
  ),
  [
    'kubernetesCustomResourceConversion.includeSnapshotsFrom',
    'snapshots in the context',
    WEBHOOKS,
    'convert objects between versions step by step',
  ],
  ['kubernetesCustomResourceConversion.group', 'snapshots of a group', READ, 'gives a group the snapshots'],
];

const OF_V0 = 'reads the keys of v0';
const V0: readonly Row[] = [
  ['configVersion', 'v0 or v1', READ, 'is YAML or JSON, of version v0 where it names none'],
  ...[
    ['onStartup', 'runs at the start, in this order'],
    ['schedule', 'runs at times'],
    ['schedule.name', 'the binding in contexts'],
    ['schedule.crontab', 'the times'],
    ['schedule.allowFailure', 'a failed run is not tried again'],
    ['onKubernetesEvent', 'runs for events'],
    ['onKubernetesEvent.name', 'the binding in contexts'],
    ['onKubernetesEvent.event', 'add, update, delete'],
    ['onKubernetesEvent.kind', 'the type'],
    ['onKubernetesEvent.selector', SELECTOR],
    ['onKubernetesEvent.objectName', 'the name of the object'],
    ['onKubernetesEvent.namespaceSelector', 'the namespaces'],
    ['onKubernetesEvent.namespaceSelector.matchNames', 'by name'],
    ['onKubernetesEvent.namespaceSelector.any', 'all'],
    ['onKubernetesEvent.jqFilter', 'events only where its result changes'],
    ['onKubernetesEvent.allowFailure', 'a failed run is not tried again'],
    ['onKubernetesEvent.disableDebug', 'accepted'],
  ].map(([key = '', meaning = '']): Row => [key, meaning, READ, OF_V0]),
];

/** The parts of a label selector are those of manifests: one test has them for all places. */
const isPart = (key: string) => /elector\.match(Labels|Expressions)/.test(key) && !key.includes('fieldSelector');

describe.each([
  ['v1', V1],
  ['v0', V0],
] as const)('the keys of a configuration of version %s', (version, table) => {
  it('are those of the table', () => {
    const keys = (SHAPES[version].paths ?? []).filter((key) => !isPart(key));
    expect(table.map(([key]) => key).sort()).toEqual([...keys].sort());
  });

  it('each have a test', () => {
    const texts = new Map(table.map(([, , file]) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const));
    const without = table.filter(([, , file, title]) => !texts.get(file)?.includes(title));
    expect(without.map(([key]) => key)).toEqual([]);
  });

  it('are each named by the page for users', () => {
    const page = readFileSync(path.join(ROOT, 'docs/shell-operator.md'), 'utf8');
    const part = page.slice(page.indexOf('## What a hook can say'), page.indexOf('## Webhooks'));
    const names = new Set(
      part
        .split('`')
        .filter((_, i) => i % 2 === 1)
        .flatMap((text) => text.split(/[\s.]+/)),
    );
    const wanted = [...new Set(table.flatMap(([key]) => key.split('.')))];
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });
});
