import { describe, expect, it } from 'vitest';
import { findDrift, markOf } from '../../src/informer/verifier.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const NOTHING = { missing: [], extra: [], stale: [] };
const GRACE_MS = 1000;

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}
const item = (name: string, resourceVersion: string, uid = `${name}-uid`): Item => ({
  metadata: { name, uid, resourceVersion },
});
const named = (items: readonly Item[]) => items.map((each) => [each.metadata.name, each] as const);

interface Scene {
  readonly cached: readonly Item[];
  readonly lists: readonly (readonly Item[])[];
  /** What the stream does before the second list is asked for. */
  readonly meanwhile?: (cache: Map<string, Item>) => void;
  /** What the stream does while the second list is on its way. */
  readonly during?: (cache: Map<string, Item>) => void;
  readonly isBehind?: () => boolean;
}

/** What remains, and when each list was asked for. */
async function driftOf({ cached, lists, meanwhile, during, isBehind = () => false }: Scene) {
  const clock = new FakeClock();
  const cache = new Map(named(cached));
  const askedAt: number[] = [];
  const drift = findDrift(
    {
      cached: () => cache,
      get: (key) => cache.get(key),
      list: async () => {
        askedAt.push(clock.monotonic());
        if (askedAt.length === 2) during?.(cache);
        return named(lists[askedAt.length - 1] ?? lists.at(-1) ?? []);
      },
      isBehind,
      clock,
      graceMs: GRACE_MS,
    },
    new AbortController().signal,
  );
  await clock.advance(GRACE_MS / 2);
  meanwhile?.(cache);
  await clock.advance(GRACE_MS);
  return { drift: await drift, askedAt };
}

describe('a difference counts', () => {
  it('when two lists show it and the stream does not repair it, by its kind and in order', async () => {
    const listed = [item('new-b', '9'), item('new-a', '8'), item('same', '1'), item('old', '7')];
    const { drift, askedAt } = await driftOf({
      cached: [item('same', '1'), item('old', '2'), item('gone-b', '3'), item('gone-a', '3')],
      lists: [listed],
    });
    expect(drift).toEqual({ missing: ['new-a', 'new-b'], extra: ['gone-a', 'gone-b'], stale: ['old'] });
    expect(askedAt).toEqual([0, GRACE_MS]);
  });

  it('when another object has the name, also at the same version', async () => {
    const { drift } = await driftOf({ cached: [item('a', '5')], lists: [[item('a', '5', 'other')]] });
    expect(drift).toEqual({ ...NOTHING, stale: ['a'] });
  });
});

describe('a difference does not count', () => {
  it('where there is none; then one list is enough', async () => {
    const { drift, askedAt } = await driftOf({ cached: [item('a', '5')], lists: [[item('a', '5')]] });
    expect([drift, askedAt]).toEqual([NOTHING, [0]]);
  });

  it('when the stream changes the object in time; then no second list is asked for', async () => {
    const { drift, askedAt } = await driftOf({
      cached: [item('a', '5')],
      lists: [[item('a', '6')]],
      meanwhile: (cache) => cache.set('a', item('a', '6')),
    });
    expect([drift, askedAt]).toEqual([NOTHING, [0]]);
  });

  it('when the stream changes the object to any other version: it is alive', async () => {
    const { drift } = await driftOf({
      cached: [item('a', '5')],
      lists: [[item('a', '6')]],
      meanwhile: (cache) => cache.set('a', item('a', '5')), // the same text, and another object
    });
    expect(drift).toEqual(NOTHING);
  });

  it('when the stream changes the object while the second list is on its way', async () => {
    const { drift, askedAt } = await driftOf({
      cached: [item('a', '5')],
      lists: [[item('a', '6')]],
      during: (cache) => cache.set('a', item('a', '6')),
    });
    expect([drift, askedAt.length]).toEqual([NOTHING, 2]);
  });

  it('when the second list shows the object otherwise', async () => {
    const lists = [[item('a', '6')], [item('a', '7')]];
    expect((await driftOf({ cached: [item('a', '5')], lists })).drift).toEqual(NOTHING);
  });

  it('when changes have arrived that are not in the cache yet', async () => {
    const { drift } = await driftOf({ cached: [], lists: [[item('a', '6')]], isBehind: () => true });
    expect(drift).toEqual(NOTHING);
  });
});

it('an object is compared by its uid and its version, and one without metadata by neither', () => {
  expect(markOf(item('a', '5'))).toBe('a-uid 5');
  expect(markOf({ metadata: { name: 'a' } })).toBe(' ');
  expect([markOf({}), markOf(undefined)]).toEqual(['', undefined]);
});
