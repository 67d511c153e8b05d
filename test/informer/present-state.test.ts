import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import { PresentState } from '../../src/informer/present-state.ts';
import { createLogger, silentLogger } from '../../src/kit/logger.ts';
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

/** A present state over a cache at version 10. The lists never agree with it, unless `differs` is unset. */
function questions({ size = 0, shown = '10', ...answers }: { size?: number; shown?: string; version?: string } = {}) {
  const clock = new FakeClock();
  const running = new AbortController();
  const facts = { shown, version: answers.version ?? '20', fails: false, differs: false };
  const times: { asked: number[]; listed: number[] } = { asked: [], listed: [] };
  const lines: unknown[] = [];
  let answered: PromiseWithResolvers<void> | undefined;
  let lastAsked: AbortSignal | undefined;
  const state = new PresentState(
    {
      askVersion: async (signal) => {
        times.asked.push(clock.monotonic());
        lastAsked = signal;
        await answered?.promise;
        if (facts.fails) throw new Error('no answer');
        return facts.version;
      },
      shownVersion: () => facts.shown,
      comparison: {
        cached: () => [],
        get: () => undefined,
        list: async () => {
          times.listed.push(clock.monotonic());
          return facts.differs ? [['a', { metadata: { name: 'a', resourceVersion: '20' } }] as const] : [];
        },
        isBehind: () => false,
        clock,
        graceMs: 0,
      },
      size: () => size,
      logger: createLogger((level, message, fields) => lines.push([level, message, fields])),
    },
    running.signal,
  );
  const ask = () => {
    const caller = new AbortController();
    const seen = { is: 'waiting', caller };
    state.when(caller.signal).then(
      () => (seen.is = 'current'),
      (error: Error) => (seen.is = error.message),
    );
    return seen;
  };
  const show = (version: string) => {
    facts.shown = version;
    state.changed();
  };
  /** Gives no answer before the result is called. */
  const hold = () => {
    answered = Promise.withResolvers();
    const { resolve } = answered;
    return () => {
      answered = undefined;
      resolve();
    };
  };
  return { clock, running, facts, times, lines, ask, show, hold, isEnded: () => lastAsked?.aborted };
}

describe('a question for the present state', () => {
  const PAUSES = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];

  it('without an answer is repeated at growing intervals of up to 30 s, with a line in the log', async () => {
    const { clock, facts, times, lines, ask } = questions();
    facts.fails = true;
    const one = ask();
    await clock.advance(110_000);
    expect(times.asked).toEqual(PAUSES.map((_, i) => PAUSES.slice(0, i).reduce((sum, ms) => sum + ms, 0)));
    const text = 'could not find out whether the cache shows the present state';
    expect(lines[0]).toEqual(['debug', text, { error: 'no answer' }]);
    facts.fails = false;
    await clock.advance(30_000);
    expect([one.is, times.listed.length]).toEqual(['current', 1]);
  });

  it('is asked once; the objects are compared again at growing intervals while they differ', async () => {
    const { clock, facts, times, lines, ask } = questions();
    facts.differs = true;
    const one = ask();
    await clock.advance(1_000);
    const at = [0, 100, 300, 700];
    expect([times.asked, times.listed, lines]).toEqual([[0], at.flatMap((ms) => [ms, ms]), []]); // each by two lists
    facts.differs = false;
    await clock.advance(500);
    expect([one.is, times.listed.at(-1)]).toEqual(['current', 1500]);
  });

  it.each([
    ['the same version', '20', 'current'],
    ['a later version', '21', 'current'],
    ['an earlier version', '19', 'waiting'],
    ['a version without an order', 'x', 'waiting'],
    ['no version', '', 'waiting'],
  ])('is answered when the cache shows %s, and by a comparison where it does not', async (_, version, expected) => {
    const { clock, times, ask, show } = questions({ size: 1000 });
    const one = ask();
    await clock.advance(10);
    show(version);
    await clock.advance(10);
    expect([one.is, times.listed]).toEqual([expected, []]);
    await clock.advance(1_000);
    expect([one.is, times.listed.length]).toEqual(['current', expected === 'current' ? 0 : 1]);
  });

  it('is answered at once by a cache at the version of the server, and leaves no timer', async () => {
    const { clock, times, ask, running } = questions({ size: 1000, shown: '20' });
    const one = ask();
    await clock.advance(0);
    expect([one.is, times.listed, clock.pending]).toEqual(['current', [], 0]);
    expect([running, one.caller].map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], []]);
  });

  it('is answered by a later version of a cache that showed one without an order', async () => {
    const { clock, times, ask, show } = questions({ size: 1000, shown: 'x' });
    const one = ask();
    await clock.advance(10);
    show('20');
    await clock.advance(10);
    expect([one.is, times.listed]).toEqual(['current', []]);
  });

  it('that fails because the cache ends is not logged', async () => {
    const { clock, facts, lines, ask, hold, running } = questions();
    facts.fails = true;
    const release = hold();
    const one = ask();
    await clock.advance(10);
    running.abort(new Error('the informer ends'));
    release();
    await clock.advance(10);
    expect([one.is, lines]).toEqual(['the informer ends', []]);
  });

  it('is not answered by a version of a history that the server no longer has', async () => {
    const { clock, times, ask, show } = questions({ size: 1000, shown: '30' });
    const one = ask();
    await clock.advance(10);
    show('31');
    await clock.advance(10);
    expect([one.is, times.listed]).toEqual(['waiting', []]);
    await clock.advance(1_000);
    expect([one.is, times.listed]).toEqual(['current', [1000]]);
  });

  it('is shared by callers that come before it is sent; later ones wait for the next one', async () => {
    const { clock, times, ask, hold, show } = questions();
    const release = hold();
    const early = [ask(), ask()];
    await clock.advance(10);
    const late = [ask(), ask()];
    await clock.advance(10);
    expect(times.asked).toEqual([0]);
    release();
    await clock.advance(10);
    expect(times.asked).toEqual([0, 20]);
    show('20');
    await clock.advance(10);
    expect([...early, ...late].map(({ is }) => is)).toEqual(Array(4).fill('current'));
    const again = ask();
    await clock.advance(10);
    expect([again.is, times.asked.length]).toEqual(['current', 3]);
  });

  it('is asked for a later caller also where the one before it failed', async () => {
    const { clock, times, ask, hold } = questions();
    const release = hold();
    const early = ask();
    await clock.advance(10);
    const late = ask();
    early.caller.abort(new Error('enough'));
    release();
    await clock.advance(10);
    expect([early.is, late.is, times.asked]).toEqual(['enough', 'current', [0, 10]]);
  });

  it('ends when the last of its callers leaves, and with the cache', async () => {
    const { clock, ask, hold, running, isEnded } = questions();
    hold();
    const both = [ask(), ask()];
    await clock.advance(10);
    both[0]?.caller.abort(new Error('enough'));
    await clock.advance(10);
    expect([both.map(({ is }) => is), isEnded()]).toEqual([['enough', 'waiting'], false]);
    both[1]?.caller.abort(new Error('enough'));
    await clock.advance(10);
    expect([both[1]?.is, isEnded()]).toEqual(['enough', true]);
    const other = questions();
    other.facts.fails = true;
    const waiting = other.ask();
    await other.clock.advance(10);
    other.running.abort(new Error('the informer ends'));
    await other.clock.advance(10);
    expect([waiting.is, other.clock.pending, running.signal.aborted]).toEqual(['the informer ends', 0, false]);
  });
});
