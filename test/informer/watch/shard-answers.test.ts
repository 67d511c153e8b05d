import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/informer/watch/lister-watcher.ts';
import { isChangedCollection } from '../../../src/informer/watch/moved-collection.ts';
import { ShardedSource, shardingOf } from '../../../src/informer/watch/sharded-source.ts';
import type { ListOptions, WatchOptions } from '../../../src/model/list-options.ts';
import { ShardSet } from '../../../src/model/shard-set.ts';
import { INITIAL_EVENTS_END } from '../../../src/model/watch-event.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

const OF = { of: 4, by: 'namespace' } as const;
const PART = new ShardSet({ ...OF, indexes: [2] });
const object = (namespace: string) => ({ metadata: { name: 'a', namespace } });
const namespaces = Array.from({ length: 200 }, (_, i) => `${i}-team-${i}`);
const ours = namespaces.filter((name) => PART.selection.has(object(name))).map(object);
const others = namespaces.filter((name) => !PART.selection.has(object(name))).map(object);

interface Answers {
  readonly pages?: object[];
  readonly batches?: object[][];
  readonly probe?: object;
  readonly indexes?: number[];
}

/** A source of a part over a server that gives these answers, with what it was asked for, and by which context. */
function part({ pages = [], batches = [], probe, indexes = [2] }: Answers) {
  const asked: [string, ListOptions | WatchOptions, CallContext][] = [];
  const found: string[] = [];
  const shards = new ShardSet({ ...OF, indexes });
  const inner = {
    list: async (options: ListOptions, context: CallContext) => {
      asked.push(['list', options, context]);
      return { items: [], resourceVersion: '7', ...(pages.shift() ?? {}) };
    },
    watch: async (options: WatchOptions, context: CallContext) => {
      asked.push(['watch', options, context]);
      if (batches.length === 0) throw new Error('refused');
      return (async function* () {
        yield* batches;
      })();
    },
    ...(probe && {
      probe: async (options: ListOptions, context: CallContext) => {
        asked.push(['probe', options, context]);
        await settled();
        return { items: [], resourceVersion: '7', ...probe };
      },
    }),
  };
  const source = new ShardedSource<unknown>(inner as never, shards, {
    clock: new FakeClock(),
    onSharding: (by) => found.push(by),
  });
  const ending = new AbortController();
  const context = { signal: ending.signal };
  return { source, shards, asked, found, ending, context };
}

const { selector } = PART.selection;

it('the names of the namespaces below are in all parts', () => {
  expect([ours.length > 20, others.length > 20]).toEqual([true, true]);
});

describe('who divides a collection', () => {
  it.each<[string, object, Answers['probe'], string | undefined]>([
    ['a list with the selector', { items: [], shardSelector: 'x' }, undefined, 'server'],
    ['a list with an object of another part', { items: [others[0]] }, undefined, 'client'],
    ['a list that shows nothing, and a look with the selector', { items: [ours[0]] }, { shardSelector: 'x' }, 'server'],
    ['a list that shows nothing, and a look without it', { items: [ours[0]] }, {}, 'client'],
    ['a list that shows nothing, where no look can be had', { items: [ours[0]] }, undefined, undefined],
    ['a page that others follow', { items: [ours[0]], continue: 'more' }, { shardSelector: 'x' }, undefined],
    ['a list of twelve own objects', { items: ours.slice(0, 12), continue: 'more' }, undefined, 'server'],
    ['a list of eleven own objects', { items: ours.slice(0, 11), continue: 'more' }, undefined, undefined],
  ])('is shown by %s', async (_, page, probe, expected) => {
    const { source, found, asked, context } = part({ pages: [page], ...(probe && { probe }) });
    await source.list({ labelSelector: 'a', fieldSelector: 'b' }, context);
    expect([source.shardedBy, found]).toEqual([expected, expected === undefined ? [] : [expected]]);
    const looks = asked.filter(([verb]) => verb === 'probe').map(([, options]) => options);
    const isAsked = probe && !('continue' in page);
    expect(looks).toEqual(
      isAsked ? [{ labelSelector: 'a', fieldSelector: 'b', limit: 1, shardSelector: selector }] : [],
    );
  });

  it.each([
    [23, undefined],
    [24, 'server'],
  ])('of which a source has two of four parts is shown by 24 objects, here by %i: %s', async (count, expected) => {
    const indexes = [1, 2];
    const both = new ShardSet({ ...OF, indexes }).selection;
    const items = namespaces.map(object).filter((each) => both.has(each));
    const { source, context } = part({ pages: [{ items: items.slice(0, count), continue: 'more' }], indexes });
    await source.list({}, context);
    expect([items.length > 24, source.shardedBy]).toEqual([true, expected]);
  });

  it('is said once, and again when it changes', async () => {
    const pages = [[...ours.slice(0, 8), others[0]], ours.slice(0, 11), [others[1]], ours, [others[0]]];
    const { source, found, context } = part({ pages: pages.map((items) => ({ items, shardSelector: undefined })) });
    for (const _ of pages) await source.list({}, context);
    expect(found).toEqual(['client']);
    const server = part({ pages: [{ shardSelector: 'x' }, { shardSelector: 'x' }, { items: [others[0]] }] });
    for (const _ of [1, 2, 3]) await server.source.list({}, server.context);
    expect(server.found).toEqual(['server', 'client']);
  });

  it('is the client where parts are divided by name, which no server does', async () => {
    const list = async () => ({ items: [], resourceVersion: '7' });
    const source = new ShardedSource({ list } as never, { index: 2, of: 4, by: 'name' });
    await source.list({}, { signal: new AbortController().signal });
    expect(source.shardedBy).toBe('client');
  });

  it('is not looked for in a whole collection', async () => {
    const { source, asked, context } = part({ pages: [{ items: ours }], probe: {}, indexes: [0, 1, 2, 3] });
    await source.list({}, context);
    expect([source.shardedBy, asked.length, asked[0]?.[2].unwanted]).toEqual([undefined, 1, undefined]);
  });
});

describe('objects of other parts', () => {
  it('are counted for the whole list, over its pages, and not for a look beside it', async () => {
    const page = (count: number, more?: string) => ({ items: others.slice(0, count), continue: more });
    const { source, context } = part({ pages: [page(3, 'x'), page(2), page(5), page(1), page(4)] });
    await source.list({}, context);
    expect(source.sharding.leftOut).toBe(3);
    await source.list({ continue: 'x' }, context);
    expect(source.sharding.leftOut).toBe(5);
    await source.list({}, { ...context, isAside: true });
    await source.list({ limit: 1 }, context);
    expect(source.sharding.leftOut).toBe(5);
    await source.list({}, context);
    expect(source.sharding.leftOut).toBe(4);
    expect(shardingOf({ sources: [source, {}] })).toEqual([source.sharding]);
    expect(shardingOf({})).toEqual([]);
  });

  it('are left out by a source that looks at the bytes, until it is known that the server divides', async () => {
    const { source, asked, context } = part({ pages: [{}, { shardSelector: 'x' }, {}] });
    for (const _ of [1, 2, 3]) await source.list({}, context);
    const [first, , last] = asked.map(([, , { unwanted }]) => unwanted);
    const [own, other] = [ours[0], others[0]].map((each) => each?.metadata.namespace as string);
    expect([first?.by, first?.leavesOut(own as string), first?.leavesOut(other as string), last]).toEqual([
      'namespace',
      false,
      true,
      undefined,
    ]);
    expect(asked.map(([, options]) => options)).toEqual(Array(3).fill({ shardSelector: selector }));
  });

  it('that a source leaves out by their bytes are counted, and show that the client divides', async () => {
    const [own, other] = [ours[0], others[0]].map((each) => each?.metadata.namespace as string);
    const list = async (_: unknown, { unwanted }: CallContext) => {
      for (const namespace of [own, other, other]) unwanted?.leavesOut(namespace as string);
      return { items: [], resourceVersion: '7', continue: 'more' };
    };
    const source = new ShardedSource({ list } as never, PART);
    await source.list({}, { signal: new AbortController().signal });
    expect(source.sharding).toMatchObject({ leftOut: 2, dividedBy: 'client' });
  });

  it('are not shown to one who looks at each object of a look beside the list', async () => {
    const probe = async (_: unknown, { arrived }: CallContext) => ({
      items: [...ours.slice(0, 2), others[0], 'broken'].map((each) => arrived?.(each as never) ?? each),
      resourceVersion: '7',
    });
    const source = new ShardedSource({ probe } as never, PART);
    const seen: unknown[] = [];
    const arrived = (each: never) => {
      seen.push(each);
      return 'seen';
    };
    const context = { signal: new AbortController().signal };
    expect((await source.probe({}, { ...context, arrived })).items).toEqual(['seen', 'seen', 'seen']);
    expect(seen).toEqual([...ours.slice(0, 2), 'broken']);
    expect((await source.probe({}, context)).items).toEqual([...ours.slice(0, 2), 'broken']);
  });

  it('are none of the events of a watch, which counts those among its initial events only', async () => {
    const added = (each: unknown) => ({ type: 'ADDED', object: each });
    const bookmark = (annotations?: object) => ({ type: 'BOOKMARK', object: { metadata: { annotations } } });
    const end = bookmark({ [INITIAL_EVENTS_END]: 'true' });
    const error = { type: 'ERROR', object: {} };
    const batches = [
      [added(ours[0]), added(others[0])],
      [added(others[1]), end],
      [added(others[2]), error, bookmark()],
    ];
    for (const sendInitialEvents of [true, false]) {
      const { source, context } = part({ batches: [...batches], pages: [{ items: others.slice(0, 5) }] });
      await source.list({}, context);
      const seen: unknown[] = [];
      const options = sendInitialEvents ? { sendInitialEvents } : { resourceVersion: '7' };
      for await (const batch of await source.watch(options, context)) seen.push(batch);
      expect(seen).toEqual([[added(ours[0])], [end], [error, bookmark()]]);
      expect(source.sharding.leftOut).toBe(sendInitialEvents ? 2 : 5);
    }
  });
});

describe('a watch of a part', () => {
  it('that is refused leaves no listener, and neither does one that is left', async () => {
    const refused = part({});
    await expect(refused.source.watch({ resourceVersion: '7' }, refused.context)).rejects.toThrow('refused');
    const left = part({ batches: [[], []] });
    for await (const _ of await left.source.watch({ resourceVersion: '7' }, left.context)) break;
    for (const { ending } of [refused, left]) expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
    expect(refused.asked[0]?.[2].signal.aborted).toBe(true);
  });

  it.each([
    ['before it is opened', 0],
    ['before it is read', 1],
    ['between two batches', 2],
  ])('fails when the parts change %s', async (_, when) => {
    const { source, shards, context } = part({ batches: [[], []] });
    let batches = 0;
    const read = async () => {
      if (when === 0) shards.change([1]);
      const events = await source.watch({ resourceVersion: '7' }, context);
      if (when === 1) shards.change([1]);
      for await (const _batch of events) {
        batches++;
        if (when === 2) shards.change([1]);
      }
    };
    const failed = await read().catch((error: unknown) => error);
    expect([isChangedCollection(failed), batches]).toEqual([true, when === 2 ? 1 : 0]);
  });

  it.each([
    ['ends', () => {}],
    [
      'fails',
      () => {
        throw new Error('aborted');
      },
    ],
  ])('fails when the parts change while its source waits, which then %s', async (_, end) => {
    const shards = new ShardSet({ ...OF, indexes: [2] });
    const watch = async (_options: unknown, { signal }: CallContext) =>
      (async function* () {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        end();
        yield* [];
      })();
    const source = new ShardedSource({ watch } as never, shards);
    const events = await source.watch({ resourceVersion: '7' }, { signal: new AbortController().signal });
    const next = events[Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error);
    await settled();
    shards.change([1]);
    expect(isChangedCollection(await next)).toBe(true);
  });

  it('of no part fails at once when it has one by then, and ends with its signal', async () => {
    const { source, shards, ending, context } = part({ indexes: [] });
    const events = await source.watch({ resourceVersion: '7' }, context);
    shards.change([1]);
    const failed = await events[Symbol.asyncIterator]()
      .next()
      .catch((error: unknown) => error);
    expect(isChangedCollection(failed)).toBe(true);
    const none = part({ indexes: [] });
    const next = (await none.source.watch({ resourceVersion: '7' }, none.context))[Symbol.asyncIterator]().next();
    none.ending.abort(new Error('the informer ends'));
    await expect(next).rejects.toThrow('the informer ends');
    for (const signal of [ending.signal, none.ending.signal]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('no part is listed by a look for its version, from the first page on', async () => {
  const { source, asked, context } = part({ probe: { items: [others[0]] }, indexes: [] });
  expect(await source.list({ continue: 'x', limit: 500, labelSelector: 'a' }, context)).toEqual({
    items: [],
    resourceVersion: '7',
  });
  expect(asked.map(([verb, options]) => [verb, options])).toEqual([['probe', { limit: 1, labelSelector: 'a' }]]);
});
