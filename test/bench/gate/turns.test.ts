import { expect, it } from 'vitest';
import { type Compared, takeTurns } from '../../../bench/gate/turns.ts';

interface MadeUp {
  readonly row: Compared;
  /** The builds in the order in which they were measured. */
  readonly order: string[];
}

/** A row whose base takes 1000 ms, and whose other build takes that times the ratios, one after the other. */
function madeUp(id: string, ratios: readonly number[], log: string[] = []): MadeUp {
  const order: string[] = [];
  let pair = -1; // the first run of each does not count
  const measure: Compared['measure'] = async (build) => {
    order.push(build);
    log.push(`${id} ${build}`);
    if (build === 'base') return 1000;
    pair++;
    return pair === 0 ? 9_999 : 1000 * (ratios[(pair - 1) % ratios.length] as number);
  };
  return { row: { id, name: `row ${id}`, measure }, order };
}

const options = { limit: 1.05, pairs: 6, most: 24, budgetMs: 1000, now: () => 0 };
const NOISY = [0.9, 0.95, 1, 1, 1.02, 1.12];

it('measures the builds in turn, all rows in each round, after a run of each that does not count', async () => {
  const log: string[] = [];
  const [a, b] = [madeUp('a', [1], log), madeUp('b', [1], log)];
  const { rows } = await takeTurns([a.row, b.row], { ...options, pairs: 4 });
  expect(a.order.join(' ')).toBe('now base base now now base base now now base');
  expect(log.slice(0, 8)).toEqual(['a now', 'a base', 'b now', 'b base', 'a base', 'a now', 'b base', 'b now']);
  expect(rows).toMatchObject([
    { id: 'a', name: 'row a', base: 1000, now: 1000, ratio: 1, pairs: 4, isSlower: false },
    { id: 'b', pairs: 4, isSlower: false },
  ]);
});

it('measures a row near the limit until it is clear, and no other row again', async () => {
  const { rows } = await takeTurns([madeUp('clear', [1]).row, madeUp('near', NOISY).row], options);
  expect(rows).toMatchObject([
    { id: 'clear', pairs: 6 },
    { id: 'near', verdict: 'within', isSlower: false },
  ]);
  expect(rows[1]?.pairs).toBeGreaterThan(6);
});

it('finds a row that is 8 % slower among rows that are not', async () => {
  const { rows } = await takeTurns([madeUp('a', NOISY).row, madeUp('b', [1.08]).row], options);
  expect(rows.map(({ id, isSlower }) => [id, isSlower])).toEqual([
    ['a', false],
    ['b', true],
  ]);
});

it('measures no row again when the time is over, but each as often as asked', async () => {
  let ms = 0;
  const now = () => {
    ms += 600;
    return ms;
  };
  const { rows } = await takeTurns([madeUp('between', [1, 1.1]).row], { ...options, now });
  expect(rows).toMatchObject([{ pairs: 6 + 1, verdict: 'unclear', isSlower: false }]);
});

it('measures no row more often than allowed', async () => {
  const { rows } = await takeTurns([madeUp('between', [1, 1.1]).row], options);
  expect(rows).toMatchObject([{ pairs: 24, verdict: 'unclear', isSlower: true }]);
});

it('a row that the base cannot do is named with the reason, and decides nothing', async () => {
  const row: Compared = {
    id: 'new',
    name: 'a new row',
    measure: async (build) => {
      if (build === 'base') throw new Error('unknown flag');
      return 1;
    },
  };
  expect(await takeTurns([row], options)).toEqual({
    rows: [],
    incomparable: [{ id: 'new', name: 'a new row', reason: 'unknown flag' }],
  });
});

it("a row that today's build cannot do fails the gate", async () => {
  const row: Compared = { id: 'a', name: 'a', measure: async () => Promise.reject(new Error('showed 3 of 5')) };
  await expect(takeTurns([row], options)).rejects.toThrow('showed 3 of 5');
});
