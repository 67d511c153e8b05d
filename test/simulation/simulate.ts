import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { StoreKind } from '../../src/informer/compact/compact-store.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { DISTURBANCES, type Disturbance, disturb } from './disturbances.ts';
import { Invariants } from './invariants.ts';
import { operate } from './operations.ts';
import { pick } from './random.ts';
import { World } from './world.ts';

export interface Simulation {
  readonly seed: number;
  readonly steps: number;
  /** Everything that happened, one line each, with the time since the start in seconds. */
  readonly trace: readonly string[];
  /** The number of times each disturbance happened. */
  readonly disturbances: ReadonlyMap<Disturbance, number>;
  readonly relists: number;
  readonly resumes: number;
  readonly notifications: number;
  /** The number of streams that died without a sign and were noticed in time, without any other disturbance. */
  readonly noticed: number;
  /** The number of times a source noticed that the server's history had been replaced. */
  readonly replaced: number;
}

/** A rule that did not hold, and the command to repeat the run. `trace` is what led to it. */
export class SimulationError extends Error {
  readonly trace: readonly string[];

  constructor(seed: number, steps: number, trace: readonly string[], cause: unknown, store: StoreKind = 'objects') {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(
      `${what}\nreplay: npm run simulate -- --seed ${seed} --steps ${steps}${store === 'objects' ? '' : ` --store ${store}`}`,
      {
        cause,
      },
    );
    this.trace = trace;
  }
}

const DISTURBED = 0.2;

/**
 * Runs the whole core, from HTTP bodies to handlers, against the in-process sandbox with a fake clock. Makes random
 * writes and every fault, and checks the invariants after each step. Then waits until nothing happens any more and
 * compares the cache with the server. `onWorld` may attach to the world before anything happens. Uses no socket and no real time: a seed always gives the same trace. Rejects with
 * {@link SimulationError}.
 */
export async function simulate(
  seed: number,
  steps: number,
  store: StoreKind = 'objects',
  onWorld: (world: World) => void = () => {},
): Promise<Simulation> {
  const world = await World.create(seed, { store });
  try {
    onWorld(world);
    const simulation = await run(world, seed, steps).finally(() => world.stop());
    checkLeftovers(world);
    return simulation;
  } catch (error) {
    throw new SimulationError(seed, steps, world.trace, error, store);
  }
}

/** Everything that ran must have released its resources. */
function checkLeftovers({ clock, tap, controller }: World): void {
  assert.equal(clock.pending, 0, 'timers are left');
  assert.equal(tap.open, 0, 'connections are left');
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0, 'listeners are left');
}

async function run(world: World, seed: number, steps: number): Promise<Simulation> {
  const random = seededRandom(seed + 3);
  const invariants = new Invariants(world);
  const disturbances = new Map<Disturbance, number>(DISTURBANCES.map((kind) => [kind, 0]));
  for (let step = 0; step < steps; step++) {
    for (let i = Math.floor(random() * 4); i > 0; i--) world.note(await operate(world, random));
    if (random() < 0.2) world.takeSnapshot();
    if (random() < DISTURBED) {
      await world.clock.advance(0); // pending data arrives
      const [kind, line] = disturb(world, random);
      disturbances.set(kind, (disturbances.get(kind) ?? 0) + 1);
      world.note(`disturbed: ${line}`);
    }
    if (random() < 0.1) world.note(world.receive(pick(random, ['buffer', 'block'] as const)));
    await world.clock.advance(Math.floor(random() ** 3 * 20_000));
    invariants.check();
  }
  await quieten(world, invariants);
  const [relists, resumes] = [sum(world, 'relists'), sum(world, 'resumes')];
  const { noticed, replaced } = invariants;
  return {
    seed,
    steps,
    trace: [...world.trace],
    disturbances,
    relists,
    resumes,
    notifications: world.notifications.length,
    noticed,
    replaced,
  };
}

const sum = ({ informer }: World, what: 'relists' | 'resumes') =>
  informer.continuity.reduce((n, ledger) => n + ledger[what], 0);

/** Ends all faults and writes, and waits long enough for every pause and every silence. */
async function quieten(world: World, invariants: Invariants): Promise<void> {
  world.sandbox.faults.clear();
  world.tap.toSpoil = 0;
  world.tap.heal();
  if (world.halfOpen) world.halfOpen = { ...world.halfOpen, deafUntil: world.clock.monotonic() };
  await world.clock.advance(60_000); // a restart or a deletion may be running
  if (!world.isServed) world.toggleDefinition();
  world.note('quiet');
  for (let minute = 0; minute < 12; minute++) await pass(world, invariants, 60_000);
  const { length } = world.continuity;
  for (let minute = 0; minute < 6; minute++) await pass(world, invariants, 60_000);
  while (world.slow.depth > 0) await pass(world, invariants, 300); // a resync may have just started
  invariants.checkPeace(length);
  invariants.checkQuiet();
}

async function pass({ clock }: World, invariants: Invariants, ms: number): Promise<void> {
  await clock.advance(ms);
  invariants.check();
}
