import { describe, expect, test } from 'vitest';
import { atPlaces } from '../../../src/kit/lazy-list.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import { type CachedObjects, serversOrder, storeOf } from '../../../src/query/answer/cached-objects.ts';
import { freshLister } from '../../support/fresh-lister.ts';
import { storeOf as cacheOf, PODS } from '../../support/query.ts';

const cachedOf = (more: Partial<CachedObjects> = {}, isUnordered = false) => {
  const lister = freshLister(cacheOf(PODS, []));
  return { type: {}, forbidden: [], ...more, informer: { lister, isUnordered } } as unknown as CachedObjects;
};
const namesOf = (objects: readonly ReadonlyObject[]) => objects.map(({ metadata }) => metadata.name);

describe('the order of what is found in a cache that makes its objects when they are read', () => {
  test.each<[string, Partial<CachedObjects>, boolean, string[]]>([
    ['as the server listed them, for lookups', {}, false, ['a-1', 'a-2', 'b-1', 'c-1', 'c-2']],
    ['by key, where the cache has no order', {}, true, ['c-1', 'c-2', 'a-1', 'a-2', 'b-1']],
    ['by the names that were asked for', { names: new Set(['c-2', 'a-1']) }, false, ['c-2', 'a-1']],
    ['by the names, where the cache has no order', { names: new Set(['c-2', 'a-1']) }, true, ['c-2', 'a-1']],
    ['namespace by namespace', { namespaces: ['bank', 'shop'] }, false, ['c-1', 'c-2', 'a-1', 'a-2', 'b-1']],
  ])('is %s, and no object is kept for it', (_, part, isUnordered, expected) => {
    const cached = cachedOf(part, isUnordered);
    const list = storeOf(cached).list();
    const ordered = atPlaces(list, [...list.keys()].sort(serversOrder(list, cached, true)));
    expect(namesOf(ordered)).toEqual(expected);
    expect(ordered[0]).not.toBe(ordered[0]);
  });
});
