import { expect, it } from 'vitest';
import { RecentMap } from '../../src/kit/recent-map.ts';

const one = () => 1;

it('keeps the entries that were used last, and never more than twice its weight', () => {
  const map = new RecentMap<number, number>(10);
  for (let i = 0; i < 1000; i++) {
    map.set(i, i);
    if (i % 3 === 0) expect(map.use(0, one)).toBe(0); // in use all the time
    expect(map.size).toBeLessThanOrEqual(22);
  }
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => map.peek(i) !== undefined);
  expect(kept[0]).toBe(0);
  expect(kept.slice(-5)).toEqual([995, 996, 997, 998, 999]);
});

it('says whether it dropped an entry, and counts what entries grow by', () => {
  const map = new RecentMap<string, string>(4);
  map.set('a', '');
  map.grow(4);
  expect([map.hasDropped, map.peek('a')]).toEqual([false, '']);
  map.set('b', '');
  map.grow(4);
  expect([map.hasDropped, map.peek('a'), map.peek('b')]).toEqual([true, undefined, '']);
});

it('a look does not count as a use, and a cleared map is empty', () => {
  const map = new RecentMap<string, number>(1);
  map.set('a', 1);
  map.set('b', 2);
  map.peek('a');
  map.set('c', 3);
  map.set('d', 4);
  expect(map.peek('a')).toBeUndefined();
  expect(map.use('a', one)).toBeUndefined();
  map.clear();
  expect(map.size).toBe(0);
});

it('an entry that is set again and again drops no other one', () => {
  const map = new RecentMap<string, number>(4);
  map.set('a', 1);
  for (let i = 0; i < 100; i++) map.set('b', i);
  expect([map.peek('a'), map.peek('b'), map.size]).toEqual([1, 99, 2]);
});

it('an entry can be removed, whether it was used lately or not', () => {
  const map = new RecentMap<string, number>(1);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);
  for (const key of ['a', 'b', 'c']) map.delete(key);
  expect(map.size).toBe(0);
});
