import { describe, expect, it } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { StoredState } from '../../src/informer/watch/stored-state.ts';
import { type RandomSource, seededRandom } from '../../src/kit/random.ts';
import { keyOf } from '../../src/model/key.ts';
import type { SandboxSnapshot } from '../../src/sandbox/index.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';
import { StateCopy } from '../support/state-copy.ts';
import { pick } from './random.ts';

const SEEDS = 120;
const AT_A_TIME = 20;
const KILLS = 6;
const NAMES = ['a/p0', 'a/p1', 'a/p2', 'b/p3', 'b/p4', 'b/p5'];
const QUIET_MS = 600_000;

interface Counts {
  resumed: number;
  relisted: number;
  replaced: number;
  deleted: number;
}

interface Simulated extends Awaited<ReturnType<typeof inProcess>> {
  readonly maps: ConfigMaps;
  readonly random: RandomSource;
  backup: SandboxSnapshot;
}

/** RandomSource writes, and now and then what breaks a restart: lost history, another etcd, cut and stalled streams. */
async function disturb(world: Simulated): Promise<void> {
  const { maps, sandbox, random } = world;
  for (let i = Math.floor(random() * 5); i > 0; i--) {
    const key = pick(random, NAMES);
    if (random() < 0.4 && maps.has(key)) maps.delete(key);
    if (random() < 0.8) maps.put(key, `n${Math.floor(random() * 1000)}`);
  }
  const chance = random();
  if (chance < 0.15) sandbox.compact();
  else if (chance < 0.25) await sandbox.restart({ keepHistory: random() < 0.5 });
  else if (chance < 0.3) await sandbox.restore(world.backup);
  else if (chance < 0.4) world.backup = sandbox.snapshot();
  else if (chance < 0.55)
    sandbox.faults.add({ fault: { kind: 'stall', after: Math.floor(random() * 4) }, match: { watch: true } });
  else if (chance < 0.7) sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { watch: random() < 0.5 } });
}

const marksOf = (objects: Iterable<ConfigMap>) =>
  new Map([...objects].map((object) => [keyOf(object), `${object.metadata.uid} ${object.metadata.resourceVersion}`]));

/** One run from a stored state, killed at a random moment unless it is the last one. */
async function runOnce(world: Simulated, stored: StoredState<ConfigMap> | undefined, isLast: boolean, counts: Counts) {
  const { client, clock, random } = world;
  const informer = new SharedInformer<ConfigMap>([{ source: client.resource<ConfigMap>(CONFIG_MAPS), stored }], {
    clock,
    random,
    sync: pick(random, ['stream', 'list', 'pages'] as const),
  });
  const copy = new StateCopy(clock, stored);
  informer.onState((change) => copy.take(change));
  // what a person is shown: the net change of each object since the stored state
  const net = new Map<string, { before: ConfigMap | undefined; now: ConfigMap | undefined }>();
  const changed = (key: string, before: ConfigMap | undefined, now: ConfigMap | undefined) => {
    net.set(key, { before: net.has(key) ? net.get(key)?.before : before, now });
  };
  informer.addHandler({
    added: (object, { key, cause }) => {
      if (!(stored && cause === 'initial')) changed(key, undefined, object as ConfigMap);
    },
    updated: (old, object, { key, uidChanged }) => {
      if (uidChanged) counts.replaced++;
      changed(key, old as ConfigMap, object as ConfigMap);
    },
    deleted: (object, { key }) => {
      counts.deleted++;
      changed(key, object as ConfigMap, undefined);
    },
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  for (let steps = 1 + Math.floor(random() * 3); steps > 0; steps--) {
    await disturb(world);
    await clock.advance(Math.floor(random() ** 3 * 30_000));
  }
  if (isLast) await clock.advance(QUIET_MS);
  controller.abort();
  await running;
  const [{ stretches } = { stretches: [] }] = informer.continuity;
  if (stored && stretches.some(({ by, ended }) => by === 'resumed' && ended !== 'gone')) counts.resumed++;
  if (stored && stretches.some(({ by }) => by === 'relist')) counts.relisted++;
  return { informer, state: copy.state, net };
}

/** Kills and restarts a program at random moments, and compares what the last run ends with. */
async function simulateRestarts(seed: number, counts: Counts): Promise<void> {
  const made = await inProcess({ seed });
  const random = seededRandom(seed);
  const world: Simulated = { ...made, maps: new ConfigMaps(made.sandbox), random, backup: made.sandbox.snapshot() };
  for (const key of NAMES.slice(0, 4)) world.maps.put(key);
  let stored: StoredState<ConfigMap> | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    ({ state: stored } = await runOnce(world, stored, false, counts));
    await disturb(world); // while no run watches
    await world.clock.advance(Math.floor(random() * 60_000));
  }
  const before = marksOf(stored?.objects ?? []);
  const { informer, net } = await runOnce(world, stored, true, counts);
  const truth = marksOf(made.sandbox.list(CONFIG_MAPS) as ConfigMap[]);
  expect(informer.hasSynced, `seed ${seed} has synced`).toBe(true);
  expect(marksOf(informer.lister.list() as ConfigMap[]), `cache of seed ${seed}`).toEqual(truth);
  const reported = new Map(before);
  for (const [key, { before: old, now }] of net) {
    const mark = (object: ConfigMap | undefined) =>
      object && `${object.metadata.uid} ${object.metadata.resourceVersion}`;
    if (before.has(key) && old)
      expect(marksOf([old]).get(key)?.split(' ')[0], key).toBe(before.get(key)?.split(' ')[0]);
    const value = mark(now);
    if (value === undefined) reported.delete(key);
    else reported.set(key, value);
  }
  expect(reported, `stored state and reported changes of seed ${seed}`).toEqual(truth);
  await made.sandbox.stop();
  expect(made.clock.pending, 'timers are left').toBe(0);
}

describe('a program that is killed at random moments and begins with its stored state', () => {
  const counts: Counts = { resumed: 0, relisted: 0, replaced: 0, deleted: 0 };

  it.each(Array.from({ length: SEEDS / AT_A_TIME }, (_, i) => 1 + i * AT_A_TIME))(
    `ends with the state of the server, and its reported changes are the true difference, ${AT_A_TIME} seeds from %s on`,
    async (first) => {
      for (let seed = first; seed < first + AT_A_TIME; seed++) await simulateRestarts(seed, counts);
    },
  );

  it('had resumed and repeated lists, deletions and replaced objects in many seeds', () => {
    expect(counts.resumed).toBeGreaterThan(SEEDS);
    expect(counts.relisted).toBeGreaterThan(SEEDS / 2);
    expect(counts.deleted).toBeGreaterThan(SEEDS);
    expect(counts.replaced).toBeGreaterThan(SEEDS / 10);
  });
});
