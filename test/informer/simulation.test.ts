import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/http/transport.ts';
import type { SharedInformerOptions } from '../../src/informer/informer-options.ts';
import { type RandomSource, seededRandom } from '../../src/kit/random.ts';
import type { Fault } from '../../src/sandbox/index.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess, through } from '../support/in-process.ts';
import { scriptedBytes } from '../support/scripted-bytes.ts';
import { invalid } from '../support/scripted-events.ts';
import { SharedInformer } from '../support/store-under-test.ts';

// RandomSource faults of all kinds are in test/simulation. These tests need a server that keeps its history, or two servers.

const STEPS = 150;
const NAMESPACES = ['a', 'b'];

const pick = <V>(random: RandomSource, values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;

const versionOf = (o: { metadata: { readonly resourceVersion?: string } }) => o.metadata.resourceVersion ?? '';

/** The answer of an old server to a request for a streaming list. */
const noStreaming = scriptedBytes(() => ({ status: 422, body: invalid() }));

/** A running informer over all config maps. `isOld`: the server has no streaming lists. */
async function begin(random: RandomSource, options: SharedInformerOptions<ConfigMap>, { isOld = false } = {}) {
  const { sandbox, clock, transport } = await inProcess();
  const client = createClient(
    through(transport, (request, send) =>
      isOld && request.path.includes('sendInitialEvents') ? noStreaming.request(request) : send(request),
    ),
    { clock },
  );
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < 5; i++) maps.put(`${pick(random, NAMESPACES)}/p${i}`);
  const informer = new SharedInformer<ConfigMap>(client.resource(CONFIG_MAPS), {
    clock,
    random,
    freeze: true,
    indexers: { node: (o) => [o.data?.node ?? ''] },
    ...options,
  });
  const handler = createRecordingHandler<ConfigMap>();
  informer.addHandler(handler, { policy: pick(random, ['buffer', 'block'] as const) });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  const stop = async () => {
    controller.abort();
    await running;
    await sandbox.stop();
    expect(clock.pending).toBe(0);
  };
  return { sandbox, maps, informer, clock, handler, stop };
}

/** Writes something at random. Returns the events that a watch should bring. */
function operate(sandbox: Sandbox, maps: ConfigMaps, random: RandomSource): string[] {
  const key = `${pick(random, NAMESPACES)}/p${Math.floor(random() * 6)}`;
  const before = sandbox.resourceVersion;
  if (maps.has(key) && random() < 0.4) maps.delete(key);
  else maps.put(key, pick(random, ['n1', 'n2', 'n3']));
  return sandbox.resourceVersion === before ? [] : [`${key}@${sandbox.resourceVersion}`];
}

/** Faults that break a connection or a request, but lose no history. */
const HARMLESS: readonly Fault[] = [
  { kind: 'cut', after: 1 },
  { kind: 'stall', after: 1 },
  { kind: 'truncate', after: 2 },
  { kind: 'refuse' },
  { kind: 'status', code: 429, retryAfterSeconds: 2 },
  { kind: 'duplicate' },
];

describe('without faults that lose history', () => {
  it.each(Array.from({ length: 15 }, (_, i) => i + 101))(
    'seed %s: nothing is relisted and every change is reported',
    async (seed) => {
      const random = seededRandom(seed);
      const isOld = seed % 3 === 0;
      const sync = isOld ? 'stream' : pick(random, ['stream', 'list', 'pages', 'auto'] as const);
      const options = { sync, pageSize: pick(random, [0, 2, 3]) };
      const { sandbox, maps, informer, clock, handler, stop } = await begin(random, options, { isOld });
      await clock.advance(60_000);
      const made: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        for (let i = Math.floor(random() * 4); i > 0; i--) made.push(...operate(sandbox, maps, random));
        if (random() < 0.15) {
          sandbox.faults.add({ fault: pick(random, HARMLESS), match: { watch: true } });
          await sandbox.restart({ keepHistory: true });
        }
        await clock.advance(Math.floor(random() * 20_000));
      }
      sandbox.faults.clear();
      for (let minute = 0; minute < 12; minute++) await clock.advance(60_000);
      expect(informer.continuity[0]).toMatchObject({ relists: 0, gapCount: 0 });
      expect(informer.continuity[0]?.resumes).toBeGreaterThan(5);
      const reported = handler.notifications
        .filter((n) => n.cause === 'watch')
        .map((n) => `${n.key}@${versionOf(n.object)}`);
      // an event that comes twice is reported twice
      expect(reported.filter((line, i) => line !== reported[i - 1])).toEqual(made);
      const { lister } = informer;
      expect([...lister.keys()].map((key) => `${key}@${versionOf(lister.require(key))}`).sort()).toEqual(maps.state);
      for (const node of ['n1', 'n2', 'n3']) {
        expect(lister.indexKeys('node', node)).toEqual(
          [...lister.keys()].filter((key) => lister.get(key)?.data?.node === node).sort(),
        );
      }
      await stop();
    },
  );
});

describe('a server that comes back with another history', () => {
  it.each(['stream', 'list', 'pages', 'auto'] as const)(
    'whose versions are lower: a gap and a relist, and no claim that nothing was missed, though nothing changes on it (%s)',
    async (sync) => {
      const clock = new FakeClock();
      const old = await Sandbox.start({ socket: false, clock, seed: 1 });
      const restored = await Sandbox.start({ socket: false, clock, seed: 2 });
      let address: Transport = old.transport();
      const client = createClient(
        through(old.transport(), (request) => address.request(request)),
        { clock },
      );
      const maps = new ConfigMaps(old);
      for (let i = 0; i < 300; i++) maps.put(`a/p${i % 5}`, `n${i}`);
      const informer = new SharedInformer<ConfigMap>(client.resource(CONFIG_MAPS), { clock, sync, random: () => 0 });
      const handler = createRecordingHandler<ConfigMap>();
      informer.addHandler(handler);
      const controller = new AbortController();
      const running = informer.run(controller.signal);
      await clock.advance(1000);
      handler.clear();
      const reported: string[] = [];
      informer.onContinuity((event) => {
        if (event.kind !== 'fault') reported.push('by' in event ? `${event.kind} by ${event.by}` : event.kind);
      });
      for (const key of ['a/p0', 'a/new']) new ConfigMaps(restored).put(key, 'n2');
      expect(Number(restored.resourceVersion)).toBeLessThan(Number(old.resourceVersion));
      address = restored.transport();
      await old.restart(); // breaks what is open; the next request meets the other
      await clock.advance(60_000);
      expect(reported).toEqual(['disconnected', 'gap', 'relisted', 'connected by relist']);
      expect([...informer.lister.keys()].sort()).toEqual(['a/new', 'a/p0']);
      expect(handler.notifications.filter((n) => n.kind === 'deleted')).toHaveLength(4);
      expect(handler.notifications.every((n) => n.cause === 'relist')).toBe(true);
      for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
      expect(informer.continuity[0]).toMatchObject({ gapCount: 1, relists: 1 });
      controller.abort();
      await running;
      await Promise.all([old.stop(), restored.stop()]);
    },
  );
});
