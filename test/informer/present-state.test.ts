import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { PresentState } from '../../src/informer/present-state.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, inProcess } from '../support/in-process.ts';
import { unordered } from '../support/unordered.ts';

const LAG_MS = 700;

interface Setup {
  readonly namespaces?: string[];
  readonly store?: 'compact';
  readonly isUnordered?: boolean;
}

/** A cache of `count` objects that is behind by LAG_MS. */
async function behind(count = 3, { isUnordered = false, ...options }: Setup = {}) {
  const place = await inProcess();
  const { sandbox, clock, sent, transport } = place;
  const client = isUnordered ? createClient(unordered(transport), { clock, logger: silentLogger }) : place.client;
  const maps = new ConfigMaps(sandbox);
  for (let i = 0; i < count; i++) maps.put(`shop/a-${i}`);
  const lag = { kind: 'lag', ms: LAG_MS } as const;
  sandbox.faults.add({ fault: lag, match: { watch: true }, times: Number.POSITIVE_INFINITY });
  const factory = dynamicInformerFactory(client, { logger: silentLogger, ...options });
  const { informer, lister } = factory.forResource<ConfigMap>(CONFIG_MAPS);
  const stop = new AbortController();
  factory.start(stop.signal);
  await clock.advance(2 * LAG_MS);
  sent.length = 0;
  const asked = () => sent.filter(({ path }) => !path.includes('watch')).length;
  /** How long it takes until the cache is current, ms; undefined if it is not within a minute. */
  const current = async () => {
    const since = clock.monotonic();
    let took: number | undefined;
    void informer.whenCurrent(stop.signal).then(
      () => {
        took = clock.monotonic() - since;
      },
      () => {},
    );
    for (let turn = 0; took === undefined && turn < 6_000; turn++) await clock.advance(10);
    return took;
  };
  const end = async () => {
    stop.abort();
    await clock.advance(0);
    await factory.shutdown();
    await sandbox.stop();
  };
  return { ...place, maps, informer, lister, asked, current, stop, end };
}

describe('a cache is current', () => {
  it.each([
    ['objects', {}],
    ['packed objects', { store: 'compact' as const }],
    ['several namespaces', { namespaces: ['shop', 'bank'] }],
    ['versions that have no order', { isUnordered: true }],
  ])('when it shows what was there at the call, with %s', async (_, options) => {
    const { maps, sandbox, lister, current, end } = await behind(3, options);
    maps.put('shop/new');
    maps.put('shop/a-1', 'n2');
    sandbox.delete(CONFIG_MAPS, 'shop/a-2');
    expect(lister.get('shop/new')).toBeUndefined();
    const took = await current();
    expect(took).toBeGreaterThan(LAG_MS - 100);
    expect(took).toBeLessThan(LAG_MS + 700);
    expect(lister.get('shop/new')).toBeDefined();
    expect(lister.get('shop/a-1')?.data).toEqual({ node: 'n2' });
    expect(lister.get('shop/a-2')).toBeUndefined();
    await end();
  });

  it('at once, after two requests, if nothing changed in a quiet collection', async () => {
    const { sandbox, asked, current, end } = await behind();
    sandbox.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'shop', name: 'other' } });
    expect(await current()).toBeLessThanOrEqual(20);
    expect(asked()).toBe(2);
    await end();
  });

  it('after one request, if its version is the latest', async () => {
    const { asked, current, end } = await behind();
    expect(await current()).toBeLessThanOrEqual(10);
    expect(asked()).toBe(1);
    await end();
  });

  it('of many objects without a list, if an event comes soon', async () => {
    const { maps, asked, current, end } = await behind(2_000);
    maps.put('shop/new');
    expect(await current()).toBeLessThanOrEqual(LAG_MS + 10);
    expect(asked()).toBe(1);
    await end();
  });
});

it('callers that come while the server is asked share the next question', async () => {
  const { maps, clock, informer, lister, asked, stop, end } = await behind();
  const first = informer.whenCurrent(stop.signal);
  await clock.advance(0);
  maps.put('shop/new');
  const later = [1, 2, 3].map(() => informer.whenCurrent(stop.signal).then(() => lister.get('shop/new')));
  await clock.advance(5_000);
  await first;
  for (const each of await Promise.all(later)) expect(each).toBeDefined();
  expect(asked()).toBeLessThanOrEqual(3);
  await end();
});

it('a server that does not answer is asked again, until the last caller gives up', async () => {
  const { sandbox, clock, informer, asked, current, end } = await behind();
  sandbox.faults.add({ fault: { kind: 'status', code: 500 }, match: { method: 'GET', watch: false }, times: 3 });
  expect(await current()).toBeLessThan(2_000);
  const given = new AbortController();
  const fault = { kind: 'status', code: 500 } as const;
  sandbox.faults.add({ fault, match: { method: 'GET', watch: false }, times: Number.POSITIVE_INFINITY });
  const waiting = informer.whenCurrent(given.signal);
  waiting.catch(() => {});
  await clock.advance(1_000);
  given.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await clock.advance(1_000);
  const before = asked();
  await clock.advance(60_000);
  expect(asked()).toBe(before);
  await end();
});

it('rejects before the sync', async () => {
  const { client, sandbox } = await inProcess();
  const { informer } = dynamicInformerFactory(client).forResource(CONFIG_MAPS);
  await expect(informer.whenCurrent(new AbortController().signal)).rejects.toMatchObject({ code: 'closed' });
  await sandbox.stop();
});

it.each([
  [0, 0],
  [300, 300],
  [5_000, 5_000],
  [1_000_000, 5_000],
])('the objects of a cache of %i that is behind are compared after %i ms', async (size, ms) => {
  const clock = new FakeClock();
  const lists: number[] = [];
  const comparison = {
    cached: () => [],
    get: () => undefined,
    list: async () => {
      lists.push(clock.monotonic());
      return [];
    },
    isBehind: () => false,
    clock,
    graceMs: 10_000,
  };
  const state = new PresentState(
    {
      askVersion: async () => '20',
      shownVersion: () => '10',
      comparison,
      size: () => size,
      logger: silentLogger,
    },
    new AbortController().signal,
  );
  const current = state.when(new AbortController().signal);
  await clock.advance(Math.max(0, ms - 1));
  expect(lists).toEqual(ms === 0 ? [0] : []);
  await clock.advance(1);
  await current;
  expect(lists).toEqual([ms]);
});
