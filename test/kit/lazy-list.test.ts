import { describe, expect, it } from 'vitest';
import { atPlaces, firstOf, joined, lazyList, lightsOf, passing } from '../../src/kit/lazy-list.ts';

const counted = (length: number) => {
  const made: number[] = [];
  const list = lazyList(length, (i) => {
    made.push(i);
    return `item ${i}`;
  });
  return { list, made };
};

describe('a list whose items are made when they are read', () => {
  it('is a list to every reader', () => {
    const { list } = counted(3);
    const usual = ['item 0', 'item 1', 'item 2'];
    expect([...list]).toEqual(usual);
    expect(list).toEqual(usual);
    expect(Array.isArray(list)).toBe(true);
    expect(JSON.stringify(list)).toBe(JSON.stringify(usual));
    expect([list.at(-1), list[1], list[3], list.length, list.includes('item 2'), Object.keys(list)]).toEqual([
      'item 2',
      'item 1',
      undefined,
      3,
      true,
      ['0', '1', '2'],
    ]);
    expect([list.map((each) => each.length), list.filter((each) => each > 'item 0'), list.slice(1, 2)]).toEqual([
      [6, 6, 6],
      ['item 1', 'item 2'],
      ['item 1'],
    ]);
    expect([...list.entries()]).toEqual([...usual.entries()]);
    expect(list.flatMap((each) => [each, each])).toHaveLength(6);
    expect([...list.toReversed(), ...[['first'], list].flat()]).toEqual([...usual.toReversed(), 'first', ...usual]);
  });

  it('makes only what is read, and nothing for its length', () => {
    const { list, made } = counted(1_000_000);
    expect([list.length, made]).toEqual([1_000_000, []]);
    expect(list.some((each) => each === 'item 2')).toBe(true);
    expect(list.slice(0, 2)).toHaveLength(2);
    expect(made).toEqual([0, 1, 2, 0, 1]);
  });

  it('refuses changes, which would be lost', () => {
    const { list } = counted(2);
    const open = list as string[];
    const changes = [
      () => open.push('x'),
      () => (open[0] = 'x'),
      () => open.sort(),
      () => delete open[0],
      () => (open.length = 0),
    ];
    for (const change of changes) expect(change).toThrow('copy it first');
    expect(list).toEqual(['item 0', 'item 1']);
  });
});

describe('a part of a list whose items are made when they are read', () => {
  it.each<[string, (list: readonly string[]) => readonly string[], string[]]>([
    [
      'the items that pass a test',
      (list) => passing(list, (item) => item !== 'item 1'),
      ['item 0', 'item 2', 'item 3'],
    ],
    ['all items, where all pass', (list) => passing(list, () => true), ['item 0', 'item 1', 'item 2', 'item 3']],
    ['no item, where none passes', (list) => passing(list, () => false), []],
    ['items at places', (list) => atPlaces(list, [3, 0]), ['item 3', 'item 0']],
    ['the first items', (list) => firstOf(list, 2), ['item 0', 'item 1']],
    ['the first items, more than there are', (list) => firstOf(list, 9), ['item 0', 'item 1', 'item 2', 'item 3']],
    [
      'the items of several lists',
      (list) => joined([atPlaces(list, [1]), [], ['x'], atPlaces(list, [2, 3])]),
      ['item 1', 'x', 'item 2', 'item 3'],
    ],
    [
      'a part of a part',
      (list) =>
        atPlaces(
          passing(list, (item) => item > 'item 0'),
          [2, 0],
        ),
      ['item 3', 'item 1'],
    ],
  ])('%s', (_, part, expected) => {
    const { list, made } = counted(4);
    const found = part(list);
    expect([...found]).toEqual(expected);
    const usual = ['item 0', 'item 1', 'item 2', 'item 3'];
    expect([...part(usual)]).toEqual(expected);
    made.length = 0;
    for (const item of found) expect(item).toBeTypeOf('string');
    expect(made.length, 'made again').toBe(expected.filter((item) => item !== 'x').length);
  });
});

describe('what is known of items without making them', () => {
  const lit = (length: number, name: string) => {
    const made: number[] = [];
    const at = (i: number) => `${name} ${made.push(i) && i}`;
    return { list: lazyList(length, at, (i) => i * 10), made };
  };

  it('is there for every list that is made of others, at the same places', () => {
    const [one, other] = [lit(3, 'a'), lit(2, 'b')];
    const both = joined([one.list, other.list]);
    expect(lightsOf(both)).toEqual([0, 10, 20, 0, 10]);
    expect(lightsOf(atPlaces(both, [4, 2, 0]))).toEqual([10, 20, 0]);
    expect(lightsOf(firstOf(both, 4))).toEqual([0, 10, 20, 0]);
    expect([one.made, other.made]).toEqual([[], []]);
    expect(atPlaces(both, [4, 2])[0]).toBe('b 1');
  });

  it('is the item itself in a usual list, and where nothing else is known', () => {
    expect(lightsOf(['x'])).toEqual(['x']);
    expect(lightsOf(lazyList(2, (i) => i + 1))).toEqual([1, 2]);
  });
});
