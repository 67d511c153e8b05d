import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createController } from '../../../src/controller/controller.ts';
import { enqueueOwner, type OwnerType } from '../../../src/controller/sources/enqueue.ts';
import { createInformerSource, type WatchedInformer } from '../../../src/controller/sources/informer-source.ts';
import { namingOthers, ServedOwner } from '../../../src/controller/sources/served-owner.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type InProcess, inProcess, through } from '../../support/in-process.ts';
import { ODD_OWNER_REFERENCES } from '../../support/odd-owner-references.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

function child(name: string, apiVersion: string, kind: string, owner: string): object {
  const ownerReferences = [{ apiVersion, kind, name: owner, uid: `uid-${owner}` }];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop', ownerReferences } };
}

function crd(scope: 'Namespaced' | 'Cluster'): object {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'fleets.shop.example' },
    spec: {
      group: 'shop.example',
      scope,
      names: { kind: 'Fleet', plural: 'fleets', singular: 'fleet' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** A controller over ConfigMaps that runs their owners, what it logs and what it runs. */
function running({ clock, client }: Pick<InProcess, 'clock' | 'client'>, owner: OwnerType, bare = false) {
  const stop = new AbortController();
  const lines: string[] = [];
  const runs: string[] = [];
  const logger = createLogger((level, message, { error, hint, seen }) => {
    if (level === 'warn' || level === 'error')
      lines.push(`${level} ${[message, error, hint, seen].filter(Boolean).join('; ')}`);
  });
  const factory = dynamicInformerFactory(client, { clock });
  const { informer } = factory.forResource(CONFIG_MAPS);
  const watched: WatchedInformer<UnknownObject> = bare ? { addHandler: informer.addHandler.bind(informer) } : informer;
  const controller = createController({
    name: 'fleets',
    clock,
    logger,
    cacheSyncTimeoutMs: 60_000,
    sources: [createInformerSource(watched, { name: 'children', enqueue: enqueueOwner(owner) })],
    reconcile: ({ key }) => void runs.push(key),
  });
  const run = controller.run(stop.signal).catch((error) => error);
  factory.start(stop.signal);
  const end = async () => {
    stop.abort();
    await run;
    await factory.shutdown();
  };
  return { lines, runs, run, end };
}

it('a kind of owners that the server does not serve is named with the nearest one, and fails the start of the controller', async () => {
  await using cluster = await inProcess({ objects: [child('a', 'apps/v1', 'Deployment', 'web')] });
  const { lines, run, end } = running(cluster, { group: 'apps', kind: 'Deploymant' });
  await settled();
  const named = 'the server serves no kind Deploymant in the group apps';
  expect(lines).toEqual([`warn the owners of a source are not known; ${named}; did you mean Deployment?`]);
  await cluster.clock.advance(60_000);
  expect(await run).toMatchObject({ code: 'sync', hint: expect.stringContaining(named) });
  expect(lines).toHaveLength(1);
  await end();
});

it('a kind in another group than the one of enqueueOwner is named with its group', async () => {
  await using cluster = await inProcess();
  const { lines, end } = running(cluster, { group: '', kind: 'Deployment' });
  await settled();
  expect(lines).toEqual([
    'warn the owners of a source are not known; the server serves no kind Deployment in the core group; did you mean Deployment of apps?',
  ]);
  await end();
});

it('a source waits for the CRD of its owners, and then runs those that are there', async () => {
  await using cluster = await inProcess({ objects: [child('a', 'shop.example/v1', 'Fleet', 'north')] });
  const { runs, end } = running(cluster, { group: 'shop.example', kind: 'Fleet' });
  await settled();
  cluster.sandbox.apply(crd('Namespaced'));
  await cluster.clock.advance(40_000);
  expect(runs).toEqual(['shop/north']);
  await end();
});

it('the scope of the owners is the one that the server has, whatever enqueueOwner says', async () => {
  await using cluster = await inProcess({
    objects: [crd('Cluster'), child('a', 'shop.example/v1', 'Fleet', 'north')],
  });
  const { lines, runs, end } = running(cluster, { group: 'shop.example', kind: 'Fleet', namespaced: true });
  await cluster.clock.advance(1_000);
  expect(runs).toEqual(['north']);
  expect(lines).toEqual([]);
  await end();
});

it('without an answer of discovery the owners are taken as they are written, with a warning', async () => {
  await using cluster = await inProcess({ objects: [child('a', 'shop.example/v1', 'Fleet', 'north')] });
  const broken = through(cluster.transport, async (request, send) => {
    if (/^\/apis?$/.test(request.path)) throw new Error('no discovery here');
    return send(request);
  });
  const client = createClient(broken, { clock: cluster.clock });
  const { lines, runs, end } = running({ ...cluster, client }, { group: 'shop.example', kind: 'Fleet' });
  await cluster.clock.advance(40_000);
  expect(runs).toEqual(['shop/north']);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^warn the owners of a source are taken as enqueueOwner names them; .*discover/);
  await end();
});

it('a source whose server is not known names once that its objects have other owners', async () => {
  await using cluster = await inProcess({
    objects: [child('a', 'apps/v1', 'Deployment', 'web'), child('b', 'apps/v1', 'Deployment', 'web')],
  });
  const { lines, end } = running(cluster, { group: 'apps', kind: 'Deploymant' }, true);
  await settled();
  const expected = [
    'warn no object of a source has an owner of the type of enqueueOwner; did you mean Deployment?; Deployment.apps',
  ];
  expect(lines).toEqual(expected);
  cluster.sandbox.apply(child('c', 'apps/v1', 'Deployment', 'web'));
  await settled();
  expect(lines).toEqual(expected);
  await end();
});

/** A search for `owner` in what a server answers, each time with these groups unread; the times of the questions. */
function searching(owner: OwnerType, unread: (asked: number) => readonly string[], kinds: readonly string[] = []) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const askedAt: number[] = [];
  const lines: string[] = [];
  const start = clock.monotonic();
  const served = new ServedOwner(owner, {
    snapshot: async () => {
      askedAt.push(clock.monotonic() - start);
      const failures = unread(askedAt.length).map((group) => ({ group }));
      const types = kinds.map((kind) => ({ kind, namespaced: false, gvr: { ...CONFIG_MAPS, group: owner.group } }));
      return { types: types as never, failures };
    },
    invalidate: async () => {},
    resolve: async () => expect.fail('no word is asked for'),
  });
  const logger = createLogger((_, message) => void lines.push(message));
  const found = served.find({ signal: stop.signal, clock, logger }).catch(() => undefined);
  return { clock, askedAt, lines, found, served, stop: () => stop.abort() };
}

it('a kind that is not served is asked for twice at once, and then less and less often, at least every 30 s', async () => {
  const { clock, askedAt, served, found, stop } = searching({ group: 'apps', kind: 'Fleet' }, () => []);
  await clock.advance(100_000);
  expect(askedAt.map((ms) => ms / 1000)).toEqual([0, 0, 1, 3, 7, 15, 31, 61, 91]);
  expect(served.missing?.message).toBe('the server serves no kind Fleet in the group apps');
  stop();
  expect(await found).toBeUndefined();
});

it('a kind that is served later is not missing any more', async () => {
  const types: string[] = [];
  const { clock, served, found } = searching({ group: 'apps', kind: 'Fleet' }, () => [], types);
  await clock.advance(5_000);
  expect(served.missing).toBeDefined();
  types.push('Fleet');
  await clock.advance(5_000);
  expect(await found).toMatchObject({ kind: 'Fleet' });
  expect(served.missing).toBeUndefined();
});

it('four answers that fail are asked again, the fifth is not', async () => {
  const owner = { group: 'apps', kind: 'Fleet' };
  const four = searching(owner, (asked) => (asked <= 4 ? ['apps/v1'] : []), ['Fleet']);
  await four.clock.advance(60_000);
  expect(await four.found).toEqual({ ...owner, namespaced: false });
  expect([four.askedAt.length, four.lines]).toEqual([5, []]);
  const five = searching(owner, (asked) => (asked <= 5 ? ['apps/v1'] : []), ['Fleet']);
  await five.clock.advance(60_000);
  expect(await five.found).toBe(owner);
  expect([five.askedAt.length, five.lines]).toEqual([5, [expect.stringContaining('are taken as enqueueOwner names')]]);
});

it.each([
  ['apps', 'apps', true],
  ['apps', 'apps/v1', true],
  ['apps', 'apis', true],
  ['apps', 'apps.example.com/v1', false],
  ['apps', 'core', false],
  ['', 'core', true],
  ['', 'apis', false],
  ['', 'apps/v1', false],
])('an owner of the group %j is not known while discovery cannot read %s: %s', async (group, part, isUnknown) => {
  const { clock, found, lines } = searching({ group, kind: 'Fleet' }, () => [part], ['Fleet']);
  await clock.advance(60_000);
  expect(await found).toMatchObject({ group, kind: 'Fleet' });
  expect(lines).toHaveLength(isUnknown ? 1 : 0);
});

it('owners of other types are named when the initial list is complete, not before, and not beside one of the right type', () => {
  const naming = () => {
    const lines: string[] = [];
    const logger = createLogger((_, message) => void lines.push(message));
    const own = namingOthers({ group: 'apps', kind: 'Deployment' }, { logger, isServed: true });
    const add = (kind: string) => [
      ...own.enqueue({
        type: 'added',
        key: 'shop/a',
        object: child('a', 'apps/v1', kind, 'web') as never,
        cause: 'initial',
      }),
    ];
    return { ...own, lines, add };
  };
  const others = naming();
  others.add('ReplicaSet');
  expect(others.lines).toEqual([]);
  others.synced();
  expect(others.lines).toHaveLength(1);
  const mixed = naming();
  expect([mixed.add('ReplicaSet'), mixed.add('Deployment'), mixed.add('ReplicaSet')]).toEqual([[], ['shop/web'], []]);
  mixed.synced();
  expect(mixed.lines).toEqual([]);
});

it.each(ODD_OWNER_REFERENCES)('an object with ownerReferences: %j names no owner and stops nothing', (odd) => {
  const lines: unknown[] = [];
  const logger = createLogger((level, message, { seen }) => void lines.push([level, message, seen]));
  const { enqueue, synced } = namingOthers({ group: 'apps', kind: 'Deployment' }, { logger, isServed: true });
  const object = (ownerReferences: unknown) =>
    ({ metadata: { name: 'web-1', namespace: 'shop', resourceVersion: '1', ownerReferences } }) as never;
  const added = (ownerReferences: unknown) => [
    ...enqueue({ type: 'added', key: 'shop/web-1', object: object(ownerReferences), cause: 'watch' }),
  ];
  synced();
  expect(added(odd)).toEqual([]);
  expect(lines).toEqual([]);
  expect(added([{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u' }])).toEqual([]);
  expect(lines).toEqual([
    ['info', 'no object of a source has an owner of the type of enqueueOwner', 'ReplicaSet.apps'],
  ]);
});

it('a search for owners that is ended asks the server no more', async () => {
  let asked = 0;
  const served = { snapshot: () => new Promise(() => {}), invalidate: async () => void asked++, resolve: () => {} };
  const owner = new ServedOwner({ group: 'shop.example', kind: 'Fleet' } as OwnerType, served as never);
  const stop = new AbortController();
  const found = owner.find({ signal: stop.signal, clock: new FakeClock(), logger: createLogger(() => {}) });
  const reason = new Error('the controller ends');
  stop.abort(reason);
  await expect(found).rejects.toBe(reason);
  expect(asked).toBe(0);
});
