import { describe, expect, it } from 'vitest';
import { readHookConfig } from '../../src/shell-operator/read-config.ts';

const read = (config: object | string) =>
  readHookConfig('a.sh', typeof config === 'string' ? config : JSON.stringify({ configVersion: 'v1', ...config }));
const kubernetes = async (binding: object) => (await read({ kubernetes: [{ kind: 'Pod', ...binding }] })).kubernetes[0];
const validating = {
  name: 'a.example.com',
  rules: [{ apiVersions: ['v1'], apiGroups: [''], resources: ['pods'], operations: ['CREATE'] }],
};

describe('the configuration of a hook', () => {
  it('is YAML or JSON, of version v0 where it names none', async () => {
    expect(await read('configVersion: v1\nonStartup: 3\n')).toMatchObject({ version: 'v1', onStartup: 3 });
    expect(await read('{"onStartup": 10}')).toMatchObject({ version: 'v0', onStartup: 10, kubernetes: [] });
  });

  it.each<[string, object, object]>([
    ['name', { name: 'pods' }, { name: 'pods' }],
    ['name that is not given', {}, { name: 'kubernetes', at: 'kubernetes[0]' }],
    ['apiVersion', { apiVersion: 'apps/v1' }, { apiVersion: 'apps/v1' }],
    ['kind', { kind: 'ds' }, { kind: 'ds' }],
    ['executeHookOnEvent', { executeHookOnEvent: ['Added'] }, { events: new Set(['Added']) }],
    ['executeHookOnEvent that is empty', { executeHookOnEvent: [] }, { events: new Set() }],
    ['executeHookOnEvent that is not given', {}, { events: new Set(['Added', 'Modified', 'Deleted']) }],
    ['watchEvent', { watchEvent: ['Deleted'] }, { events: new Set(['Deleted']) }],
    [
      'executeHookOnEvent before watchEvent',
      { watchEvent: ['Deleted'], executeHookOnEvent: ['Added'] },
      { events: new Set(['Added']) },
    ],
    ['executeHookOnSynchronization', { executeHookOnSynchronization: false }, { runsOnSynchronization: false }],
    [
      'waitForSynchronization',
      { waitForSynchronization: false, queue: 'q' },
      { queue: 'q', runsOnSynchronization: true },
    ],
    ['keepFullObjectsInMemory', { keepFullObjectsInMemory: false }, { keepsObjects: false }],
    ['resynchronizationPeriod', { resynchronizationPeriod: '1h30m' }, { resyncMs: 5_400_000 }],
    ['nameSelector', { nameSelector: { matchNames: ['a', 'b'] } }, { names: ['a', 'b'] }],
    ['labelSelector.matchLabels', { labelSelector: { matchLabels: { app: 'web' } } }, { selector: 'app=web' }],
    [
      'labelSelector.matchExpressions',
      {
        labelSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['x', 'y'] },
            { key: 'b', operator: 'NotIn', values: ['z'] },
            { key: 'c', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist' },
          ],
        },
      },
      { selector: 'a in (x,y),b notin (z),c,!d' },
    ],
    [
      'fieldSelector',
      {
        fieldSelector: {
          matchExpressions: [
            { field: 'status.phase', operator: 'Equals', value: 'Pending' },
            { field: 'spec.nodeName', operator: '!=', value: 'n,1' },
          ],
        },
      },
      { fieldSelector: 'status.phase=Pending,spec.nodeName!=n\\,1' },
    ],
    ['namespace.nameSelector', { namespace: { nameSelector: { matchNames: ['a'] } } }, { namespaces: ['a'] }],
    [
      'namespace.labelSelector, which goes before names',
      { namespace: { nameSelector: { matchNames: ['a'] }, labelSelector: { matchLabels: { t: 'x' } } } },
      { namespaces: [], namespaceSelector: 't=x' },
    ],
    ['jqFilter', { jqFilter: '.metadata.labels' }, { jqFilter: '.metadata.labels' }],
    ['allowFailure', { allowFailure: true }, { allowFailure: true }],
    ['queue', { queue: 'pods' }, { queue: 'pods' }],
    ['queue that is not given', {}, { queue: 'main', allowFailure: false }],
    ['group', { group: 'g' }, { group: 'g', snapshots: ['kubernetes'] }],
    ['includeSnapshotsFrom', { name: 'me', includeSnapshotsFrom: ['me'] }, { snapshots: ['me'] }],
  ])('has the key kubernetes.%s', async (_, binding, expected) => {
    expect(await kubernetes(binding)).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    [
      'schedule.crontab',
      { schedule: [{ crontab: '*/5 * * * *' }] },
      { schedules: [{ name: 'schedule', crontab: '*/5 * * * *', queue: 'main' }] },
    ],
    [
      'schedule.name, queue and allowFailure',
      { schedule: [{ crontab: '@daily', name: 'n', queue: 'q', allowFailure: true }] },
      { schedules: [{ name: 'n', queue: 'q', allowFailure: true }] },
    ],
    [
      'settings',
      { schedule: [{ crontab: '@daily' }], settings: { executionMinInterval: '3s', executionBurst: 2 } },
      { rate: { intervalMs: 3000, burst: 2 } },
    ],
    ['onStartup', { onStartup: 7 }, { onStartup: 7 }],
    [
      'kubernetesValidating',
      { kubernetesValidating: [{ ...validating, namespace: { labelSelector: { matchLabels: { a: 'b' } } } }] },
      {
        validating: [
          {
            name: 'a.example.com',
            webhook: {
              failurePolicy: 'Fail',
              sideEffects: 'None',
              timeoutSeconds: 10,
              namespaceSelector: { matchLabels: { a: 'b' } },
            },
          },
        ],
      },
    ],
    [
      'kubernetesMutating',
      {
        kubernetesMutating: [
          {
            ...validating,
            failurePolicy: 'Ignore',
            sideEffects: 'NoneOnDryRun',
            timeoutSeconds: 3,
            labelSelector: { matchLabels: { a: 'b' } },
            matchConditions: [{ name: 'n', expression: 'true' }],
          },
        ],
      },
      {
        mutating: [
          {
            webhook: {
              failurePolicy: 'Ignore',
              sideEffects: 'NoneOnDryRun',
              timeoutSeconds: 3,
              objectSelector: { matchLabels: { a: 'b' } },
              matchConditions: [{ name: 'n', expression: 'true' }],
            },
          },
        ],
      },
    ],
    [
      'kubernetesCustomResourceConversion',
      {
        kubernetesCustomResourceConversion: [
          { name: 'n', crdName: 'c.example.com', conversions: [{ fromVersion: 'v1', toVersion: 'v2' }] },
        ],
      },
      { conversions: [{ name: 'n', crd: 'c.example.com', rules: [{ fromVersion: 'v1', toVersion: 'v2' }] }] },
    ],
  ])('has the key %s', async (_, config, expected) => {
    expect(await read(config)).toMatchObject(expected);
  });

  it('gives a group the snapshots of its kubernetes bindings, also with a schedule', async () => {
    const config = await read({
      schedule: [{ crontab: '* * * * *', group: 'g', includeSnapshotsFrom: ['other'] }],
      kubernetes: [
        { name: 'pods', kind: 'Pod', group: 'g' },
        { name: 'maps', kind: 'ConfigMap', group: 'g' },
        { name: 'other', kind: 'Node' },
      ],
    });
    expect(config.schedules[0]?.snapshots).toEqual(['other', 'pods', 'maps']);
    expect(config.kubernetes.map(({ snapshots }) => snapshots)).toEqual([['pods', 'maps'], ['pods', 'maps'], []]);
  });

  it('reads the keys of v0', async () => {
    const config = await readHookConfig(
      'a.sh',
      JSON.stringify({
        schedule: [{ name: 's', crontab: '* * * * * *', allowFailure: true }],
        onKubernetesEvent: [
          {
            name: 'n',
            event: ['add', 'update'],
            kind: 'pod',
            selector: { matchLabels: { a: 'b' } },
            objectName: 'o',
            namespaceSelector: { matchNames: ['x'] },
            jqFilter: '.spec',
            allowFailure: true,
          },
          { kind: 'pod', event: ['delete'], namespaceSelector: { any: true } },
        ],
      }),
    );
    expect(config.kubernetes).toMatchObject([
      {
        name: 'n',
        events: new Set(['Added', 'Modified']),
        selector: 'a=b',
        names: ['o'],
        namespaces: ['x'],
        jqFilter: '.spec',
        allowFailure: true,
        queue: 'main',
        runsOnSynchronization: false,
      },
      { name: 'onKubernetesEvent', events: new Set(['Deleted']), namespaces: [] },
    ]);
    expect(config.schedules).toMatchObject([{ name: 's', allowFailure: true, queue: 'main' }]);
  });

  it.each<[string, object | string, string]>([
    ['a text that is none', 'a: [', 'it is neither YAML nor JSON'],
    ['nothing', '', 'it is empty'],
    ['a version that there is not', { configVersion: 'v2' }, 'configVersion must be v0 or v1, not "v2"'],
    ['an unknown field', { onStartup: 1, kubernets: [] }, 'kubernets is no known field; did you mean kubernetes?'],
    [
      'an unknown field of a binding',
      { kubernetes: [{ kind: 'Pod', jqfilter: '.' }] },
      'kubernetes[0].jqfilter is no known field; did you mean jqFilter?',
    ],
    ['a binding without its kind', { kubernetes: [{ name: 'a' }] }, 'kubernetes[0].kind is missing'],
    [
      'a value of another type',
      { kubernetes: [{ kind: 'Pod', allowFailure: 'yes' }] },
      'kubernetes[0].allowFailure must be true or false',
    ],
    [
      'an unknown event',
      { kubernetes: [{ kind: 'Pod', executeHookOnEvent: ['Changed'] }] },
      'kubernetes[0].executeHookOnEvent[0] must be one of Added, Modified, Deleted',
    ],
    ['a list that is empty', { schedule: [] }, 'schedule must not be empty'],
    ['no binding', {}, 'the configuration needs one of'],
    [
      'a crontab that cannot be read',
      { schedule: [{ crontab: '* * * *' }] },
      'schedule[0].crontab: expected 5 fields, or 6 with seconds first, and not 4',
    ],
    [
      'a snapshot of no binding',
      { kubernetes: [{ kind: 'Pod', includeSnapshotsFrom: ['x'] }] },
      'kubernetes[0].includeSnapshotsFrom: no kubernetes binding is named x',
    ],
    [
      'a snapshot of two bindings',
      { kubernetes: [{ kind: 'Pod', includeSnapshotsFrom: ['kubernetes'] }, { kind: 'Node' }] },
      '2 kubernetes bindings are named kubernetes',
    ],
    [
      'a selector that no server takes',
      { kubernetes: [{ kind: 'Pod', labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }] },
      'kubernetes[0].labelSelector: In of a needs values',
    ],
    [
      'two selections of a name',
      {
        kubernetes: [
          {
            kind: 'Pod',
            nameSelector: { matchNames: ['a'] },
            fieldSelector: { matchExpressions: [{ field: 'metadata.name', operator: '=', value: 'b' }] },
          },
        ],
      },
      'exclude each other',
    ],
    [
      'a rate without a burst',
      { onStartup: 1, settings: { executionMinInterval: '1s' } },
      'settings.executionBurst is missing',
    ],
    [
      'a period that is none',
      { kubernetes: [{ kind: 'Pod', resynchronizationPeriod: 'daily' }] },
      'kubernetes[0].resynchronizationPeriod must be a duration',
    ],
    [
      'a webhook with a short name',
      { kubernetesValidating: [{ ...validating, name: 'a' }] },
      'kubernetesValidating[0].name must have at least three parts',
    ],
    [
      'two webhooks of one name',
      { kubernetesValidating: [validating, validating] },
      'another webhook is named a.example.com',
    ],
  ])('is refused with the hook and the field: %s', async (_, config, why) => {
    const error = await read(config).catch((caught) => caught);
    expect(error).toMatchObject({ code: 'argument' });
    expect(error.message).toContain('the hook a.sh has a configuration that cannot be used: ');
    expect(error.message).toContain(why);
  });
});
