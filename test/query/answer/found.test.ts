import { expect, test } from 'vitest';
import { lazyList } from '../../../src/kit/lazy-list.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { CachedObjects } from '../../../src/query/answer/cached-objects.ts';
import { arranged, findIn, findPatiently } from '../../../src/query/answer/found.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { freshLister } from '../../support/fresh-lister.ts';
import { storeOf as cacheOf, PODS } from '../../support/query.ts';

const lister = freshLister(cacheOf(PODS, []));
const cached = { type: { gvr: {} }, forbidden: [], informer: { lister } } as unknown as CachedObjects;
const question = { lookups: [], explain: false, conditions: [], filters: [], wheres: [], filtersNeedObject: true };
const sink = { clock: new FakeClock(), notice: () => {}, write: () => Promise.resolve() };

test.each([
  ['some objects', /-1$/, ['a-1', 'b-1', 'c-1']],
  ['every object', /./, ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
])('a filter that finds %s keeps none of them', async (_, name, expected) => {
  const asked = { ...question, name, excludeName: undefined };
  const finding = {
    catalog: new IndexCatalog(),
    sink,
    matches: (each: (typeof PODS)[0]) => name.test(each.metadata.name ?? ''),
  };
  const all = await findPatiently(asked as never, cached, finding as never);
  const found = await arranged([all], {}, sink);
  const first = await arranged([all], { limit: 2 }, sink);
  expect(found.map(({ object }) => object.metadata.name)).toEqual(expected);
  expect(first.map(({ object }) => object.metadata.name)).toEqual(expected.slice(0, 2));
  expect(first[0]?.object).toEqual(found[0]?.object);
  expect(found[0]?.object).not.toBe(found[0]?.object);
});

test.each([
  ['are only counted', true, false, 0],
  ['are put in order are read where nothing else is known of them', false, false, PODS.length],
  ['are put in order by their metadata, where a compact cache has it,', false, true, 0],
])('objects that %s: %s, %s: %i reads', async (_, count, hasMetadata, expected) => {
  let reads = 0;
  const backwards = (i: number) => PODS[PODS.length - 1 - i] as (typeof PODS)[0];
  const read = (i: number) => {
    reads++;
    return backwards(i);
  };
  const list = lazyList(PODS.length, read, hasMetadata ? (i) => ({ metadata: backwards(i).metadata }) : read);
  const store = { ...cacheOf(PODS, []), size: PODS.length, list: () => list, values: () => list[Symbol.iterator]() };
  // as the caches of a serve
  const unordered = { ...cached, informer: { lister: store, isUnordered: true } } as unknown as CachedObjects;
  const finding = { catalog: new IndexCatalog(), sink, matches: () => true };
  const all = findIn(question as never, unordered, finding);
  const found = count ? undefined : await arranged([all], {}, sink);
  expect([all.objects.length, reads]).toEqual([PODS.length, expected]);
  const keys = found?.map(({ object }) => keyOf(object)) ?? all.objects.map(keyOf);
  expect(keys).toEqual(count ? PODS.map(keyOf).toReversed() : PODS.map(keyOf).toSorted());
});
