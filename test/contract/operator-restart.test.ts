import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { loadConfig } from '../../src/client/kubeconfig.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { fourChildren, othersThanReads } from '../support/four-children.ts';
import { noting } from '../support/in-process.ts';
import { PARENTS, parentOf } from '../support/wanted-children.ts';

const OWNERS = Number(process.env.OWNERS ?? 40);
const LONGEST_MS = 60_000 + 500 * OWNERS;
const NAMESPACES = parseGvr('v1/namespaces');
const OPTIONS = { qps: -1, logger: silentLogger };

interface Place extends AsyncDisposable {
  readonly client: Client;
}

async function onSandbox(): Promise<Place> {
  const sandbox = await Sandbox.start({});
  const config = createConfig({ server: sandbox.url, token: sandbox.token, tls: { ca: sandbox.caPem } });
  const client = createClient(config, OPTIONS);
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await sandbox.stop();
    },
  };
}

async function onCluster(kubeconfig: string): Promise<Place> {
  const client = createClient(await loadConfig({ kubeconfig }), OPTIONS);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const PLACES: [string, () => Promise<Place>][] = [['the sandbox over TLS', onSandbox]];
const kubeconfig = process.env.TEST_KUBECONFIG;
if (kubeconfig) PLACES.push(['the cluster of TEST_KUBECONFIG', () => onCluster(kubeconfig)]);

describe.each(PLACES)('an operator over objects with four children each, on %s', (_, open) => {
  const namespace = `restart-${process.pid}`;
  let place: Place;
  beforeAll(async () => {
    place = await open();
    await place.client
      .resource(NAMESPACES)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await atOnce((name) =>
      place.client.resource(PARENTS, { namespace }).create(parentOf(name, {}, namespace) as never),
    );
  }, LONGEST_MS);
  afterAll(async () => {
    const patch = { metadata: { finalizers: null } };
    await atOnce((name) => place.client.resource(PARENTS, { namespace }).patch(name, patch, { type: 'merge' }));
    await place.client.resource(NAMESPACES).delete(namespace);
    await place[Symbol.asyncDispose]();
  }, LONGEST_MS);

  /** Runs the operator until it has seen all owners, and a little longer. */
  async function run() {
    const sent: { method: string; path: string }[] = [];
    const client = createClient(noting(place.client.transport, sent as never), { logger: silentLogger });
    const factory = dynamicInformerFactory(client, { namespaces: [namespace] });
    const { controller, done, results } = fourChildren(client, factory, { workers: 32 });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    factory.start(stop.signal);
    await eventually(() => done.size === OWNERS && controller.snapshot().counts.queued === 0, {
      timeoutMs: LONGEST_MS,
    });
    stop.abort();
    await running;
    await factory.shutdown();
    return { sent, results: [...results].sort(), done: done.size };
  }

  it(
    'sends nothing but its lists and watches when it is started again',
    async () => {
      expect((await run()).results).toContain('created');
      const { sent, results, done } = await run();
      expect([othersThanReads(sent), results, done]).toEqual([[], ['unchanged'], OWNERS]);
    },
    3 * LONGEST_MS,
  );

  /** Calls `work` for each owner, a few at a time. */
  async function atOnce(work: (name: string) => Promise<unknown>): Promise<void> {
    const names = Array.from({ length: OWNERS }, (_, i) => `owner-${i}`)[Symbol.iterator]();
    const worker = async () => {
      for (const name of names) await work(name);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }
});
