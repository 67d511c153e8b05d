import { describe, expect, it } from 'vitest';
import type { IndexDefinition } from '../../../src/query/index/index-definition.ts';
import { RequestedIndexes } from '../../../src/serve/hold/requested-indexes.ts';
import type { ServedCache } from '../../../src/serve/hold/served-cache.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const index = (key: string): IndexDefinition => ({ name: key, key, from: key, stable: true, valuesOf: () => [] });

/** A cache that builds indexes when a test says so, and what was asked of it. */
function cache(name: string) {
  const indexes = new Set<string>();
  const builds: { keys: string[]; signal: unknown; end: (error?: Error) => void }[] = [];
  const informer = {
    name,
    lister: { hasIndex: (key: string) => indexes.has(key) },
    buildIndexers: (indexers: object, signal: unknown) =>
      new Promise<void>((resolve, reject) => {
        const keys = Object.keys(indexers);
        builds.push({
          keys,
          signal,
          end: (error) => {
            if (error) return reject(error);
            for (const key of keys) indexes.add(key);
            resolve();
          },
        });
      }),
    removeIndexers: (keys: readonly string[]) => {
      for (const key of keys) indexes.delete(key);
    },
  };
  return { informer: informer as unknown as ServedCache['informer'], indexes, builds };
}

function scene() {
  const clock = new FakeClock();
  const ending = new AbortController();
  const asked = new RequestedIndexes(clock, ending.signal, (key) => key === 'declared');
  return { clock, ending, asked };
}

describe('an index that a question names', () => {
  it('is built once for each cache, with the signal of the serve', () => {
    const { asked, ending } = scene();
    const [pods, nodes] = [cache('pods'), cache('nodes')];
    for (let i = 0; i < 2; i++) asked.asked([index('a'), index('b')], [pods, nodes]);
    for (const { builds } of [pods, nodes]) {
      expect(builds.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
      expect(builds.every(({ signal }) => signal === ending.signal)).toBe(true);
    }
  });

  it('is waited for until it is built for each cache, or failed', async () => {
    const { asked } = scene();
    const [pods, nodes] = [cache('pods'), cache('nodes')];
    let isReady = false;
    void asked.asked([index('a'), index('declared')], [pods, nodes]).then(() => (isReady = true));
    const builds = [...pods.builds, ...nodes.builds];
    for (const [i, build] of builds.entries()) {
      await settled();
      expect(isReady).toBe(false);
      build.end(i === 0 ? new Error('no') : undefined);
    }
    await settled();
    expect([isReady, builds.length]).toEqual([true, 4]);
  });

  it('is not built where the cache has it', () => {
    const { asked } = scene();
    const pods = cache('pods');
    pods.indexes.add('a');
    asked.asked([index('a')], [pods]);
    expect(pods.builds).toEqual([]);
  });

  it('is built again by another cache of that name, and after its building failed', async () => {
    const { asked } = scene();
    const [before, after] = [cache('pods'), cache('pods')];
    asked.asked([index('a')], [before]);
    asked.asked([index('a')], [after]);
    expect([before.builds.length, after.builds.length]).toEqual([1, 1]);
    after.builds[0]?.end(new Error('stopped'));
    await settled();
    asked.asked([index('a')], [after]);
    expect(after.builds).toHaveLength(2);
  });
});

describe('of more than 64 indexes', () => {
  const keys = Array.from({ length: 64 }, (_, i) => `k${i}`);

  /** 64 indexes, asked for one after the other, built and whole. */
  async function full(first = 'k0') {
    const { clock, asked } = scene();
    const pods = cache('pods');
    for (const key of [first, ...keys.slice(1)]) {
      clock.tick(1);
      asked.asked([index(key)], [pods]);
    }
    for (const { end } of pods.builds) end();
    await settled();
    expect(pods.indexes.size).toBe(64);
    return { clock, asked, pods };
  }

  it('the one that was not asked for the longest time is dropped, and may be built again', async () => {
    const { clock, asked, pods } = await full();
    clock.tick(1);
    asked.asked([index('k0')], [pods]); // is the newest now
    asked.asked([index('more')], [pods]);
    await settled();
    expect([pods.indexes.has('k0'), pods.indexes.has('k1'), pods.indexes.has('k2')]).toEqual([true, false, true]);
    asked.asked([index('k1')], [pods]);
    expect(pods.builds.at(-1)?.keys).toEqual(['k1']);
  });

  it('one that was declared stays', async () => {
    const { asked, pods } = await full('declared');
    asked.asked([index('more')], [pods]);
    await settled();
    expect(pods.indexes.has('declared')).toBe(true);
  });

  it('one that is still built is dropped when it is whole', async () => {
    const { asked } = scene();
    const pods = cache('pods');
    for (const key of [...keys, 'more']) asked.asked([index(key)], [pods]);
    await settled();
    pods.builds[0]?.end();
    await settled();
    expect([...pods.indexes]).toEqual([]);
  });
});
