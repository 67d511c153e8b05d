import { describe, expect, it } from 'vitest';
import { type ControllerSimulation, simulateController } from './controller.ts';

const SEEDS = 200;
const STEPS = 60;
const AT_A_TIME = 20;

describe('a controller under random events, failures, requeues, priorities, releases, drops and shutdowns', () => {
  const runs: ControllerSimulation[] = [];

  it.each(Array.from({ length: SEEDS / AT_A_TIME }, (_, i) => 1 + i * AT_A_TIME))(
    `loses no key, runs none twice at once, starves none, retries as computed and explains each, ${AT_A_TIME} seeds from %s on`,
    async (first) => {
      for (let seed = first; seed < first + AT_A_TIME; seed++) runs.push(await simulateController(seed, STEPS));
    },
    60_000,
  );

  it('had many runs, retries and parked keys', () => {
    const total = (of: (run: ControllerSimulation) => number) => runs.reduce((sum, run) => sum + of(run), 0);
    expect(total((run) => run.runs)).toBeGreaterThan(20 * SEEDS);
    expect(total((run) => run.retries)).toBeGreaterThan(3 * SEEDS);
    expect(total((run) => run.parkings)).toBeGreaterThan(2 * SEEDS);
    expect(Math.max(...runs.map((run) => run.longestWaitMs))).toBeGreaterThan(2_000);
  });
});

it('the same seed gives the same trace', async () => {
  const [one, two, other] = [
    await simulateController(5, 60),
    await simulateController(5, 60),
    await simulateController(6, 60),
  ];
  expect(two.trace).toEqual(one.trace);
  expect(other.trace).not.toEqual(one.trace);
});
