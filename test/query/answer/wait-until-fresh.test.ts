import { describe, expect, it } from 'vitest';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { ensureFresh, type Freshness, hasReached, isFresh } from '../../../src/query/answer/wait-until-fresh.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess, readsOf } from '../../support/in-process.ts';

/** An informer over the config maps a/p0, a/p1 and b/p2 of a server whose bookmarks come every minute. */
async function following({ deaf = false } = {}) {
  const { sandbox, clock, client, sent } = await inProcess({ bookmarkIntervalMs: 60_000 });
  const maps = new ConfigMaps(sandbox);
  for (const key of ['a/p0', 'a/p1', 'b/p2']) maps.put(key);
  if (deaf) sandbox.faults.add({ fault: { kind: 'stall', after: 0 }, match: { watch: true, path: '/v1/configmaps' } });
  const informer = new SharedInformer<ConfigMap>(client.resource<ConfigMap>(CONFIG_MAPS), {
    name: 'configmaps',
    clock,
    random: () => 0,
    idleMs: Number.POSITIVE_INFINITY,
    sync: 'auto',
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.advance(1000);
  const before = readsOf(sandbox).length;
  return {
    sandbox,
    clock,
    informer,
    maps,
    sent,
    /** The requests since the first list and watch. */
    asked: () => readsOf(sandbox).slice(before),
    ensure: async (wish: Freshness, { limitMs = 10_000, follows = true, advanceMs = 20_000 } = {}) => {
      const startedAt = clock.monotonic();
      let tookMs = 0;
      const ensuring = ensureFresh([informer], wish, { clock, limitMs, signal: controller.signal, follows }).finally(
        () => {
          tookMs = clock.monotonic() - startedAt;
        },
      );
      ensuring.catch(() => {});
      await clock.advance(advanceMs);
      return { stale: await ensuring, tookMs };
    },
    abort: (reason: unknown) => controller.abort(reason),
    async [Symbol.asyncDispose]() {
      controller.abort();
      await running;
      await sandbox.stop();
      expect(clock.pending).toBe(0);
    },
  };
}

describe('a cache that must be fresh', () => {
  it('costs nothing where it is', async () => {
    await using world = await following();
    expect(await world.ensure({ freshMs: 5000 })).toEqual({ stale: [], tookMs: 0 });
    expect(world.asked()).toEqual([]);
  });

  it('is proved by the next event, without a request', async () => {
    await using world = await following();
    await world.clock.advance(30_000);
    expect(isFresh(world.informer, { freshMs: 2000 })).toBe(false);
    world.clock.after(100, () => void world.maps.put('a/p0', 'n2'));
    expect(await world.ensure({ freshMs: 2000 })).toEqual({ stale: [], tookMs: 100 });
    expect(world.asked()).toEqual([]);
  });

  it('is proved by one list of metadata where the stream is silent', async () => {
    await using world = await following();
    await world.clock.advance(30_000);
    expect(await world.ensure({ freshMs: 2000 })).toEqual({ stale: [], tookMs: 500 });
    expect(world.informer.continuity[0]).toMatchObject({ verifications: 1, drifts: 0 });
    expect(world.asked()).toEqual(['list']);
    expect(world.sent.at(-1)?.headers?.accept).toContain('as=PartialObjectMetadataList');
    expect(isFresh(world.informer, { freshMs: 20_000 })).toBe(true);
  });

  it('is not fresh where its stream is dead and the server has moved on: it differs', async () => {
    await using world = await following({ deaf: true });
    world.maps.put('a/p0', 'n2');
    world.maps.delete('a/p1');
    world.maps.put('b/new');
    await world.clock.advance(30_000);
    const { stale, tookMs } = await world.ensure({ freshMs: 2000 });
    expect(tookMs).toBe(10_000);
    expect(stale).toMatchObject([{ cache: world.informer, confirmed: [{ differing: 3 }], error: undefined }]);
  });

  it('is not fresh where the server cannot be asked, and the error is known', async () => {
    await using world = await following();
    await world.clock.advance(30_000);
    world.sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { watch: false }, times: 100 });
    const { stale, tookMs } = await world.ensure({ freshMs: 2000 }, { limitMs: 3000 });
    expect(tookMs).toBe(3000);
    expect(stale).toMatchObject([{ confirmed: undefined }]);
    expect(String(stale[0]?.error)).toContain('failed to list configmaps');
  });

  it('ends with the signal', async () => {
    await using world = await following({ deaf: true });
    world.maps.put('b/new');
    await world.clock.advance(30_000);
    world.clock.after(700, () => world.abort(new Error('enough')));
    await expect(world.ensure({ freshMs: 2000 })).rejects.toThrow('enough');
  });
});

describe('a cache that must have reached a version', () => {
  it('has the write when the wait is over', async () => {
    await using world = await following();
    const version = world.maps.put('a/mine');
    expect(await world.ensure({ atLeastRv: version })).toMatchObject({ stale: [] });
    expect(world.informer.lister.get('a/mine')?.metadata.resourceVersion).toBe(version);
    expect(world.asked()).toEqual([]);
  });

  it('is proved by a list where the version is of another type, of which no event comes', async () => {
    await using world = await following();
    const [secret] = world.sandbox.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'a' } });
    const atLeastRv = secret?.metadata.resourceVersion ?? '';
    expect(await world.ensure({ atLeastRv })).toEqual({ stale: [], tookMs: 500 });
    expect(world.asked()).toEqual(['list']);
  });

  it('is waited for where the server has not reached it either', async () => {
    await using world = await following();
    const [last] = world.maps.state.map((each) => Number(each.split('@')[1])).toSorted((a, b) => b - a);
    world.clock.after(3000, () => {
      for (let i = 0; i < 5; i++) world.maps.put(`a/late-${i}`);
    });
    expect(await world.ensure({ atLeastRv: String((last ?? 0) + 4) })).toMatchObject({ stale: [], tookMs: 3000 });
  });

  it.each(['99999999', 'not-a-number'])('is given up after the limit: %s', async (atLeastRv) => {
    await using world = await following();
    const { stale, tookMs } = await world.ensure({ atLeastRv }, { limitMs: 4000 });
    expect(tookMs).toBe(4000);
    expect(stale).toMatchObject([{ confirmed: [{ differing: 0, resourceVersion: expect.stringMatching(/^\d+$/) }] }]);
    expect(world.asked().length).toBeLessThan(8);
  });

  it('is given up at once where it follows no stream and differs', async () => {
    await using world = await following({ deaf: true });
    const atLeastRv = world.maps.put('a/mine');
    const { stale, tookMs } = await world.ensure({ atLeastRv }, { follows: false });
    expect({ tookMs, count: stale.length }).toEqual({ tookMs: 0, count: 1 });
  });
});

describe('versions', () => {
  it('are compared as numbers of any size, and others only for equality', () => {
    expect(hasReached('10', '9')).toBe(true);
    expect(hasReached('9', '10')).toBe(false);
    expect(hasReached('18446744073709551617', '18446744073709551616')).toBe(true);
    expect(hasReached('abc', 'abc')).toBe(true);
    expect(hasReached('10', 'abc')).toBe(false);
    expect(hasReached('', '0')).toBe(true);
    expect(hasReached('', undefined)).toBe(true);
  });
});
