import { describe, expect, it } from 'vitest';
import { caughtUp } from '../../src/informer/catch-up.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const pod = (version: string) => ({ metadata: { name: 'a', uid: 'u', resourceVersion: version } });

/** What remains between a cache and a list, both with one pod, when the stream brings nothing. */
async function compared(cached: string | undefined, listed: string | undefined) {
  const clock = new FakeClock();
  const entries = (version: string | undefined) => (version === undefined ? [] : [['a', pod(version)] as const]);
  const ours = entries(cached);
  const drift = caughtUp(
    {
      cached: () => ours,
      get: () => ours[0]?.[1],
      list: async () => entries(listed),
      isBehind: () => false,
      clock,
      graceMs: 100,
    },
    new AbortController().signal,
  );
  await clock.advance(1000);
  return drift;
}

it.each([
  ['the same version', '5', '5', {}],
  ['an earlier version than the list', '9', '10', { stale: ['a'] }],
  ['a later version than the list', '10', '9', {}],
  ['an object that the list does not have', '5', undefined, { extra: ['a'] }],
  ['no object of those in the list', undefined, '5', { missing: ['a'] }],
])('of a cache with %s it is known what is wrong', async (_, cached, listed, wrong) => {
  expect(await compared(cached, listed)).toEqual({ missing: [], extra: [], stale: [], ...wrong });
});

describe('a cache that catches up', () => {
  const object = (name: string, version: string, uid = `${name}-uid`) => ({
    metadata: { name, uid, resourceVersion: version },
  });
  type Cached = ReturnType<typeof object>;
  const entries = (objects: readonly Cached[]) => objects.map((each) => [each.metadata.name, each] as const);

  interface Scene {
    readonly cached: readonly Cached[];
    readonly lists: readonly (readonly Cached[])[];
    /** What the stream has done at a time, ms. */
    readonly at?: readonly [ms: number, change: (cache: Map<string, Cached>) => void];
    /** Until then changes have arrived that are not in the cache, ms. */
    readonly behindUntil?: number;
    readonly graceMs?: number;
  }

  /** The result, when it came and when each list was asked for. */
  async function catchUp({ cached, lists, at, behindUntil = 0, graceMs = 1000 }: Scene) {
    const clock = new FakeClock();
    const cache = new Map(entries(cached));
    const askedAt: number[] = [];
    let doneAt: number | undefined;
    const drift = caughtUp(
      {
        cached: () => cache,
        get: (key) => cache.get(key),
        list: async () => {
          askedAt.push(clock.monotonic());
          return entries(lists[askedAt.length - 1] ?? lists.at(-1) ?? []);
        },
        isBehind: () => clock.monotonic() < behindUntil,
        clock,
        graceMs,
      },
      new AbortController().signal,
    );
    void drift.then(() => {
      doneAt = clock.monotonic();
    });
    if (at) {
      await clock.advance(at[0]);
      at[1](cache);
    }
    await clock.advance(10_000);
    return { drift: await drift, doneAt, askedAt };
  }
  const NOTHING = { missing: [], extra: [], stale: [] };

  it('costs one list and no time where nothing differs', async () => {
    const { drift, doneAt, askedAt } = await catchUp({ cached: [object('a', '5')], lists: [[object('a', '5')]] });
    expect([drift, doneAt, askedAt]).toEqual([NOTHING, 0, [0]]);
  });

  it('is waited for, in growing steps, until the stream has brought what the list has', async () => {
    const { drift, doneAt, askedAt } = await catchUp({
      cached: [object('a', '5')],
      lists: [[object('a', '6')]],
      at: [100, (cache) => cache.set('a', object('a', '6'))],
    });
    expect([drift, doneAt, askedAt]).toEqual([NOTHING, 20 + 40 + 80, [0]]);
  });

  it('has not caught up while a change that arrived is not in it', async () => {
    const same = [object('a', '5')];
    expect((await catchUp({ cached: same, lists: [same], behindUntil: 50 })).doneAt).toBe(20 + 40);
  });

  it('is compared with a second list after the time that the stream has', async () => {
    const { drift, askedAt } = await catchUp({
      cached: [object('b', '5'), object('a', '5'), object('c', '5')],
      lists: [[object('b', '6'), object('new', '1')]],
    });
    expect(drift).toEqual({ missing: ['new'], extra: ['a', 'c'], stale: ['b'] });
    expect(askedAt).toEqual([0, 20 + 40 + 80 + 160 + 320 + 640]);
  });

  it('is waited for no longer once the time that the stream has is over', async () => {
    const stale = { cached: [object('a', '5')], lists: [[object('a', '6')]] };
    const timeOf = async (graceMs: number) => (await catchUp({ ...stale, graceMs })).askedAt[1];
    expect([await timeOf(0), await timeOf(60), await timeOf(61)]).toEqual([0, 20 + 40, 20 + 40 + 80]);
  });

  it.each<[string, Cached[], Cached[], Cached[]]>([
    ['came only in the first list', [], [object('new', '1')], []],
    ['has come back', [object('a', '5')], [], [object('a', '5')]],
    ['goes on changing', [object('a', '5')], [object('a', '6')], [object('a', '7')]],
  ])('does not differ by an object that %s', async (_, cached, first, second) => {
    expect((await catchUp({ cached, lists: [first, second] })).drift).toEqual(NOTHING);
  });

  it('does not lack what the stream has deleted, nor have too much of what it has added or changed', async () => {
    const driftAfter = (change: (cache: Map<string, Cached>) => void, cached: Cached[], listed: Cached[]) =>
      catchUp({ cached, lists: [listed], at: [10, change] }).then(({ drift }) => drift);
    const a = object('a', '5');
    expect(await driftAfter((cache) => cache.delete('a'), [a], [object('a', '6')])).toEqual(NOTHING);
    expect(await driftAfter((cache) => cache.set('a', a), [], [])).toEqual(NOTHING);
    expect(await driftAfter((cache) => cache.set('a', object('a', '6')), [a], [])).toEqual(NOTHING);
  });

  it('is stale by another object under the name, unless its version is later', async () => {
    const [ours, theirs] = [object('a', '5'), object('a', '5', 'other')];
    expect((await catchUp({ cached: [ours], lists: [[theirs]] })).drift).toEqual({ ...NOTHING, stale: ['a'] });
    expect((await catchUp({ cached: [object('a', '6')], lists: [[theirs]] })).drift).toEqual(NOTHING);
    const opaque = [object('a', 'x')];
    expect((await catchUp({ cached: opaque, lists: [[object('a', 'y')]] })).drift.stale).toEqual(['a']);
  });
});

it.each([
  ['with the same version', '5', '5'],
  ['whose versions have no order', 'x', 'y'],
])('an object that was created again, %s, is behind', async (_, ours, listed) => {
  const clock = new FakeClock();
  const entry = (uid: string, resourceVersion: string) =>
    ['a', { metadata: { name: 'a', uid, resourceVersion } }] as const;
  const cached = entry('u', ours);
  const list = async () => [entry('other', listed)];
  const cache = { cached: () => [cached], get: () => cached[1], isBehind: () => false };
  const drift = caughtUp({ ...cache, list, clock, graceMs: 100 }, new AbortController().signal);
  await clock.advance(1000);
  expect(await drift).toEqual({ missing: [], extra: [], stale: ['a'] });
});

it('differences are named in the order of their keys, and objects without metadata differ from all others', async () => {
  const clock = new FakeClock();
  const of = (...keys: string[]) =>
    keys.map((key) => [key, { metadata: { name: key, uid: key, resourceVersion: '1' } }] as const);
  const cached = new Map<string, unknown>([...of('z', 'y'), ['text', 'no object']]);
  const drift = caughtUp(
    {
      cached: () => cached,
      get: (key) => cached.get(key),
      list: async () => [...of('d', 'c', 'text')],
      isBehind: () => false,
      clock,
      graceMs: 100,
    },
    new AbortController().signal,
  );
  await clock.advance(1000);
  expect(await drift).toEqual({ missing: ['c', 'd'], extra: ['y', 'z'], stale: ['text'] });
});
