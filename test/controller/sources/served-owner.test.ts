import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { createController } from '../../../src/controller/controller.ts';
import { enqueueOwner, type OwnerType } from '../../../src/controller/sources/enqueue.ts';
import { createInformerSource, type WatchedInformer } from '../../../src/controller/sources/informer-source.ts';
import { namingOthers } from '../../../src/controller/sources/served-owner.ts';
import { dynamicInformerFactory } from '../../../src/informer/informer-factory.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
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
    if (level !== 'debug') lines.push(`${level} ${[message, error, hint, seen].filter(Boolean).join('; ')}`);
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
