import { expect, it } from 'vitest';
import { axisTicks } from '../../src/timeline/axis.ts';

const at = (text: string) => Date.parse(text);
const texts = (from: string, to: string, most: number) =>
  axisTicks({ from: at(from), to: at(to) }, most).map(({ text }) => text);

it('the times below a picture are round, as many as there is room for, and as precise as they need', () => {
  const day = '2026-11-28T';
  expect(texts(`${day}02:05:00Z`, `${day}02:20:34Z`, 4)).toEqual(['02:05', '02:10', '02:15', '02:20']);
  expect(texts(`${day}02:05:00Z`, `${day}02:20:34Z`, 2)).toEqual(['02:10', '02:20']);
  expect(texts(`${day}02:05:01Z`, `${day}02:05:09Z`, 4)).toEqual(['02:05:02', '02:05:04', '02:05:06', '02:05:08']);
  expect(texts('2026-11-27T20:00:00Z', `${day}04:00:00Z`, 3)).toEqual(['21:00', '11-28', '03:00']);
  expect(texts('2026-11-20T00:00:00Z', `${day}00:00:00Z`, 6)).toEqual(['11-21', '11-23', '11-25', '11-27']);
  expect(texts(`${day}02:05:00Z`, `${day}02:05:00Z`, 3)).toEqual(['02:05:00']);
});
