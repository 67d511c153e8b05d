import { describe, expect, it } from 'vitest';
import type { ReadCache } from '../../../src/controller/consistency/read-cache.ts';
import { WriteWaits } from '../../../src/controller/consistency/write-waits.ts';
import type { StateChange } from '../../../src/informer/state-change.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { LostWrite, StoredWrite } from '../../../src/model/stored-write.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const gvr = parseGvr('v1/configmaps');

/** A cache that the test moves on. */
class FakeCache {
  readonly name: string;
  readonly resource: ReadCache['resource'];
  isStarted = true;
  isStopped = false;
  shownVersion = '';
  /** The namespace that it has; undefined for all. */
  namespace: string | undefined;
  connection: 'connected' | 'disconnected' = 'connected';
  /** When the watch was opened, ms. */
  since = 0;
  selects = (_: ReadonlyObject) => true;
  /** Resolves when the cache shows what the server has now. */
  whenCurrent = async (_: AbortSignal) => {};
  observers = 0;
  readonly objects = new Map<string, ReadonlyObject>();
  readonly lister = { get: (key: string) => this.objects.get(key) };
  #observer: ((change: StateChange<ReadonlyObject>) => void) | undefined;

  constructor(name = 'v1/configmaps', resource: ReadCache['resource'] = gvr) {
    this.name = name;
    this.resource = resource;
  }

  sourceOf(key: string) {
    if (this.namespace !== undefined && !key.startsWith(`${this.namespace}/`)) return undefined;
    const continuity = { connection: { state: this.connection, since: this.since } };
    const { shownVersion, selects, whenCurrent } = this;
    return { shownVersion, selects, continuity, whenCurrent } as never;
  }

  onState(observer: (change: StateChange<ReadonlyObject>) => void): Disposable {
    this.observers++;
    this.#observer = observer;
    return {
      [Symbol.dispose]: () => {
        this.observers--;
        this.#observer = undefined;
      },
    };
  }

  /** An event brings a state of an object; undefined for its deletion. */
  event(key: string, version: string, uid: string | null = 'u', isOrdered = true): void {
    const [namespace, name] = key.split('/') as [string, string];
    const object = { metadata: { namespace, name, uid: uid ?? '', resourceVersion: version } };
    if (uid === null) this.objects.delete(key);
    else this.objects.set(key, object);
    this.#reached(isOrdered ? version : '', [[key, uid === null ? undefined : object]]);
  }

  bookmark(version: string): void {
    this.#reached(version, []);
  }

  relist(version: string, objects: readonly (readonly [string, string])[]): void {
    this.objects.clear();
    for (const [key, of] of objects) this.objects.set(key, { metadata: { name: key, uid: 'u', resourceVersion: of } });
    this.shownVersion = version;
    this.#observer?.({ source: 0, isWhole: true, objects: this.objects, resourceVersion: version });
  }

  #reached(version: string, objects: StateChange<ReadonlyObject>['objects']): void {
    if (version !== '') this.shownVersion = version;
    this.#observer?.({ source: 0, isWhole: false, objects, resourceVersion: version });
  }
}

function setUp(...caches: FakeCache[]) {
  const clock = new FakeClock();
  const ready: string[] = [];
  const again: string[] = [];
  const waited: string[] = [];
  const logged: string[] = [];
  const of = (result: string) => ({ observe: (seconds: number) => void waited.push(`${result} ${seconds}`) });
  const waits = new WriteWaits({
    clock,
    logger: createLogger((_, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`)),
    caches: () => caches as unknown as ReadCache[],
    ready: (key) => ready.push(key),
    again: (key) => again.push(key),
    waited: { success: of('success'), timeout: of('timeout') },
  });
  const wrote = (key: string, more: Partial<StoredWrite> = {}, run = 'shop/parent') => {
    const [namespace, name] = key.split('/') as [string, string];
    const { resourceVersion, uid = 'u' } = more;
    const object = { metadata: { namespace, name, uid, resourceVersion } } as ReadonlyObject;
    const write = { server: undefined, gvr, namespace, key, uid, object, isGone: false, isOwnVersion: true, ...more };
    waits.note(run, { ...write, resourceVersion });
  };
  /** A write that was sent when the caches had these versions. */
  const wroteAt = (key: string, resourceVersion: string, shown: string) => {
    const object = { metadata: { name: 'a', uid: 'u', resourceVersion } } as ReadonlyObject;
    const write = {
      server: undefined,
      gvr,
      namespace: 'shop',
      key,
      uid: 'u',
      object,
      isGone: false,
      isOwnVersion: true,
    };
    waits.note(
      'shop/parent',
      { ...write, resourceVersion },
      new Map(caches.map((cache) => [cache as unknown as ReadCache, shown])),
    );
  };
  const lost = (read: LostWrite['read'], namespace = 'shop') =>
    waits.noteLost('shop/parent', { server: undefined, gvr, namespace, read });
  const isHeld = (key = 'shop/parent') => waits.before(key) !== undefined;
  return { clock, ready, again, waited, logged, waits, wrote, wroteAt, lost, isHeld };
}

describe('a run waits until the cache shows the writes of earlier runs of its key', () => {
  it('by the object at its version, or a later one', () => {
    const cache = new FakeCache();
    const { wrote, isHeld, ready } = setUp(cache);
    expect(isHeld()).toBe(false);
    wrote('shop/a', { resourceVersion: '9' });
    expect([isHeld(), isHeld('shop/other')]).toEqual([true, false]);
    cache.event('shop/a', '8');
    expect(ready).toEqual(['shop/parent']);
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '10', 'u', false);
    expect(ready).toEqual(['shop/parent', 'shop/parent']);
    expect([isHeld(), cache.observers]).toEqual([false, 0]);
  });

  it.each([
    ['an event of another object', (cache: FakeCache) => cache.event('shop/other', '10')],
    ['a bookmark', (cache: FakeCache) => cache.bookmark('9')],
    ['a relist without the object', (cache: FakeCache) => cache.relist('11', [])],
  ])('by the version of the cache: %s', (_, progress) => {
    const cache = new FakeCache();
    const { wrote, isHeld, ready } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(true);
    progress(cache);
    expect([ready, isHeld(), cache.observers]).toEqual([['shop/parent'], false, 0]);
  });

  it('of two versions by the later one, and of two objects by both', () => {
    const cache = new FakeCache();
    const { wrote, isHeld } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    wrote('shop/a', { resourceVersion: '100' });
    wrote('shop/a', { resourceVersion: '98' });
    wrote('shop/b', { resourceVersion: '101' });
    cache.event('shop/a', '99');
    expect(isHeld()).toBe(true);
    cache.event('shop/b', '101', 'u', false);
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '100', 'u', false);
    expect(isHeld()).toBe(false);
  });

  it('of a deletion by the absence of that very object', () => {
    const cache = new FakeCache();
    const { wrote, isHeld, ready } = setUp(cache);
    cache.event('shop/a', '5');
    wrote('shop/a', { isGone: true });
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '9', 'another');
    expect([ready, isHeld()]).toEqual([['shop/parent'], false]);
    wrote('shop/a', { isGone: true, uid: 'another' });
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '12', null);
    expect(isHeld()).toBe(false);
  });

  it('also of an object that it created and deleted before the cache showed it', () => {
    const cache = new FakeCache();
    const { wrote, isHeld } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    wrote('shop/a', { isGone: true });
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '9');
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '10', null);
    expect(isHeld()).toBe(false);
  });

  it('not of an object that the cache does not select, but of one that leaves its selection', () => {
    const cache = new FakeCache();
    cache.selects = () => false;
    const { wrote, isHeld } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(false);
    cache.event('shop/a', '8'); // a state before the write that the cache selects, which comes late
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '9', null);
    expect(isHeld()).toBe(false);
  });

  it('in the caches that have the namespace, the type and the server of the write only', () => {
    const [shop, bank, pods] = [
      new FakeCache('shop'),
      new FakeCache('bank'),
      new FakeCache('pods', { group: '', resource: 'pods' }),
    ];
    [shop.namespace, bank.namespace] = ['shop', 'bank'];
    const { wrote, isHeld } = setUp(shop, bank, pods);
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(true);
    shop.bookmark('9');
    expect(isHeld()).toBe(false);
  });

  it('also to a restored server, while the cache has higher versions of before', () => {
    const cache = new FakeCache();
    const { wroteAt, wrote, isHeld } = setUp(cache);
    cache.bookmark('90');
    wrote('shop/a', { resourceVersion: '91' });
    wroteAt('shop/a', '55', '90');
    expect(isHeld()).toBe(true);
    cache.bookmark('95'); // what the old history still brings
    expect(isHeld()).toBe(true);
    cache.relist('60', [['shop/a', '58']]);
    expect(isHeld()).toBe(false);
    wroteAt('shop/a', '61', '60');
    expect(isHeld()).toBe(true);
    cache.bookmark('61');
    expect(isHeld()).toBe(false);
  });

  it('in each of several caches of a type, also if they have one name', () => {
    const [first, second] = [new FakeCache(), new FakeCache()];
    const { wrote, isHeld } = setUp(first, second);
    second.bookmark('9');
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(true);
    wrote('shop/a', { resourceVersion: '10' });
    second.bookmark('10');
    expect(isHeld()).toBe(true);
    first.bookmark('10');
    expect(isHeld()).toBe(false);
    wrote('shop/a', { resourceVersion: '11' });
    first.bookmark('11');
    expect(isHeld()).toBe(true);
    second.bookmark('11');
    expect(isHeld()).toBe(false);
  });

  it('in the caches of other versions and groups of the type', () => {
    const cache = new FakeCache('apps', { group: 'apps', resource: 'deployments' });
    const { wrote, isHeld } = setUp(cache);
    for (const type of ['apps/v1beta1/deployments', 'extensions/v1beta1/deployments']) {
      wrote('shop/a', { resourceVersion: `${type.length}`, gvr: parseGvr(type) });
      expect(isHeld()).toBe(true);
      cache.bookmark(`${type.length}`);
      expect(isHeld()).toBe(false);
    }
    wrote('shop/a', { resourceVersion: '99', gvr: parseGvr('example.com/v1/deployments') });
    expect(isHeld()).toBe(false);
  });

  it('not for a cache that does not run, nor any more for one that ended', () => {
    const cache = new FakeCache();
    const { wrote, isHeld } = setUp(cache);
    cache.isStarted = false;
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(false);
    cache.isStarted = true;
    wrote('shop/a', { resourceVersion: '10' });
    expect(isHeld()).toBe(true);
    cache.isStopped = true;
    expect(isHeld()).toBe(false);
  });
});

describe('versions without an order', () => {
  it('are waited for by the object itself, also if it changes again before the run is due', () => {
    const cache = new FakeCache();
    const { wrote, isHeld } = setUp(cache);
    cache.event('shop/a', 'x1', 'u', false);
    wrote('shop/a', { resourceVersion: 'x3' });
    cache.event('shop/a', 'x2', 'u', false);
    expect(isHeld()).toBe(true);
    cache.event('shop/a', 'x3', 'u', false);
    cache.event('shop/a', 'x4', 'u', false);
    expect([isHeld(), cache.observers]).toEqual([false, 0]);
  });

  it('are given up after 10 seconds, because a relist may have passed them', async () => {
    const cache = new FakeCache();
    const { wrote, isHeld, clock, logged } = setUp(cache);
    wrote('shop/a', { resourceVersion: 'x3' });
    cache.relist('', [['shop/a', 'x4']]);
    expect(isHeld()).toBe(true);
    await clock.advance(10_000);
    expect(isHeld()).toBe(false);
    expect(logged).toHaveLength(1);
    cache.event('shop/a', 'x5', 'u', false);
    expect(cache.observers).toBe(0);
  });
});

it('the time without a watch does not count, also for versions without an order', async () => {
  const cache = new FakeCache();
  cache.connection = 'disconnected';
  const { wrote, isHeld, clock } = setUp(cache);
  wrote('shop/a', { resourceVersion: 'x3' });
  await clock.advance(30_000);
  expect(isHeld()).toBe(true);
  cache.connection = 'connected';
  cache.since = clock.now();
  await clock.advance(9_000);
  expect(isHeld()).toBe(true);
  await clock.advance(1_000);
  expect(isHeld()).toBe(false);
});

it('a write after one that was shown is waited for too, also where versions have no order', () => {
  const cache = new FakeCache();
  const { wrote, isHeld } = setUp(cache);
  wrote('shop/a', { resourceVersion: 'x3' });
  expect(isHeld()).toBe(true);
  cache.event('shop/a', 'x3', 'u', false);
  wrote('shop/a', { resourceVersion: 'x1' });
  expect(isHeld()).toBe(true);
  cache.event('shop/a', 'x1', 'u', false);
  expect(isHeld()).toBe(false);
});

describe('after a write whose answer was lost, a run waits', () => {
  const found = (resourceVersion: string): StoredWrite => ({
    ...{ server: undefined, gvr, namespace: 'shop', key: 'shop/a', uid: 'u', isGone: false, isOwnVersion: undefined },
    object: { metadata: { namespace: 'shop', name: 'a', uid: 'u', resourceVersion } },
    resourceVersion,
  });

  it('until its object was read, and the cache shows that', async () => {
    const cache = new FakeCache();
    const { lost, isHeld, waits, ready, clock } = setUp(cache);
    const reads: number[] = [];
    lost(async () => {
      reads.push(clock.monotonic());
      if (reads.length < 3) throw new Error('no route to host');
      return [found('9')];
    });
    await clock.advance(1_000);
    expect(reads).toEqual([]); // nothing is read for a key that does not run again
    expect([isHeld(), isHeld('shop/other')]).toEqual([true, false]);
    expect(waits.of('shop/parent')?.types).toEqual(['v1/configmaps']);
    await clock.advance(600);
    expect(reads).toEqual([1_000, 1_200, 1_600]);
    expect(ready).toEqual(['shop/parent']);
    expect(isHeld()).toBe(true);
    cache.event('shop/a', '9');
    expect(isHeld()).toBe(false);
  });

  it('of an object that is not there only until that is known', async () => {
    const { lost, isHeld, ready, clock, waits } = setUp(new FakeCache());
    lost(async () => []);
    expect(isHeld()).toBe(true);
    await clock.advance(0);
    expect([ready, isHeld(), waits.of('shop/parent')]).toEqual([['shop/parent'], false, undefined]);
  });

  it('until the caches show the present state, if the write names no object', async () => {
    const [shop, bank] = [new FakeCache('shop'), new FakeCache('bank')];
    [shop.namespace, bank.namespace] = ['shop', 'bank'];
    const current = Promise.withResolvers<void>();
    shop.whenCurrent = () => current.promise;
    bank.whenCurrent = () => new Promise(() => {});
    const { lost, isHeld, ready, clock } = setUp(shop, bank);
    lost(undefined);
    expect(isHeld()).toBe(true);
    await clock.advance(1_000);
    expect([ready, isHeld()]).toEqual([[], true]);
    current.resolve();
    await clock.advance(0);
    expect([ready, isHeld()]).toEqual([['shop/parent'], false]);
  });

  it('not at all if no cache may show it', () => {
    const { lost, isHeld } = setUp(new FakeCache('pods', { group: '', resource: 'pods' }));
    lost(undefined);
    expect(isHeld()).toBe(false);
  });

  it('no longer than a minute with an open watch, and says so', async () => {
    const cache = new FakeCache();
    const { lost, isHeld, clock, logged, waited } = setUp(cache);
    let reads = 0;
    await clock.advance(7_000);
    lost(() => Promise.reject(new Error(`forbidden ${++reads}`)));
    expect(isHeld()).toBe(true);
    await clock.advance(59_999);
    expect(isHeld()).toBe(true);
    await clock.advance(1);
    expect(isHeld()).toBe(false);
    const readsUntilThen = reads;
    await clock.advance(60_000);
    expect(reads).toBe(readsUntilThen);
    expect(logged.at(-1)).toContain('the next run may read a state before its own writes');
    expect(waited).toEqual(['timeout 60']);
  });

  it('for that and for another write: each of them alone holds it', async () => {
    const cache = new FakeCache();
    cache.connection = 'disconnected';
    const { lost, wrote, isHeld, clock } = setUp(cache);
    const answer = Promise.withResolvers<StoredWrite[]>();
    wrote('shop/b', { resourceVersion: '5' });
    lost(() => answer.promise);
    await clock.advance(120_000);
    expect(isHeld()).toBe(true);
    answer.resolve([]);
    await clock.advance(0);
    expect(isHeld()).toBe(true);
    cache.bookmark('5');
    expect(isHeld()).toBe(false);
  });

  it('up to ten minutes later, if nothing else could say what became of it', async () => {
    const cache = new FakeCache();
    cache.connection = 'disconnected';
    const { lost, isHeld, clock, logged } = setUp(cache);
    lost(() => new Promise(() => {}));
    await clock.advance(9 * 60_000);
    expect(isHeld()).toBe(true);
    const late = setUp(cache);
    late.lost(() => new Promise(() => {}));
    await late.clock.advance(10 * 60_000);
    expect([late.isHeld(), late.logged, late.clock.pending]).toEqual([false, [], 0]);
    expect(logged).toEqual([]);
  });

  it('until the controller ends', async () => {
    const { lost, isHeld, waits, ready, clock } = setUp(new FakeCache());
    let isAborted = false;
    lost((signal) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise(() => {});
    });
    expect(isHeld()).toBe(true);
    await clock.advance(0);
    waits[Symbol.dispose]();
    await clock.advance(60_000);
    expect([isAborted, ready]).toEqual([true, []]);
  });
});

describe('a key that has not run since its write', () => {
  const minute = 60_000;

  it.each<[string, (cache: FakeCache) => void]>([
    ['has passed the version, and never showed the object', (cache) => cache.bookmark('9')],
    ['was listed again without the object', (cache) => cache.relist('12', [])],
    [
      'was listed again with an older state of the object',
      (cache) => {
        cache.relist('7', [['shop/a', '5']]);
        cache.bookmark('9');
      },
    ],
    ['shows nothing', () => {}],
  ])('runs again after a minute if the cache %s', async (_, moves) => {
    const cache = new FakeCache();
    const { wrote, again, clock, logged, waits, isHeld } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    moves(cache);
    await clock.advance(minute - 1);
    expect(again).toEqual([]);
    await clock.advance(1);
    expect(again).toEqual(['shop/parent']);
    expect(logged).toEqual([
      'a key runs again: no cache has shown what it wrote {"key":"shop/parent","types":["v1/configmaps"],"objects":["shop/a"]}',
    ]);
    expect(isHeld()).toBe(false);
    await clock.advance(10 * minute);
    expect([again.length, clock.pending, cache.observers]).toEqual([1, 0, 0]);
    waits[Symbol.dispose]();
  });

  it.each<[string, Partial<StoredWrite>, (cache: FakeCache) => void]>([
    ['has shown the object', { resourceVersion: '9' }, (cache) => cache.event('shop/a', '9')],
    ['has shown a later state of it', { resourceVersion: '9' }, (cache) => cache.event('shop/a', '11')],
    [
      'has shown the object, which was deleted then',
      { resourceVersion: '9' },
      (cache) => {
        cache.event('shop/a', '9');
        cache.event('shop/a', '12', null);
      },
    ],
    [
      'has shown the object at a version without an order',
      { resourceVersion: 'x9' },
      (cache) => {
        cache.event('shop/a', 'x9', 'u', false);
        cache.event('shop/a', 'x5', null, false);
      },
    ],
    ['does not select the object', { resourceVersion: '9' }, (cache) => cache.bookmark('9')],
    ['has shown the deletion', { isGone: true }, (cache) => cache.event('shop/a', '9', null)],
  ])('does not run again if the cache %s', async (what, write, moves) => {
    const cache = new FakeCache();
    cache.selects = () => !what.includes('not select');
    if (write.isGone) cache.event('shop/a', '5');
    const { wrote, again, clock, isHeld } = setUp(cache);
    wrote('shop/a', write);
    moves(cache);
    await clock.advance(11 * minute);
    expect([again, clock.pending, cache.observers, isHeld()]).toEqual([[], 0, 0, false]);
  });

  it('runs again if a restored server has the object that it deleted', async () => {
    const cache = new FakeCache();
    cache.event('shop/a', '5');
    const { wrote, again, clock } = setUp(cache);
    wrote('shop/a', { isGone: true });
    cache.relist('7', [['shop/a', '5']]);
    await clock.advance(minute);
    expect(again).toEqual(['shop/parent']);
  });

  it('does not run again if the cache had passed its latest write when that was noted', async () => {
    const cache = new FakeCache();
    const { wrote, again, clock } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    cache.bookmark('12');
    wrote('shop/a', { resourceVersion: '10' });
    await clock.advance(3 * minute);
    expect(again).toEqual([]);
  });

  it('is looked at once a minute, in the order of the last writes, and not before a minute has passed', async () => {
    const cache = new FakeCache();
    const { wrote, again, clock } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' }, 'shop/first');
    await clock.advance(30_000);
    wrote('shop/b', { resourceVersion: '9' }, 'shop/second');
    cache.bookmark('9');
    expect(clock.pending).toBe(1);
    await clock.advance(29_000);
    wrote('shop/a', { resourceVersion: '19' }, 'shop/first');
    cache.bookmark('19');
    await clock.advance(1_000);
    expect(again).toEqual([]);
    await clock.advance(10_000);
    wrote('shop/c', { resourceVersion: '29' }, 'shop/first');
    cache.bookmark('29');
    await clock.advance(50_000);
    expect(again).toEqual(['shop/second']);
    await clock.advance(minute);
    expect(again).toEqual(['shop/second', 'shop/first']);
  });

  it('names at most ten objects that it wrote', async () => {
    const { wrote, clock, logged } = setUp(new FakeCache());
    for (let i = 10; i < 21; i++) wrote(`shop/a${i}`, { resourceVersion: '9' });
    await clock.advance(minute);
    expect(logged.join()).toContain('"shop/a19"]');
  });

  it('does not run again if it was dropped since, but after its next write', async () => {
    const cache = new FakeCache();
    const { waits, wrote, again, clock } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    waits.dropped('shop/parent');
    waits.dropped('shop/unknown');
    await clock.advance(2 * minute);
    expect(again).toEqual([]);
    wrote('shop/a', { resourceVersion: '10' });
    await clock.advance(2 * minute);
    expect(again).toEqual(['shop/parent']);
  });

  it('is not looked at while a run waits, nor before a cache without a watch had ten minutes', async () => {
    const cache = new FakeCache();
    cache.connection = 'disconnected';
    const { wrote, again, clock, isHeld } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    wrote('shop/b', { resourceVersion: '9' }, 'shop/waiting');
    expect(isHeld('shop/waiting')).toBe(true);
    await clock.advance(9 * minute);
    expect(again).toEqual([]);
    await clock.advance(minute);
    expect(again).toEqual(['shop/parent']);
    expect(isHeld('shop/waiting')).toBe(false);
  });
});

describe('a wait', () => {
  it('is reported after 10 seconds, given up after a minute, and measured', async () => {
    const cache = new FakeCache();
    const { waits, wrote, isHeld, clock, logged, waited } = setUp(cache);
    await clock.advance(7_000);
    wrote('shop/a', { resourceVersion: '8' });
    wrote('shop/a', { resourceVersion: '9' });
    expect(waits.before('shop/parent')).toEqual({ afterMs: 10_000 });
    await clock.advance(120);
    expect(waits.of('shop/parent')).toEqual({ waitedMs: 120, types: ['v1/configmaps'] });
    await clock.advance(9_879);
    expect(waits.before('shop/parent')).toEqual({ afterMs: 1 });
    expect(logged).toEqual([]);
    await clock.advance(1);
    expect(logged).toEqual([]);
    expect(waits.before('shop/parent')).toEqual({ afterMs: 50_000 });
    expect(isHeld()).toBe(true);
    expect(logged.splice(0)).toEqual([
      'a key waits for its own writes, which its caches do not show {"key":"shop/parent","types":["v1/configmaps"],"caches":["v1/configmaps"],"waitedSeconds":10}',
    ]);
    await clock.advance(49_999);
    expect(isHeld()).toBe(true);
    await clock.advance(1);
    expect([isHeld(), isHeld()]).toEqual([false, false]);
    expect(logged.splice(0)).toEqual([
      'the next run may read a state before its own writes: the caches did not show them {"types":["v1/configmaps"],"objects":["shop/a"]}',
    ]);
    expect(waits.of('shop/parent')).toBe(undefined);
    wrote('shop/a', { resourceVersion: '10' });
    expect(isHeld()).toBe(true);
    await clock.advance(10_250);
    expect([isHeld(), logged.length]).toEqual([true, 1]);
    cache.bookmark('10');
    expect(isHeld()).toBe(false);
    expect(waited).toEqual(['timeout 60', 'success 10.25']);
  });

  it('begins again, is reported again and is measured again for a later write, while others are still unseen', async () => {
    const cache = new FakeCache();
    cache.selects = ({ metadata }) => metadata.name !== 'hidden';
    const { waits, wrote, isHeld, clock, logged, waited } = setUp(cache);
    wrote('shop/hidden', { resourceVersion: '99' });
    for (const resourceVersion of ['9', '10']) {
      await clock.advance(2_000);
      wrote('shop/a', { resourceVersion });
      expect(isHeld()).toBe(true);
      expect(waits.of('shop/parent')?.waitedMs).toBe(0);
      await clock.advance(10_000);
      expect(isHeld()).toBe(true);
      cache.event('shop/a', resourceVersion);
      expect([isHeld(), waits.of('shop/parent')]).toEqual([false, undefined]);
    }
    expect(logged.map((line) => line.replace(/.*,/, ''))).toEqual(['"waitedSeconds":10}', '"waitedSeconds":10}']);
    expect(waited).toEqual(['success 10', 'success 10']);
  });

  it('for several writes gives up each in its time, and is reported again for those that are left', async () => {
    const { wrote, isHeld, clock, logged, waited } = setUp(new FakeCache());
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(true);
    await clock.advance(30_000);
    wrote('shop/b', { resourceVersion: '10' });
    expect(isHeld()).toBe(true);
    await clock.advance(30_000);
    expect(isHeld()).toBe(true);
    await clock.advance(10_000);
    expect(isHeld()).toBe(true);
    await clock.advance(20_000);
    expect(isHeld()).toBe(false);
    expect(logged.map((line) => line.slice(0, 12))).toEqual([
      'a key waits ',
      'the next run',
      'a key waits ',
      'the next run',
    ]);
    expect(waited).toEqual(['timeout 60', 'timeout 30']);
  });

  it('of eleven objects that is given up names ten of them', async () => {
    const { wrote, isHeld, clock, logged } = setUp(new FakeCache());
    for (let i = 10; i < 21; i++) wrote(`shop/a${i}`, { resourceVersion: '9' });
    isHeld();
    await clock.advance(60_000);
    isHeld();
    expect(logged.at(-1)).toContain('"shop/a19"]');
  });

  it('lasts ten minutes at most while the cache has no watch', async () => {
    const cache = new FakeCache();
    cache.connection = 'disconnected';
    const { waits, wrote, isHeld, clock } = setUp(cache);
    wrote('shop/a', { resourceVersion: '9' });
    expect(isHeld()).toBe(true);
    await clock.advance(10_000);
    isHeld();
    expect(waits.before('shop/parent')).toEqual({ afterMs: 60_000 });
    await clock.advance(589_000);
    expect(isHeld()).toBe(true);
    await clock.advance(1_000);
    expect(isHeld()).toBe(false);
  });

  it('keeps nothing of keys that wrote long ago, and no observer after its end', async () => {
    const cache = new FakeCache();
    const { waits, wrote, isHeld, clock } = setUp(cache);
    wrote('shop/a', { resourceVersion: 'x1' }, 'shop/first');
    await clock.advance(600_000);
    wrote('shop/b', { resourceVersion: '9' }, 'shop/second');
    expect([isHeld('shop/first'), isHeld('shop/second')]).toEqual([false, true]);
    waits[Symbol.dispose]();
    expect([isHeld('shop/second'), cache.observers, clock.pending]).toEqual([false, 0, 0]);
  });

  it('of thousands of keys ends one by one', () => {
    const cache = new FakeCache();
    const { wrote, isHeld, ready } = setUp(cache);
    const count = 5_000;
    for (let i = 0; i < count; i++) {
      wrote(`shop/a${i}`, { resourceVersion: String(1_000 + ((i * 7_919) % count)) }, `shop/p${i}`);
      isHeld(`shop/p${i}`);
    }
    const startedAt = performance.now();
    for (let version = 1_000; version < 1_000 + count; version++) cache.bookmark(String(version));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(new Set(ready).size).toBe(count);
    expect(ready).toHaveLength(count);
  });
});
