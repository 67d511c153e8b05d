import { expect, it } from 'vitest';
import { columnAt, gapColumns, runsOf, seriesColumns, spanColumns } from '../../src/timeline/columns.ts';

const COLUMNS = { from: 0, to: 100, width: 10 };

it('a time has a column, also one at the end or outside', () => {
  expect([-5, 0, 9, 10, 99, 100, 500].map((at) => columnAt(at, COLUMNS))).toEqual([0, 0, 0, 1, 9, 9, 9]);
  expect(columnAt(7, { from: 7, to: 7, width: 3 })).toBe(0);
});

it('a column in which an object was not ready for a moment is not ready; the shortest gap is seen', () => {
  const spans = [
    { state: 'ready', from: 20, to: 43 },
    { state: 'unready', from: 43, to: 44 },
    { state: 'ready', from: 44, to: 100 },
  ] as const;
  const cells = spanColumns({ spans }, COLUMNS);
  expect(runsOf(cells).map(({ value, count }) => [value, count])).toEqual([
    [undefined, 2],
    ['ready', 2],
    ['unready', 1],
    ['ready', 5],
  ]);
  const gaps = gapColumns({ gaps: [{ from: 55, to: 55, reason: 'gone' }] }, COLUMNS);
  expect(gaps.map(Number).join('')).toBe('0000010000');
});

it('of several numbers in a column the one that matters is drawn', () => {
  const points = [[0, 3], [41, 0], [42, 3], [90, null]] as const; // biome-ignore format: one line
  expect(seriesColumns({ name: 'ready', worst: 'least', points }, COLUMNS)).toEqual([3, 3, 3, 3, 0, 3, 3, 3, 3, null]);
  expect(seriesColumns({ name: 'restarts', worst: 'most', points }, COLUMNS)[4]).toBe(3);
});
