// Tests a controller: a sandbox in-process, and one fake clock for the server, the cache and the controller. A whole
// day takes milliseconds.
//   node examples/controller-test.ts        (or: node --test examples/)
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Client,
  type Clock,
  type Controller,
  createClient,
  createController,
  createInformerSource,
  dynamicInformerFactory,
  parseGvr,
  silentLogger,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { FakeClock } from 'kubectl-informer/testing';

const CONFIG_MAPS = parseGvr('v1/configmaps');

/** The code under test: deletes ConfigMaps whose time, in hours by a label, is over. */
function createExpiry(
  client: Client,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): { controller: Controller; ended: Promise<unknown> } {
  const factory = dynamicInformerFactory(client, { clock, listOptions: { labelSelector: 'expires-in-hours' } });
  const { informer, lister } = factory.forResource(CONFIG_MAPS);
  const controller = createController({
    name: 'expiry',
    clock,
    logger: silentLogger, // the test makes a delete fail: without this stderr says so
    sources: [createInformerSource(informer, { name: 'configmaps', isPrimary: true })],
    reconcile: async ({ key, namespace, name }) => {
      const metadata = lister.get(key)?.metadata;
      if (!metadata) return {};
      const hours = Number(metadata.labels?.['expires-in-hours']);
      const leftMs = Date.parse(metadata.creationTimestamp ?? '') + hours * 3_600_000 - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await client.resource(CONFIG_MAPS, { namespace }).delete(name);
      return {};
    },
  });
  factory.start(signal);
  return { controller, ended: controller.run(signal).then(() => factory.shutdown()) };
}

test('a ConfigMap goes when its hours are over, also when the first try to delete it fails', async () => {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock });
  const client = createClient(sandbox.transport(), { clock });
  const stop = new AbortController();
  const { controller, ended } = createExpiry(client, { clock, signal: stop.signal });
  await controller.whenSynced();

  const labels = { 'expires-in-hours': '24' };
  sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cache', namespace: 'shop', labels } });
  sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { method: 'DELETE' } });

  await clock.advance(23 * 3_600_000);
  assert.ok(sandbox.get(CONFIG_MAPS, 'shop/cache'), 'it is there after 23 hours');
  await clock.advance(2 * 3_600_000);
  assert.equal(sandbox.get(CONFIG_MAPS, 'shop/cache'), undefined, 'it is gone after 25');
  assert.deepEqual(
    sandbox.requests.matching('/configmaps/cache').map(({ method, status }) => `${method} ${status}`),
    ['DELETE 500', 'GET 200', 'DELETE 200'], // a 500 does not say whether it was done, so the controller looks
  );

  stop.abort();
  await ended;
  await sandbox.stop();
  assert.equal(clock.pending, 0, 'no timer is left');
});
