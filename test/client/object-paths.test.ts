import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ResourceApi } from '../../src/client/resource-api.ts';
import { createOrUpdate } from '../../src/controller/writes/create-or-update.ts';
import { guardClient } from '../../src/hooks/guarded-client.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { isNotFound } from '../../src/model/status.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };

const map = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', labels },
  data: { x: '1' },
});

/** Values that a program without types may pass as a name, and that cannot be a name. */
const NO_NAMES: readonly unknown[] = [
  '',
  undefined,
  null,
  0,
  {},
  '.',
  '..',
  'a/b',
  '/',
  '../b',
  'a%2Fb',
  '%',
  '\ud800',
];

async function place() {
  const all = await inProcess({ objects: [map('a', { app: 'x' }), map('b', { app: 'x' }), map('c')] });
  await all.client.discovery.snapshot();
  all.sent.length = 0;
  return {
    ...all,
    maps: all.client.resource(CONFIG_MAPS, { namespace: 'shop' }),
    names: () => all.sandbox.list(CONFIG_MAPS).map(({ metadata }) => metadata.name),
  };
}

async function refusalOf(attempt: () => unknown): Promise<unknown> {
  return Promise.resolve()
    .then(attempt)
    .then(
      () => expect.unreachable('it was not refused'),
      (error: unknown) => error,
    );
}

type Verb = (api: ResourceApi, name: never) => unknown;

const VERBS: Readonly<Record<string, Verb>> = {
  get: (api, name) => api.get(name),
  'get of a subresource': (api, name) => api.get(name, { subresource: 'status' }),
  update: (api, name) => api.update({ ...map('a'), metadata: { name, namespace: 'shop' } }),
  'update of a subresource': (api, name) => api.update({ metadata: { name } }, { subresource: 'scale' }),
  patch: (api, name) => api.patch(name, { data: {} }, { type: 'merge' }),
  'patch of a subresource': (api, name) => api.patch(name, { status: {} }, { type: 'merge', subresource: 'status' }),
  'create of a subresource': (api, name) => api.create({}, { name, subresource: 'eviction' }),
  delete: (api, name) => api.delete(name),
  'delete of a subresource': (api, name) => api.delete(name, { subresource: 'status' }),
};

describe('names in requests for one object', () => {
  it.each(Object.keys(VERBS))('%s refuses a name that cannot exist before anything is sent', async (verb) => {
    const { maps, sent, names } = await place();
    for (const name of NO_NAMES) {
      const error = await refusalOf(() => VERBS[verb]?.(maps, name as never));
      expect([JSON.stringify(name), isInformerError(error, 'argument')]).toEqual([JSON.stringify(name), true]);
    }
    expect([sent, names()]).toEqual([[], ['a', 'b', 'c']]);
  });

  it('a cluster-scoped collection refuses it too', async () => {
    const { client, sandbox, sent } = await place();
    const before = sandbox.list(ROLES).length;
    for (const name of NO_NAMES) await refusalOf(() => client.resource(ROLES).delete(name as never));
    expect([sent, sandbox.list(ROLES).length, before > 0]).toEqual([[], before, true]);
  });

  it('escapes characters of a name that have a meaning in a URL', async () => {
    const { client, sent } = await place();
    const error = await refusalOf(() => client.resource(ROLES).get('system:a?dryRun=All#b&c'));
    expect(isNotFound(error)).toBe(true);
    expect(sent.map(({ path }) => path)).toEqual([
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%3FdryRun%3DAll%23b%26c',
    ]);
  });

  it.each(['.', '..', 'a/b', 'a%b'])('refuses %j as a namespace, a subresource and a part of a type', async (part) => {
    const { client, maps, sent } = await place();
    const asNamespace = client.resource(CONFIG_MAPS, { namespace: part });
    const attempts: (() => unknown)[] = [
      () => asNamespace.get('a'),
      () => asNamespace.list(),
      () => asNamespace.watch(),
      () => asNamespace.delete('a'),
      () => client.resource(CONFIG_MAPS).create({ metadata: { name: 'a', namespace: part } }),
      () => maps.get('a', { subresource: part }),
      () => maps.patch('a', {}, { type: 'merge', subresource: part }),
      () => client.resource({ ...CONFIG_MAPS, resource: part }).list(),
      () => client.resource({ ...CONFIG_MAPS, version: part }).list(),
      () => client.resource({ ...CONFIG_MAPS, group: part }).get('a'),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(refusals.map((error) => isInformerError(error, 'argument'))).toEqual(attempts.map(() => true));
    expect(sent).toEqual([]);
  });

  it("a hook's client refuses them too, with and without the right to write, and spends no budget on them", async () => {
    const { client, sent, names } = await place();
    let taken = 0;
    const budget = { take: async () => void taken++ };
    for (const mode of ['describe', 'dry-run', 'write'] as const) {
      const maps = guardClient(client, { mode, budget }).resource(CONFIG_MAPS, { namespace: 'shop' });
      for (const name of NO_NAMES as readonly never[]) {
        const attempts = [
          () => maps.get(name),
          () => maps.patch(name, {}, { type: 'merge' }),
          () => maps.update({ metadata: { name } }),
          () => maps.delete(name),
        ];
        for (const attempt of attempts) expect(isInformerError(await refusalOf(attempt), 'argument')).toBe(true);
      }
    }
    expect([sent, names(), taken]).toEqual([[], ['a', 'b', 'c'], 0]);
  });

  it('createOrUpdate refuses an object without a name before it sends anything', async () => {
    const { maps, sent } = await place();
    const nameless = { ...map('a'), metadata: { namespace: 'shop' } };
    const error = await refusalOf(() => createOrUpdate(maps as never, nameless, () => {}));
    expect([isInformerError(error, 'argument'), sent]).toEqual([true, []]);
  });
});

/** Selectors that are not empty, and still match all objects unless some have exactly these labels or fields. */
const MATCH_ALL_BY_CONTENT = [
  { labelSelector: '!nope' },
  { labelSelector: 'app!=nope' },
  { labelSelector: 'nope notin (b)' },
  { labelSelector: ' !nope , app != nope,b notin (c,d)' },
  { fieldSelector: 'metadata.name!=x' },
  { fieldSelector: 'metadata.name=' },
  { fieldSelector: 'metadata.name==' },
  { fieldSelector: 'metadata.namespace=shop' },
  { fieldSelector: ',' },
  { labelSelector: '!nope', fieldSelector: 'metadata.name!=x,metadata.namespace==shop' },
  { labelSelector: '', fieldSelector: '' },
  { labelSelector: '\t\n ' },
];

describe('ResourceApi.deleteCollection', () => {
  it.each(MATCH_ALL_BY_CONTENT)(
    'deletes what a selector that only excludes leaves, with {all: true}: %j',
    async (selection) => {
      const { maps, sent, names } = await place();
      await maps.deleteCollection({ ...selection, all: true });
      const asksForNoName = /metadata\.name=+$/.test(selection.fieldSelector ?? '');
      expect([sent.length, names()]).toEqual([1, asksForNoName ? ['a', 'b', 'c'] : []]);
    },
  );

  it.each([
    [{ labelSelector: 'app=x' }, ['c']],
    [{ labelSelector: 'app==x' }, ['c']],
    [{ labelSelector: 'app in (x, y)' }, ['c']],
    [{ labelSelector: 'app' }, ['c']],
    [{ labelSelector: '!nope,app' }, ['c']],
    [{ labelSelector: '!nope', fieldSelector: 'metadata.name=a' }, ['b', 'c']],
    [{ labelSelector: 'app!=x', fieldSelector: 'metadata.namespace=shop,metadata.name==c' }, ['a', 'b']],
    [{ labelSelector: 'app=' }, ['a', 'b', 'c']],
    [{ labelSelector: 'app>5' }, ['a', 'b', 'c']],
  ])(
    'needs nothing beside a selector that restricts, and refuses {all: true} beside it: %j',
    async (selection, left) => {
      const { maps, sent, names } = await place();
      expect(
        isInformerError(await refusalOf(() => maps.deleteCollection({ ...selection, all: true })), 'argument'),
      ).toBe(true);
      expect([sent.length, names()]).toEqual([0, ['a', 'b', 'c']]);
      await maps.deleteCollection(selection);
      expect([sent.length, names()]).toEqual([1, left]);
    },
  );

  it('refuses to delete all objects without {all: true}', async () => {
    const { maps, sent } = await place();
    const selections = [
      undefined,
      {},
      { labelSelector: '' },
      { fieldSelector: '' },
      { labelSelector: ' ' },
      { all: false },
      { all: 'yes' },
      ...MATCH_ALL_BY_CONTENT,
    ];
    for (const selection of [...selections, { all: true, labelSelector: 'app=x' }]) {
      const error = await refusalOf(() => maps.deleteCollection(selection as never));
      expect([selection, isInformerError(error, 'argument')]).toEqual([selection, true]);
    }
    expect(sent).toEqual([]);
  });

  it('deletes the objects that a selector matches, or all', async () => {
    const { maps, sent, names } = await place();
    await maps.deleteCollection({ labelSelector: 'app=x' }, { propagationPolicy: 'Background', dryRun: true });
    expect(names()).toEqual(['a', 'b', 'c']);
    await maps.deleteCollection({ labelSelector: 'app=x' });
    expect(names()).toEqual(['c']);
    await maps.deleteCollection({ fieldSelector: 'metadata.name=d' });
    expect(names()).toEqual(['c']);
    await maps.deleteCollection({ all: true });
    expect(names()).toEqual([]);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /api/v1/namespaces/shop/configmaps?labelSelector=app%3Dx',
      'DELETE /api/v1/namespaces/shop/configmaps?labelSelector=app%3Dx',
      'DELETE /api/v1/namespaces/shop/configmaps?fieldSelector=metadata.name%3Dd',
      'DELETE /api/v1/namespaces/shop/configmaps',
    ]);
    expect(JSON.parse(String(sent[0]?.body))).toMatchObject({ propagationPolicy: 'Background', dryRun: ['All'] });
  });
});

describe('a missing or superfluous namespace', () => {
  it('is named in the error of a Secret, which is not reported as absent', async () => {
    const { client } = await place();
    const secrets = client.resource({ group: '', version: 'v1', resource: 'secrets' });
    for (const attempt of [() => secrets.get('a'), () => secrets.patch('a', {}, { type: 'merge' })]) {
      const error = await refusalOf(attempt);
      expect(String(error)).toContain('secrets are namespaced, and no namespace was given');
      expect(JSON.stringify(error)).not.toContain('"name":"a"');
    }
  });

  it('is named in the error of a namespaced type', async () => {
    const { client } = await place();
    const maps = client.resource(CONFIG_MAPS);
    const attempts = [() => maps.get('a'), () => maps.patch('a', {}, { type: 'merge' }), () => maps.delete('a')];
    for (const attempt of [
      ...attempts,
      () => maps.update({ metadata: { name: 'a' } }),
      () => maps.create({ metadata: { name: 'z' } }),
    ]) {
      const error = await refusalOf(attempt);
      expect(String(error)).toContain('configmaps are namespaced, and no namespace was given');
      expect(isInformerError(error) && error.hint).toContain('namespace');
    }
  });

  it('is named in the error of a cluster-scoped type, for informers too', async () => {
    const { client } = await place();
    const nodes = client.resource(NODES, { namespace: 'shop' });
    for (const attempt of [() => nodes.get('n1'), () => nodes.list(), () => nodes.watch()]) {
      const error = await refusalOf(attempt);
      expect([String(error), isNotFound(error)]).toEqual([
        expect.stringContaining('nodes are cluster-scoped, and were asked for in the namespace "shop"'),
        true,
      ]);
    }
  });

  it('leaves other errors with the text of the server, also when discovery fails', async () => {
    const { maps, transport, sandbox } = await place();
    expect(String(await refusalOf(() => maps.get('missing')))).toContain('configmaps "missing" not found');
    for (const path of [/^\/api$/, /^\/apis$/])
      sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { path } });
    const client = createClient(transport);
    expect(String(await refusalOf(() => client.resource(CONFIG_MAPS).get('a')))).toContain(
      'could not find the requested resource',
    );
  });
});

it('a refusal of the server has another code than a broken connection', async () => {
  const { maps, sandbox } = await place();
  sandbox.faults.add({ fault: { kind: 'status', code: 403 } });
  expect(await refusalOf(() => maps.get('a'))).toMatchObject({ code: 'api', statusCode: 403 });
  sandbox.faults.add({ fault: { kind: 'refuse' } });
  expect(await refusalOf(() => maps.get('a'))).not.toMatchObject({ code: 'api' });
});

describe('an option that is unknown is refused before anything is sent', () => {
  const slip = (options: object) => options as never;
  it.each<[string, (api: ResourceApi) => unknown]>([
    ['list', (api) => api.list(slip({ selector: 'app=x' }))],
    ['list, a text', (api) => api.list(slip('app=x' as never))],
    ['get', (api) => api.get('a', slip({ subresorce: 'status' }))],
    ['create', (api) => api.create(map('d'), slip({ dryrun: true }))],
    ['update', (api) => api.update(map('a', { new: 'label' }), slip({ dryrun: true }))],
    ['patch', (api) => api.patch('a', { data: { x: '2' } }, slip({ type: 'merge', dryrun: true }))],
    ['delete', (api) => api.delete('a', slip({ dryrun: true }))],
    ['deleteCollection', (api) => api.deleteCollection({ labelSelector: 'app=x' }, slip({ dryrun: true }))],
    [
      'deleteCollection, among the selectors',
      (api) => api.deleteCollection(slip({ labelSelector: 'app=x', dryRun: true })),
    ],
  ])('%s', async (_, attempt) => {
    const { maps, sent, names } = await place();
    const error = await refusalOf(() => attempt(maps));
    expect(isInformerError(error, 'argument') && error.message).toMatch(/ has no option |takes an object of options/);
    expect(sent).toEqual([]);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('client.resource, whose type would be read in all namespaces', async () => {
    const { client } = await place();
    for (const options of ['shop', { ns: 'shop' }, { Namespace: 'shop' }]) {
      expect(() => client.resource(CONFIG_MAPS, options as never)).toThrow(
        /resource (?:has no option|takes an object of options)/,
      );
    }
  });
});
