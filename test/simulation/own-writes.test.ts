import { describe, expect, it } from 'vitest';
import { type OwnWriteSimulation, simulateOwnWrites } from './own-writes.ts';

const SEEDS = Number(process.env.OWN_WRITES_SEEDS ?? 40);
const FIRST = Number(process.env.OWN_WRITES_FIRST ?? 1);
const STEPS = 25;
const AT_A_TIME = 10;

describe('a controller over caches that lag, break, are listed again and come from a restored server', () => {
  const runs: OwnWriteSimulation[] = [];

  it.each(Array.from({ length: SEEDS / AT_A_TIME }, (_, i) => FIRST + i * AT_A_TIME))(
    `never makes a child twice, and leaves no key waiting, ${AT_A_TIME} seeds from %s on`,
    async (first) => {
      for (let seed = first; seed < first + AT_A_TIME; seed++) runs.push(await simulateOwnWrites(seed, STEPS));
    },
    120_000,
  );

  it('waits no longer than the caches lag', () => {
    const quiet = runs.filter(({ isDisturbed, lost }) => !isDisturbed && lost === 0);
    const over = quiet.flatMap(({ waits, lagMs }) => waits.map((ms) => ms - lagMs)).sort((a, b) => a - b);
    expect(over.length).toBeGreaterThan(SEEDS);
    expect(over[Math.floor(over.length * 0.99)]).toBeLessThanOrEqual(0);
    expect(quiet.every(({ givenUp }) => givenUp === 0)).toBe(true);
    expect(runs.some(({ isUnordered, waits }) => isUnordered && waits.length > 0)).toBe(true);
    expect(runs.some(({ terms, lost }) => terms > 0 && lost > 0)).toBe(true);
  });
});
