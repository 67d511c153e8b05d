import { describe, expect, it } from 'vitest';
import { DISTURBANCES } from './disturbances.ts';
import { type Simulation, simulate } from './simulate.ts';

const SEEDS = 200;
const STEPS = 60;
const AT_A_TIME = 20;

describe('the whole core under random writes and every fault', () => {
  const runs: Simulation[] = [];

  it.each(Array.from({ length: SEEDS / AT_A_TIME }, (_, i) => 1 + i * AT_A_TIME))(
    `keeps every invariant, ${AT_A_TIME} seeds from %s on`,
    async (first) => {
      for (let seed = first; seed < first + AT_A_TIME; seed++) runs.push(await simulate(seed, STEPS));
    },
    60_000,
  );

  const total = (of: (run: Simulation) => number) => runs.reduce((n, run) => n + of(run), 0);

  it('had every disturbance often, and many more resumed watches than relists', () => {
    for (const kind of DISTURBANCES) {
      expect(
        total(({ disturbances }) => disturbances.get(kind) ?? 0),
        kind,
      ).toBeGreaterThan(SEEDS / 4);
    }
    expect(total((run) => run.relists)).toBeGreaterThan(SEEDS);
    expect(total((run) => run.resumes)).toBeGreaterThan(2 * total((run) => run.relists));
  });

  it('noticed replaced histories, and dead connections within 30 s, in many seeds', () => {
    expect(runs.filter((run) => run.replaced > 0).length).toBeGreaterThan(SEEDS / 4);
    expect(runs.filter((run) => run.noticed > 0).length).toBeGreaterThan(SEEDS / 8);
  });
});

it.each([1, 11, 21, 31])(
  'keeps every invariant with a compact store too, with the same notifications, ten seeds from %s on',
  async (first) => {
    for (let seed = first; seed < first + 10; seed++) {
      const compact = await simulate(seed, STEPS, 'compact');
      expect(compact.trace).toEqual((await simulate(seed, STEPS)).trace);
    }
  },
  60_000,
);

it.each([7, 18])('the same seed gives the same trace, and another seed another one (%s)', async (seed) => {
  const [one, two, other] = [
    await simulate(seed, STEPS),
    await simulate(seed, STEPS),
    await simulate(seed + 100, STEPS),
  ];
  expect(one.trace.length).toBeGreaterThan(100);
  expect(two.trace).toEqual(one.trace);
  expect(other.trace).not.toEqual(one.trace);
});

it('the error of a failed run contains the command to repeat it', async () => {
  const { SimulationError } = await import('./simulate.ts');
  expect(new SimulationError(12, 60, [], new Error('no')).message).toBe(
    'no\nreplay: npm run simulate -- --seed 12 --steps 60',
  );
});
