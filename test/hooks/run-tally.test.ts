import { expect, test } from 'vitest';
import { RunTally } from '../../src/hooks/run-tally.ts';

const context = {} as never;

async function tallied(...outcomes: boolean[]): Promise<string> {
  const tally = new RunTally();
  for (const isFine of outcomes) {
    const run = tally.counting(async () => {
      if (!isFine) throw new Error('no');
      return { requeueAfter: 5 } as never;
    });
    const ended = await Promise.resolve(run({ key: 'a/b' } as never, context)).catch((error: Error) => error.message);
    expect(ended).toEqual(isFine ? { requeueAfter: 5 } : 'no');
  }
  return tally.line('ended by SIGINT', 303_000);
}

test.each<[boolean[], string]>([
  [[], 'no runs'],
  [[true], '1 run'],
  [[false], '1 run, failed'],
  [[true, false, true], '3 runs, 1 of them failed'],
  [[false, false], '2 runs, all failed'],
])('the last line counts runs and failures: %j', async (outcomes, text) => {
  expect(await tallied(...outcomes)).toBe(`ended by SIGINT after 5m3s: ${text}`);
});

test('a run that has not ended is not counted', () => {
  const tally = new RunTally();
  void tally.counting(() => new Promise(() => {}))({ key: 'a' } as never, context);
  expect(tally.line('ended by SIGTERM', 0)).toBe('ended by SIGTERM after 0s: no runs');
});
