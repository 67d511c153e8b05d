import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { Fault } from '../../src/sandbox/faults/fault.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { CONFIG_MAPS } from './collections.ts';
import { pick, type RandomSource } from './random.ts';
import { keyIn, versionOf } from './world.ts';

const NAMESPACES = ['a', 'b'];

/**
 * A short run over real sockets and in real time, where no two runs are equal. The seed determines what is done, not
 * what results. Only the final state is compared with the server. Rejects with the seed in the message.
 */
export async function simulateOverSockets(seed: number, steps: number, { tls }: { tls: boolean }): Promise<void> {
  const random = seededRandom(seed);
  const sandbox = await Sandbox.start({ seed, tls, bookmarkIntervalMs: 100, historySize: pick(random, [10, 10_000]) });
  sandbox.apply(NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const client = createClient(createConfig({ server: sandbox.url, token: sandbox.token, tls: { ca: sandbox.caPem } }));
  const informer = new SharedInformer<UnknownObject>(client.resource(CONFIG_MAPS.gvr), {
    sync: pick(random, ['stream', 'list', 'pages', 'auto'] as const),
    idleMs: 400,
    backoff: { initialMs: 20, factor: 2, jitter: 1, capMs: 100 },
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  try {
    for (let step = 0; step < steps; step++) await move(sandbox, random);
    sandbox.faults.clear();
    const state = () => stateOf(informer.lister.list());
    const server = stateOf(sandbox.list(CONFIG_MAPS.gvr));
    // a check of the history whose answer a fault holds back waits 10 s for it, and the stream waits for the check
    await eventually(() => state() === server, { timeoutMs: 18_000 });
  } catch (cause) {
    const [cached, there] = [stateOf(informer.lister.list()), stateOf(sandbox.list(CONFIG_MAPS.gvr))];
    const replay = `replay: npm run simulate -- --sockets --seed ${seed} --steps ${steps}`;
    throw new Error(`seed ${seed} over sockets: the cache has ${cached}, the server ${there}\n${replay}`, { cause });
  } finally {
    stop.abort();
    await running;
    await client.close();
    await sandbox.stop();
  }
  assert(informer.isStopped);
}

async function move(sandbox: Sandbox, random: RandomSource): Promise<void> {
  const [namespace, name] = [pick(random, NAMESPACES), `o${Math.floor(random() * 5)}`];
  const key = `${namespace}/${name}`;
  if (sandbox.get(CONFIG_MAPS.gvr, key) && random() < 0.3) sandbox.delete(CONFIG_MAPS.gvr, key);
  else
    sandbox.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data: { n: String(random()) },
    });
  if (random() < 0.2) sandbox.faults.add({ fault: faultOf(random), match: { path: '/configmaps', method: 'GET' } });
  if (random() < 0.05) sandbox.compact();
  if (random() < 0.05) await sandbox.restart({ keepHistory: random() < 0.5 });
  await sleep(Math.floor(random() * 25));
}

function faultOf(random: RandomSource): Fault {
  const after = Math.floor(random() * 3);
  return pick<Fault>(random, [
    { kind: 'cut', after },
    { kind: 'cut', bytes: Math.floor(random() * 800) },
    { kind: 'stall', after },
    { kind: 'truncate', after },
    { kind: 'gone', after },
    { kind: 'status', code: 500 },
    { kind: 'status', code: 429, retryAfterSeconds: 1 },
    { kind: 'status', code: 503 },
    { kind: 'delay', ms: 50 },
    { kind: 'slow', ms: 5 },
    { kind: 'duplicate', after },
    { kind: 'refuse' },
  ]);
}

const stateOf = (objects: readonly Parameters<typeof keyIn>[0][]) =>
  objects
    .map((o) => `${keyIn(o)}@${versionOf(o as Parameters<typeof versionOf>[0])}`)
    .sort()
    .join(' ');
