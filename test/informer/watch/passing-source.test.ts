import { describe, expect, it } from 'vitest';
import type { CallContext, ListerWatcher } from '../../../src/informer/watch/lister-watcher.ts';
import { PassingSource } from '../../../src/informer/watch/passing-source.ts';
import type { ListOptions } from '../../../src/model/list-options.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import { StatusError } from '../../../src/model/status.ts';

type Answer = { names: string[]; version: string; breaks?: boolean; fails?: number; next?: string };

const object = (name: string, version: string): UnknownObject => ({
  metadata: { name, namespace: 'a', uid: `u-${name}`, resourceVersion: version },
});

const failed = (code: number) =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: `failed with ${code}` });

/** A server that gives each of these answers in turn, and breaks off where one says so. */
function passing(
  answers: (Answer | number)[],
  {
    restarts = 0,
    room = (): Promise<void> | undefined => undefined,
    supportsStreamingLists = undefined as (() => boolean) | undefined,
  } = {},
) {
  const asked: ListOptions[] = [];
  const passed: string[] = [];
  const later: number[] = [];
  const source = {
    list: async (options: ListOptions, { reading }: CallContext) => {
      asked.push(options);
      const answer = answers[asked.length - 1];
      if (typeof answer === 'number') throw failed(answer);
      const { names = [], version = '', breaks, fails, next } = answer ?? {};
      reading?.begin(version);
      for (const name of names) {
        const one = object(name, name.endsWith('!') ? '99' : '1') as never;
        if (reading?.keeps(one)) reading.take(one, undefined);
      }
      await reading?.room();
      if (breaks) throw new Error('broken off');
      if (fails) throw failed(fails);
      return { items: [], resourceVersion: version, ...(next ? { continue: next } : {}) };
    },
    watch: () => Promise.reject(new Error('not watched')),
    ...(supportsStreamingLists && { supportsStreamingLists }),
  };
  const through = new PassingSource(source, {
    fields: undefined,
    wholeFirst: 0,
    needsText: false,
    keeps: () => true,
    take: ({ metadata }: ReadonlyObject) => void passed.push(metadata.name ?? ''),
    room,
    restart: () => {
      if (restarts-- <= 0) return false;
      passed.length = 0;
      return true;
    },
    onLater: (count) => later.push(count),
  });
  const alive: (number | undefined)[] = [];
  const context = {
    signal: new AbortController().signal,
    alive: (ms?: number) => alive.push(ms),
  } as unknown as CallContext;
  const list = (options: ListOptions = {}) => through.list(options, context);
  return { list, asked, passed, later, alive, through, context };
}

describe('a source that passes its objects on', () => {
  it('has no list without pages of which its source does not say that it is consistent', async () => {
    const { through, context } = passing([]);
    expect(await through.consistentUnpagedList(context)).toBe(false);
  });

  it('gives empty pages, and each object of every page once', async () => {
    const { list, passed } = passing([
      { names: ['a', 'b'], version: '5', next: 'x' },
      { names: ['c'], version: '5' },
    ]);
    expect(await list({ limit: 2 })).toEqual({ items: [], resourceVersion: '5', continue: 'x' });
    expect(await list({ limit: 2, continue: 'x' })).toEqual({ items: [], resourceVersion: '5' });
    expect(passed).toEqual(['a', 'b', 'c']);
  });

  it('lists the same version again where a list broke off, and passes its rest on', async () => {
    const { list, asked, passed, later } = passing([
      { names: ['a', 'b'], version: '5', breaks: true },
      { names: ['a', 'b', 'c'], version: '5', breaks: true },
      { names: ['a', 'b', 'c', 'd'], version: '5' },
    ]);
    await expect(list({ limit: 500 })).rejects.toThrow('broken off');
    await expect(list({ limit: 500 })).rejects.toThrow('broken off');
    await list({ limit: 500 });
    expect(passed).toEqual(['a', 'b', 'c', 'd']);
    const exact = { limit: 500, resourceVersion: '5', resourceVersionMatch: 'Exact' };
    expect(asked).toEqual([{ limit: 500 }, exact, exact]);
    expect(later).toEqual([]);
  });

  it('passes on what is behind the last object of a later state, and reports it, where the version is gone', async () => {
    const { list, passed, later } = passing([
      { names: ['a', 'c'], version: '5', breaks: true },
      410,
      { names: ['a', 'b', 'c', 'd'], version: '9' },
    ]);
    await expect(list()).rejects.toThrow('broken off');
    await list();
    expect([passed, later]).toEqual([['a', 'c', 'd'], [2]]);
  });

  it.each(['', '0'])('asks for no exact version where the list had the version "%s"', async (version) => {
    const { list, asked, passed, later } = passing([
      { names: ['a'], version, breaks: true },
      { names: ['a', 'b'], version: '9' },
    ]);
    await expect(list()).rejects.toThrow('broken off');
    await list();
    expect([asked, passed, later]).toEqual([[{}, {}], ['a', 'b'], [1]]);
  });

  it('fails with the error of the rest of a list that had begun, and passes it on at the next try', async () => {
    const { list, passed, later } = passing([
      { names: ['a', 'b'], version: '5', breaks: true },
      { names: ['a'], version: '5', fails: 500 },
      { names: ['a', 'b', 'c'], version: '5' },
    ]);
    await expect(list()).rejects.toThrow('broken off');
    await expect(list()).rejects.toThrow('failed with 500');
    await list();
    expect([passed, later]).toEqual([['a', 'b', 'c'], []]);
  });

  it('passes on the rest of a later state once: where that breaks off, a still later one follows it', async () => {
    const { list, asked, passed, later } = passing([
      { names: ['a'], version: '5', breaks: true },
      410,
      { names: ['a', 'b'], version: '9', breaks: true },
      { names: ['b', 'c'], version: '12' },
    ]);
    await expect(list()).rejects.toThrow('broken off');
    await expect(list()).rejects.toThrow('broken off');
    await list();
    expect([passed, later]).toEqual([
      ['a', 'b', 'c'],
      [1, 2],
    ]);
    expect(asked.map(({ resourceVersion }) => resourceVersion)).toEqual([undefined, '5', undefined, undefined]);
  });

  it.each([
    ['another object is where the last one was', [{ names: ['a', 'b!'], version: '5' }]],
    ['the version is gone, and the objects came in no order', [410, { names: ['a', 'b'], version: '9' }], ['b', 'a']],
    ['the version is gone, and an object came twice', [410, { names: ['a', 'b'], version: '9' }], ['a', 'a']],
  ] as [string, (Answer | number)[], string[]?][])(
    'passes nothing on and fails where %s',
    async (_, answers, names = ['a', 'b']) => {
      const { list, passed } = passing([{ names, version: '5', breaks: true }, ...answers]);
      await expect(list()).rejects.toThrow('broken off');
      await expect(list()).rejects.toThrow('the list broke off after 2 objects, and the server does not give its rest');
      expect(passed).toEqual(names);
    },
  );

  it('begins again where nothing was printed', async () => {
    const { list, asked, passed } = passing(
      [
        { names: ['a', 'b'], version: '5', breaks: true },
        { names: ['b', 'c'], version: '9' },
      ],
      { restarts: 1 },
    );
    await expect(list()).rejects.toThrow('broken off');
    await list();
    expect([passed, asked]).toEqual([
      ['b', 'c'],
      [{}, {}],
    ]);
  });

  it('knows after a second beginning only what came since then', async () => {
    const { list, asked, passed } = passing(
      [
        { names: ['b', 'c'], version: '5', breaks: true },
        { names: ['a'], version: '9', breaks: true },
        410,
        { names: ['a', 'b'], version: '12' },
      ],
      { restarts: 1 },
    );
    for (const _ of [1, 2]) await expect(list()).rejects.toThrow('broken off');
    await list();
    expect([passed, asked[2]?.resourceVersion]).toEqual([['a', 'b'], '9']);
  });

  it.each<[(() => boolean) | undefined, boolean]>([
    [undefined, true],
    [() => true, true],
    [() => false, false],
  ])('streams lists where its source does: %s', (supportsStreamingLists, expected) => {
    const source: ListerWatcher<UnknownObject> = passing([], { supportsStreamingLists }).through;
    expect(source.supportsStreamingLists?.()).toBe(expected);
  });

  it('watches its source', async () => {
    const { through, context } = passing([]);
    await expect(through.watch({}, context)).rejects.toThrow('not watched');
  });
});

it('a server owes nothing for a day while the reader of its objects has no room', async () => {
  const { list, alive } = passing([{ names: ['a'], version: '5' }], { room: () => Promise.resolve() });
  await list();
  expect(alive).toEqual([24 * 3600 * 1000, undefined]);
});
