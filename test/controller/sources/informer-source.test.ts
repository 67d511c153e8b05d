import { expect, it } from 'vitest';
import { createController } from '../../../src/controller/controller.ts';
import type { ReconcileRequest } from '../../../src/controller/reconciler.ts';
import type { ResourceEvent } from '../../../src/controller/resource-event.ts';
import { createInformerSource, informerEvents } from '../../../src/controller/sources/informer-source.ts';
import { generationChanged } from '../../../src/controller/sources/predicate.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { inProcess } from '../../support/in-process.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

function web(name: string, replicas = 1, labels: Record<string, string> = {}) {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  const spec = { replicas, selector: { matchLabels: { app: name } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'shop', labels }, spec };
}

async function setup() {
  const { sandbox, clock, client } = await inProcess({ objects: [web('a'), web('b')] });
  const informer = new SharedInformer<UnknownObject>(client.resource(DEPLOYMENTS), {
    name: 'apps/v1/deployments',
    sync: 'list',
    clock,
    random: () => 0,
  });
  const put = (object: object) => sandbox.apply(object)[0]?.metadata.resourceVersion;
  const versionOf = (name: string) => sandbox.get(DEPLOYMENTS, `shop/${name}`)?.metadata.resourceVersion;
  const remove = (name: string) => {
    sandbox.delete(DEPLOYMENTS, `shop/${name}`);
    return sandbox.resourceVersion;
  };
  return { sandbox, clock, informer, put, remove, versionOf, abort: new AbortController() };
}

it('notifications of an informer become events, those of the initial list with the cause initial', async () => {
  const { sandbox, informer, put, remove, versionOf, abort } = await setup();
  const events: string[] = [];
  const subscription = informerEvents(informer).subscribe(
    ({ type, key, cause, object, oldObject, finalStateUnknown }: ResourceEvent) => {
      const versions = [oldObject, object].map((o) => o?.metadata.resourceVersion ?? '').join('>');
      events.push(`${type} ${key} ${cause} ${versions}${finalStateUnknown ? ' unknown' : ''}`);
    },
  );
  const run = informer.run(abort.signal);
  await subscription.whenSynced();
  const [a, b] = [versionOf('a'), versionOf('b')];
  const [changed, made, gone] = [put(web('a', 2)), put(web('c')), remove('b')];
  await settled();
  expect(events).toEqual([
    `added shop/a initial >${a}`,
    `added shop/b initial >${b}`,
    `updated shop/a watch ${a}>${changed}`,
    `added shop/c watch >${made}`,
    `deleted shop/b watch >${gone}`,
  ]);
  abort.abort();
  await run;
  await sandbox.stop();
});

it('a deletion found by a relist has the last known object, and is queued like any other [HDL-05]', async () => {
  const { sandbox, clock, informer, remove, versionOf, abort } = await setup();
  const events: ResourceEvent[] = [];
  const runs: string[] = [];
  informerEvents(informer).subscribe((event) => events.push(event));
  const controller = createController({
    name: 'deployments',
    clock,
    reconcile: ({ key, gone }) => void runs.push(`${key} ${gone?.metadata.resourceVersion}`),
    sources: [createInformerSource(informer, { name: 'apps/v1/deployments', isPrimary: true })],
  });
  const running = Promise.all([controller.run(abort.signal), informer.run(abort.signal)]);
  await controller.whenSynced();
  await settled();
  const last = versionOf('a');
  runs.splice(0);
  const restarting = sandbox.restart({ downMs: 5000 });
  remove('a');
  await clock.advance(120_000);
  await restarting;
  const deletions = events.filter(({ type }) => type === 'deleted');
  expect(deletions).toMatchObject([
    { key: 'shop/a', object: { metadata: { resourceVersion: last } }, cause: 'relist', finalStateUnknown: true },
  ]);
  expect(runs.filter((run) => run.startsWith('shop/a '))).toEqual([`shop/a ${last}`]);
  abort.abort();
  await running;
  await sandbox.stop();
});

it('a controller over an informer runs after the initial sync, then for every change that passes the predicate', async () => {
  const { sandbox, clock, informer, put, remove, versionOf, abort } = await setup();
  const runs: string[] = [];
  const reconcile = ({ key, causes, gone }: ReconcileRequest) => {
    runs.push(
      `${key} ${causes.map((c) => c.reason)} ${informer.lister.get(key)?.metadata.resourceVersion ?? gone?.metadata.resourceVersion}`,
    );
  };
  const controller = createController({
    name: 'deployments',
    clock,
    reconcile,
    sources: [
      createInformerSource(informer, { name: 'apps/v1/deployments', isPrimary: true, predicate: generationChanged }),
    ],
  });
  const running = Promise.all([controller.run(abort.signal), informer.run(abort.signal)]);
  await controller.whenSynced();
  await settled();
  const first = [`shop/a added ${versionOf('a')}`, `shop/b added ${versionOf('b')}`];
  put(web('b', 1, { only: 'a-label' }));
  await settled();
  expect(runs).toEqual(first);
  const [changed, gone] = [put(web('a', 2)), remove('b')];
  await settled();
  expect(runs.slice(2)).toEqual([`shop/a updated ${changed}`, `shop/b deleted ${gone}`]);
  abort.abort();
  await running;
  await sandbox.stop();
  expect(clock.pending).toBe(0);
  expect(informer.handlerCount).toBe(0);
});

it('a controller says after a second which informer of its sources does not run, and not if it was only started later', async () => {
  const { informer, clock } = await setup();
  const lines: string[] = [];
  const logger = createLogger(
    (level, message, { source, next }) =>
      void (level !== 'info' && lines.push(`${level} ${message}: ${source}; ${next}`)),
  );
  const stop = new AbortController();
  const controller = (name: string) =>
    createController({
      name,
      clock,
      logger,
      sources: [createInformerSource(informer, { name })],
      reconcile: async () => {},
    });
  const running = controller('forgotten').run(stop.signal);
  await clock.advance(999);
  expect(lines).toEqual([]);
  await clock.advance(1);
  expect(lines).toEqual([
    'warn the informer of a source does not run, so the controller waits: forgotten; add its factory to the manager, or call start(signal) of the factory',
  ]);
  lines.length = 0;
  const second = controller('later').run(stop.signal);
  const run = informer.run(stop.signal);
  await clock.advance(5_000);
  expect(lines).toEqual([]);
  stop.abort();
  await Promise.all([running, second, run]);
  expect(clock.pending).toBe(0);
});

it('a source has the trouble of its informer', async () => {
  const { informer } = await setup();
  const source = createInformerSource(informer, { name: 'apps/v1/deployments' });
  expect(source.trouble?.()).toContain('it has not been started');
});
