import { expect, it } from 'vitest';
import { ParsedObjects } from '../../../src/informer/store/parsed-objects.ts';

interface Thing {
  readonly n: number;
}

it('is a map of the objects themselves', () => {
  const store = new ParsedObjects<Thing>();
  const [a, b] = [{ n: 1 }, { n: 2 }];
  store.put('a', a);
  store.put('b', b);
  expect([[...store.opened()], [...store.openedEntries()]]).toEqual([
    [a, b],
    [
      ['a', a],
      ['b', b],
    ],
  ]);
  expect([store.open(a), store.incoming('a', a), store.view([a, b])]).toEqual([a, a, [a, b]]);
  expect([
    ...store.openEach([
      ['a', a],
      ['c', undefined],
    ]),
  ]).toEqual([
    ['a', a],
    ['c', undefined],
  ]);
  expect([store.drop('a'), store.drop('a'), [...store.items.keys()]]).toEqual([true, false, ['b']]);
  const before = store.exchange(new Map([['c', a]]));
  expect([[...before.keys()], [...store.items.keys()]]).toEqual([['b'], ['c']]);
});

it('searches the objects of the moment in which the search begins', () => {
  const store = new ParsedObjects<Thing>();
  store.put('a', { n: 1 });
  const found = store.search();
  store.put('b', { n: 2 });
  expect([...found]).toEqual([{ n: 1 }]);
});

it('packs nothing', () => {
  const store = new ParsedObjects<Thing>();
  store.put('a', { n: 1 });
  expect(store.isHandle({ n: 1 })).toBe(false);
  expect(store.memory).toEqual({
    objects: 1,
    packed: 0,
    textBytes: 0,
    storedBytes: 0,
    blocks: 0,
    hotObjects: 0,
    hotBytes: 0,
    hotReads: 0,
    coldReads: 0,
    repacked: 0,
    isCompressed: false,
  });
});

it('has its objects by ascending key, also after writes, deletions and an exchange', () => {
  const store = new ParsedObjects<Thing>();
  const things = [1, 2, 3, 4].map((n) => ({ n })) as [Thing, Thing, Thing, Thing];
  const [a, b, c, d] = things;
  store.put('c', c);
  store.put('a', a);
  expect(store.byKey()).toEqual([a, c]);
  store.put('b', b);
  expect(store.byKey()).toEqual([a, b, c]);
  store.drop('a');
  expect(store.byKey()).toEqual([b, c]);
  expect([...store.exchange(new Map([['d', d]])).keys()]).toEqual(['c', 'b']);
  expect([store.byKey(), [...store.search()]]).toEqual([[d], [d]]);
});

it('opens nothing: an object is its own part, its own row, and what a handler gets', () => {
  const store = new ParsedObjects<Thing>();
  const thing = { n: 1 };
  const sink = { notify: () => {}, synced: () => {} };
  expect([store.openPart(thing), store.glance(thing), store.opening(sink)]).toEqual([thing, thing, sink]);
  expect(store.reader(undefined, ({ n }: Thing) => n + 1)(thing)).toBe(2);
  expect([store.isHandle(thing), store.keepsObjects]).toEqual([false, true]);
});
