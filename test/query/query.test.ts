import { describe, expect, test } from 'vitest';
import { Indexer } from '../../src/informer/indexer.ts';
import { createLister, type Lister } from '../../src/informer/lister.ts';
import type { ReadonlyObject, UnknownObject } from '../../src/model/object.ts';
import { groupCounts, mergedCounts, sortedBy, valueCounts } from '../../src/query/arrange.ts';
import { IndexCatalog } from '../../src/query/index-catalog.ts';
import { type IndexDefinition, parseIndex } from '../../src/query/index-definition.ts';
import { parseLookup } from '../../src/query/lookup.ts';
import { formatExplanation, runLookups } from '../../src/query/plan.ts';
import { Redactor } from '../../src/stream/redact.ts';

const pod = (name: string, node: string | undefined, phase: string, restarts: number, images = ['app:1']): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: name < 'c' ? 'shop' : 'bank', labels: { app: name.slice(0, 1), 'x.y/z': 'w' } },
  spec: { ...(node ? { nodeName: node } : {}), containers: images.map((image) => ({ image })) },
  status: { phase, restarts },
});

const PODS = [
  pod('a-1', 'n1', 'Running', 0),
  pod('a-2', 'n1', 'Running', 12, ['app:1', 'side:2']),
  pod('b-1', 'n2', 'Running', 3, ['app:2']),
  pod('c-1', undefined, 'Pending', 0),
  pod('c-2', 'n1', 'Failed', 5),
];

function storeOf(objects: UnknownObject[], kept: readonly IndexDefinition[]): Lister<UnknownObject> {
  const indexers = Object.fromEntries(kept.map((definition) => [definition.name, (object: UnknownObject) => definition.valuesOf(object)]));
  const indexer = new Indexer<UnknownObject>({ indexers });
  indexer.replace(objects, '1');
  return createLister(indexer);
}

const names = (objects: readonly ReadonlyObject[]) => objects.map((object) => object.metadata.name).toSorted();

describe.each([
  ['kept by the store', true],
  ['worked out while scanning', false],
])('with indexes %s', (_, kept) => {
  const catalog = new IndexCatalog();
  const store = storeOf(PODS, kept ? ['node', 'phase', 'image', 'namespace', 'label:app'].map((name) => catalog.get(name)) : []);
  const ask = (...lookups: [Parameters<typeof parseLookup>[0], string][]) =>
    names(runLookups({ store, catalog, lookups: lookups.map(([flag, text]) => parseLookup(flag, text)) }).objects);

  test.each<[string, [Parameters<typeof parseLookup>[0], string][], string[]]>([
    ['no lookup gives everything', [], ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
    ['a value', [['eq', 'node=n1']], ['a-1', 'a-2', 'c-2']],
    ['a value nobody has', [['eq', 'node=n9']], []],
    ['several values, an object that has two of them once', [['in', 'image=app:1,side:2']], ['a-1', 'a-2', 'c-1', 'c-2']],
    ['a prefix', [['prefix', 'image=app:']], ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
    ['a range', [['range', 'node=n1..n1']], ['a-1', 'a-2', 'c-2']],
    ['several lookups must all hold', [['eq', 'node=n1'], ['in', 'phase=Failed,Pending']], ['c-2']], // biome-ignore format: rows
    ['a label', [['eq', 'label:app=b']], ['b-1']],
    ['a namespace', [['eq', 'namespace=bank']], ['c-1', 'c-2']],
  ])('%s', (_, lookups, expected) => {
    expect(ask(...lookups)).toEqual(expected);
  });

  test('every value with its count, most frequent first', () => {
    expect(valueCounts(catalog.get('image'), store)).toEqual([
      { value: 'app:1', count: 4 },
      { value: 'app:2', count: 1 },
      { value: 'side:2', count: 1 },
    ]);
  });
});

describe('the plan', () => {
  const catalog = new IndexCatalog();
  const explain = (kept: string[], ...lookups: string[]) => {
    const store = storeOf(PODS, kept.map((name) => catalog.get(name))); // biome-ignore format: short
    return formatExplanation(runLookups({ store, catalog, lookups: lookups.map((text) => parseLookup('eq', text)) }).explanation);
  };

  test.each([
    [
      'reads the smallest kept index and filters the rest',
      ['node', 'phase'],
      ['node=n1', 'phase=Failed'],
      'index phase=Failed; filter node=n1; scanned 1, returned 1',
    ],
    [
      'takes a kept index before one that is not',
      ['node'],
      ['phase=Failed', 'node=n1'],
      'index node=n1; filter phase=Failed; scanned 3, returned 1',
    ],
    ['scans everything without one', [], ['node=n1'], 'no index, every object; filter node=n1; scanned 5, returned 3'],
  ])('%s', (_, kept, lookups, expected) => {
    expect(explain(kept, ...lookups)).toBe(expected);
  });
});

describe('ranges', () => {
  test.each([
    ['restarts=3..5', ['b-1', 'c-2']],
    ['restarts=4..', ['a-2', 'c-2']],
    ['restarts=..3', ['a-1', 'b-1', 'c-1']],
  ])('order numbers as numbers: %s', async (text, expected) => {
    const restarts = await parseIndex('restarts=.status.restarts');
    const catalog = new IndexCatalog([restarts]);
    const { objects } = runLookups({ store: storeOf(PODS, [restarts]), catalog, lookups: [parseLookup('range', text)] });
    expect(names(objects)).toEqual(expected);
  });
});

describe.each([
  ['kept by the store', true],
  ['worked out while scanning', false],
])('ranges of quantities, with an index %s', (_, kept) => {
  const volume = (name: string, storage: string): UnknownObject => ({ metadata: { name }, spec: { capacity: { storage } } });
  const volumes = [volume('a', '1536Mi'), volume('b', '5Gi'), volume('c', '10240Mi'), volume('d', '11Gi'), volume('e', 'some')];

  test.each([
    ['c=2Gi..10Gi', ['b', 'c']],
    ['c=..2Gi', ['a']],
    ['c=10Gi..', ['c', 'd', 'e']],
    ['c=5120Mi..5Gi', ['b']],
  ])('find %s by size', async (text, expected) => {
    const capacity = await parseIndex('c=.spec.capacity.storage');
    const store = storeOf(volumes, kept ? [capacity] : []);
    const lookups = [parseLookup('range', text)];
    expect(names(runLookups({ store, catalog: new IndexCatalog([capacity]), lookups }).objects)).toEqual(expected);
  });
});

describe.each([
  ['kept by the store', true],
  ['worked out while scanning', false],
])('ranges of times, with an index %s', (_, kept) => {
  const lease = (name: string, time: string): UnknownObject => ({ metadata: { name }, spec: { time } });
  const leases = [
    lease('a', '2026-11-21T23:30:00-01:00'),
    lease('b', '2026-11-21T23:30:00Z'),
    lease('c', '2026-11-22T01:00:00+02:00'),
    lease('d', '2026-11-22T00:30:00.000001Z'),
    lease('e', 'never'),
    lease('f', '5'),
  ];

  test.each([
    ['t=2026-11-21T23:00:00Z..2026-11-22T00:00:00Z', ['b', 'c']],
    ['t=2026-11-22T00:30:00Z..2026-11-22T01:00:00Z', ['a', 'd']],
    ['t=2026-11-22..2026-11-23', ['a', 'd']],
    ['t=2026-11-21T23:00:00Z..2026-11-21T23:00:00Z', ['c']],
    ['t=..2026-11-21T23:10:00Z', ['c', 'f']],
  ])('find %s by the moment', async (text, expected) => {
    const time = await parseIndex('t=.spec.time');
    const store = storeOf(leases, kept ? [time] : []);
    const lookups = [parseLookup('range', text)];
    const { objects } = runLookups({ store, catalog: new IndexCatalog([time]), lookups });
    expect(names(objects).toSorted()).toEqual(expected);
  });
});

describe('a declared index', () => {
  test('has a value for each that its path yields, each once', async () => {
    const index = await parseIndex('i=.spec.containers[*].image');
    expect(index.valuesOf(pod('x', 'n', 'p', 0, ['a', 'b', 'a']))).toEqual(['a', 'b']);
  });

  test.each([
    ['n=.status.restarts', ['7']],
    ['n=.nope', []],
    ['n=.spec.containers[9].image', []],
    ['n=$.spec.containers[?(@.image && @.image != "b")].image', ['a']],
    ['n={.metadata.labels}', ['{"app":"x","x.y/z":"w"}']],
  ])('%s', async (text, expected) => {
    expect((await parseIndex(text)).valuesOf(pod('x', 'n', 'p', 7, ['a']))).toEqual(expected);
  });

  test('keeps null out', async () => {
    expect((await parseIndex('n=.x')).valuesOf({ metadata: {}, x: null } as UnknownObject)).toEqual([]);
  });

  test.each([
    ['.spec.nodeName', 'invalid index ".spec.nodeName": expected NAME=JSONPATH'],
    ['=.spec', 'invalid index "=.spec": expected NAME=JSONPATH'],
    ['a b=.spec', 'invalid index "a b=.spec": expected NAME=JSONPATH'],
    ['n=', 'the JSONPath is empty'],
    ['n={.a', 'unclosed action at position 3'],
  ])('that cannot be read is refused: %s', async (text, message) => {
    await expect(parseIndex(text)).rejects.toThrow(message);
  });

  test('takes the place of the built-in one of its name', async () => {
    const node = await parseIndex('node=.metadata.name');
    expect(new IndexCatalog([node]).get('node')).toBe(node);
  });

  test('must not be declared twice', async () => {
    const node = await parseIndex('node=.metadata.name');
    expect(() => new IndexCatalog([node, node])).toThrow('the index "node" is declared twice');
  });
});

test('an unknown index is refused with the near one and the list', () => {
  expect(() => new IndexCatalog().get('nodes')).toThrow('there is no index named "nodes"; did you mean "node"?');
  const hint =
    'there are namespace, node, image, phase, configmap, secret, serviceaccount, owner, label:KEY; declare another by --index zzz=JSONPATH';
  expect(() => new IndexCatalog().get('zzz')).toThrow(expect.objectContaining({ hint }));
});

describe('lookups that cannot be read name the form they should have', () => {
  test.each([
    ['eq', 'node', 'invalid argument "node" for "--eq": expected NAME=VALUE'],
    ['in', '=a', 'invalid argument "=a" for "--in": expected NAME=VALUE'],
    ['range', 'n=3', 'invalid argument "n=3" for "--range": expected NAME=FROM..TO'],
    ['range', 'n=..', 'invalid argument "n=.." for "--range": expected NAME=FROM..TO'],
  ] as const)('--%s %s', (flag, text, message) => {
    expect(() => parseLookup(flag, text)).toThrow(message);
  });
});

describe('the built-in indexes over what a pod uses', () => {
  const spec = {
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [
      { configMap: { name: 'cm-volume' } },
      { secret: { secretName: 'secret-volume' } },
      { projected: { sources: [{ configMap: { name: 'cm-projected' } }, { secret: { name: 'secret-projected' } }] } },
      { emptyDir: {} },
    ],
    initContainers: [{ image: 'init:1', envFrom: [{ configMapRef: { name: 'cm-from' } }, { secretRef: { name: 'secret-from' } }] }],
    containers: [
      {
        image: 'app:1',
        env: [
          { value: 'x' },
          { valueFrom: { configMapKeyRef: { name: 'cm-env' } } },
          { valueFrom: { secretKeyRef: { name: 'secret-env' } } },
        ],
      },
    ],
    ephemeralContainers: [{ image: 'debug:1' }],
  };
  const expected = {
    image: ['init:1', 'app:1', 'debug:1'],
    configmap: ['cm-volume', 'cm-projected', 'cm-from', 'cm-env'],
    secret: ['secret-volume', 'secret-projected', 'secret-from', 'secret-env', 'pull'],
    serviceaccount: ['robot'],
  };
  const valuesOf = (object: object) => {
    const catalog = new IndexCatalog();
    return Object.fromEntries(Object.keys(expected).map((name) => [name, catalog.get(name).valuesOf(object as UnknownObject)]));
  };

  test.each([
    ['a pod', { metadata: {}, spec }],
    ['a deployment', { metadata: {}, spec: { template: { spec } } }],
    ['a cron job', { metadata: {}, spec: { jobTemplate: { spec: { template: { spec } } } } }],
    ['a pod template', { metadata: {}, template: { spec } }],
  ])('read %s', (_, object) => {
    expect(valuesOf(object)).toEqual(expected);
  });

  // Every field of a volume that names a secret, in the API of Kubernetes 1.36.
  test.each([
    { azureFile: { secretName: 's', shareName: 'share' } },
    { cephfs: { monitors: ['m'], secretRef: { name: 's' } } },
    { cinder: { volumeID: 'v', secretRef: { name: 's' } } },
    { csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } },
    { flexVolume: { driver: 'd', secretRef: { name: 's' } } },
    { iscsi: { iqn: 'q', secretRef: { name: 's' } } },
    { rbd: { image: 'i', secretRef: { name: 's' } } },
    { scaleIO: { system: 'x', secretRef: { name: 's' } } },
    { storageos: { volumeName: 'v', secretRef: { name: 's' } } },
    { secret: { secretName: 's' } },
    { projected: { sources: [{ serviceAccountToken: { path: 'p' } }, { secret: { name: 's' } }] } },
  ])('find the secret that a volume uses by %j', (volume) => {
    const volumes = [{ name: 'v', ...volume }];
    for (const object of [{ spec: { volumes } }, { spec: { template: { spec: { volumes } } } }, { template: { spec: { volumes } } }])
      expect(new IndexCatalog().get('secret').valuesOf({ metadata: {}, ...object } as UnknownObject)).toEqual(['s']);
  });

  test.each([
    { azureFile: { secretName: 's', secretNamespace: 'other', shareName: 'share' } },
    ...['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((driver) => ({
      [driver]: { secretRef: { name: 's' } },
    })),
    ...['controllerExpand', 'controllerPublish', 'nodeExpand', 'nodePublish', 'nodeStage'].map((step) => ({
      csi: { [`${step}SecretRef`]: { name: 's', namespace: 'other' } },
    })),
  ])('find the secret that a persistent volume uses by %j', (source) => {
    const object = { metadata: {}, spec: { capacity: { storage: '1Gi' }, ...source } } as UnknownObject;
    expect(new IndexCatalog().get('secret').valuesOf(object)).toEqual(['s']);
  });

  test.each([
    ['names one', { serviceAccountName: 'robot', serviceAccount: 'robot' }, ['robot']],
    ['names it by the older field', { serviceAccount: 'robot' }, ['robot']],
    ['names none', {}, ['default']],
    ['names the empty one', { serviceAccountName: '' }, ['default']],
  ])('find the service account of a workload that %s', (_, fields, expected) => {
    const object = { metadata: {}, spec: { template: { spec: { containers: [{ image: 'a' }], ...fields } } } } as UnknownObject;
    expect(new IndexCatalog().get('serviceaccount').valuesOf(object)).toEqual(expected);
  });

  test('find the image of an image volume', () => {
    const object = {
      metadata: {},
      spec: { containers: [{ image: 'a' }], volumes: [{ image: { reference: 'models:1' } }] },
    } as UnknownObject;
    expect(new IndexCatalog().get('image').valuesOf(object)).toEqual(['a', 'models:1']);
  });

  test.each([
    [
      'a service account',
      'secret',
      { metadata: {}, secrets: [{ name: 'token' }], imagePullSecrets: [{ name: 'pull' }] },
      ['pull', 'token'],
    ],
    ['an ingress', 'secret', { metadata: {}, spec: { tls: [{ secretName: 'cert' }] } }, ['cert']],
    [
      'a role binding',
      'serviceaccount',
      {
        metadata: {},
        subjects: [
          { kind: 'ServiceAccount', name: 'robot' },
          { kind: 'User', name: 'eve' },
        ],
      },
      ['robot'],
    ],
    [
      'a custom resource whose fields are of other kinds',
      'configmap',
      { metadata: {}, spec: { volumes: 'all', containers: [null, 'x'], template: 7 } },
      [],
    ],
    ['an object without spec', 'image', { metadata: {} }, []],
  ])('read %s: %s', (_, name, object, values) => {
    expect(new IndexCatalog().get(name).valuesOf(object as UnknownObject)).toEqual(values);
  });
});

describe('the owner index', () => {
  const reference = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, uid: `uid-${name}` });
  const owners: Record<string, UnknownObject> = {
    'uid-web-1': { metadata: { name: 'web-1', ownerReferences: [reference('apps/v1', 'Deployment', 'web')] } },
    'uid-web': { metadata: { name: 'web', ownerReferences: [reference('example.com/v1', 'App', 'shop')] } },
    'uid-shop': { metadata: { name: 'shop', ownerReferences: [reference('apps/v1', 'ReplicaSet', 'web-1')] } },
  };
  const child: UnknownObject = {
    metadata: { name: 'web-1-x', namespace: 'ns', ownerReferences: [reference('apps/v1', 'ReplicaSet', 'web-1')] },
  };
  const kindOf = (word: string) => ({ deploy: 'Deployment', deployments: 'Deployment' })[word];
  const catalog = new IndexCatalog([], { resolve: ({ uid }, namespace) => (namespace === 'ns' ? owners[uid] : undefined), kindOf });
  const store = storeOf([child, { metadata: { name: 'alone', namespace: 'ns' } }], []);

  test.each([
    'owner=uid-web-1',
    'owner=replicaset/web-1',
    'owner=ReplicaSet/web-1',
    'owner=deploy/web',
    'owner=deployment.apps/web',
    'owner=app.example.com/shop',
  ])('finds a descendant by %s', (text) => {
    expect(names(runLookups({ store, catalog, lookups: [parseLookup('eq', text)] }).objects)).toEqual(['web-1-x']);
  });

  test('ends at an owner that is not there, and at a ring', () => {
    expect(new IndexCatalog().get('owner').valuesOf(child)).toEqual(['uid-web-1', 'replicaset/web-1', 'replicaset.apps/web-1']);
    expect(catalog.get('owner').valuesOf(child)).toHaveLength(9);
  });

  test('is not for an indexer to keep', () => {
    expect(catalog.get('owner').stable).toBe(false);
  });
});

test('values of Secrets are counted redacted: none is shown, equal ones count together, a lookup still takes the real one', async () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const secret = (name: string, text: string): UnknownObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: { password: encoded(text) },
  });
  const password = await parseIndex('password=.data.password');
  const store = storeOf([secret('a', 'one'), secret('b', 'one'), secret('c', 'two')], [password]);
  const redactor = new Redactor();
  expect(valueCounts(password, store, (object) => redactor.redact(object))).toEqual([
    { value: redactor.value('one'), count: 2 },
    { value: redactor.value('two'), count: 1 },
  ]);
  const lookups = [parseLookup('eq', `password=${encoded('two')}`)];
  expect(names(runLookups({ store, catalog: new IndexCatalog([password]), lookups }).objects)).toEqual(['c']);
});

test('grouping counts several values each and none as <none>', () => {
  const { valuesOf } = new IndexCatalog().get('node');
  expect(groupCounts(PODS, valuesOf)).toEqual([
    { value: 'n1', count: 3 },
    { value: '<none>', count: 1 },
    { value: 'n2', count: 1 },
  ]);
  expect(mergedCounts([groupCounts(PODS, valuesOf), [{ value: 'n2', count: 9 }]])[0]).toEqual({ value: 'n2', count: 10 });
});

describe('sorting', () => {
  const item = (...found: unknown[]) => found;
  const same = (found: unknown[]) => found;

  test.each([
    ['numbers by size', [item(10), item(9), item(-1)], [item(-1), item(9), item(10)]],
    ['text by bytes', [item('b'), item('a'), item('B')], [item('B'), item('a'), item('b')]],
    ['text by bytes of UTF-8', [item('\u{1f600}'), item('\uffee'), item('z')], [item('z'), item('\uffee'), item('\u{1f600}')]],
    ['names by bytes', [item('web-10'), item('web-9'), item('web-7d4b9'), item('web-745f9')], [item('web-10'), item('web-745f9'), item('web-7d4b9'), item('web-9')]], // biome-ignore format: short
    ['addresses by bytes', [item('10.96.7.251'), item('10.96.183.86')], [item('10.96.183.86'), item('10.96.7.251')]],
    ['quantities by size', [item('5Gi'), item('1536Mi'), item('10'), item('9'), item('1500m')], [item('1500m'), item('9'), item('10'), item('1536Mi'), item('5Gi')]], // biome-ignore format: short
    ['a quantity and other text by bytes', [item('9x'), item('10Gi')], [item('10Gi'), item('9x')]],
    ['equal sizes in their order', [item('1Gi'), item('1024Mi')], [item('1Gi'), item('1024Mi')]],
    ['nothing first', [item('b'), item(), item('a')], [item(), item('a'), item('b')]],
    ['null after nothing', [item('b'), item(null), item()], [item(), item(null), item('b')]],
    ['equal ones in their order', [item('a', 1), item('a', 2)], [item('a', 1), item('a', 2)]],
    ['kinds apart', [item('1'), item(2), item(true)], [item(true), item(2), item('1')]],
  ])('%s', (_, given, expected) => {
    expect(sortedBy<unknown[]>(given, same, { expression: '.x' })).toEqual(expected);
  });

  test('the opposite order puts the largest first, what has no value last, and keeps equal ones in their order', () => {
    const given = [item('1Gi', 1), item(), item('5Gi'), item('1024Mi', 2)];
    const expected = [item('5Gi'), item('1Gi', 1), item('1024Mi', 2), item()];
    expect(sortedBy<unknown[]>(given, same, { expression: '.x', isDescending: true })).toEqual(expected);
  });

  test("a field that nothing has is refused in kubectl's words", () => {
    expect(() => sortedBy([item(), item()], same, { expression: '.x' })).toThrow(
      `couldn't find any field with path ".x" in the list of objects`,
    );
    expect(sortedBy([], same, { expression: '.x' })).toEqual([]);
  });

  test.each([
    [{ a: 1 }, 'map'],
    [[1], 'list'],
  ])('%j has no order, and is refused', (value, kind) => {
    expect(() => sortedBy([item('a'), item(value)], same, { expression: '.x' })).toThrow(
      `--sort-by: ".x" is a ${kind}, which has no order`,
    );
  });
});
