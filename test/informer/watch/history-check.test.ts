import { describe, expect, it } from 'vitest';
import { type CacheView, History, isReplacedHistory } from '../../../src/informer/watch/history-check.ts';
import type { ListerWatcher } from '../../../src/informer/watch/lister-watcher.ts';
import type { ListPage, UnknownObject } from '../../../src/model/object.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const object = (name: string, resourceVersion: string): UnknownObject => ({
  metadata: { name, uid: `${name}-uid`, resourceVersion },
});

/**
 * A history over a cache, and a server that answers lists of one object with `pages`, one after the other. The last
 * page is repeated.
 */
function historyOf(cached: Map<string, UnknownObject>, pages: (() => ListPage<UnknownObject>)[]) {
  const asked: unknown[] = [];
  const source = {
    list: async (options: unknown) => {
      asked.push(options);
      return (pages[asked.length - 1] ?? pages.at(-1))?.() as ListPage<UnknownObject>;
    },
    watch: () => Promise.reject(new Error('no watch is asked for')),
  } satisfies ListerWatcher<UnknownObject>;
  const cache: CacheView = { get: (key) => cached.get(key), entries: () => cached, isBehind: () => false };
  const history = new History({ source, name: 'things', selectors: undefined, clock: new FakeClock(), cache });
  return { history, asked };
}

describe('a check of the history', () => {
  it('accepts an event that comes during the check', async () => {
    const cached = new Map([['a', object('a', '5')]]);
    const raced = () => {
      cached.set('a', object('a', '7')); // by the stream, before the answer is read
      return { items: [object('a', '5')], resourceVersion: '6' };
    };
    const { history } = historyOf(cached, [raced, () => ({ items: [object('a', '7')], resourceVersion: '7' })]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, absent: undefined });
  });

  it('accepts a deletion that comes during the check', async () => {
    const cached = new Map([['a', object('a', '5')]]);
    const raced = () => {
      cached.delete('a');
      return { items: [object('a', '5')], resourceVersion: '5' };
    };
    const { history } = historyOf(cached, [raced, () => ({ items: [], resourceVersion: '6' })]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true });
  });

  it.each([
    ['another version', object('a', '4')],
    ['an object that never came', object('b', '4')],
    ['another object under its name', { metadata: { name: 'a', uid: 'other', resourceVersion: '5' } }],
  ])('rejects when the server has %s, after asking twice', async (_, item) => {
    const { history, asked } = historyOf(new Map([['a', object('a', '5')]]), [
      () => ({ items: [item], resourceVersion: '9' }),
    ]);
    await expect(history.check('5', new AbortController().signal)).rejects.toSatisfy(isReplacedHistory);
    expect(asked).toHaveLength(2);
  });

  it('does not treat an empty page that others follow as an absence', async () => {
    const a = object('a', '5');
    const { history } = historyOf(new Map([['a', a]]), [
      () => ({ items: [a], resourceVersion: '9' }),
      () => ({ items: [], resourceVersion: '9', continue: 'more' }),
    ]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, absent: undefined });
  });

  it('rejects at once when the server is before the version', async () => {
    const { history, asked } = historyOf(new Map([['a', object('a', '5')]]), [
      () => ({ items: [], resourceVersion: '4' }),
    ]);
    const checked = history.check('5', new AbortController().signal);
    await expect(checked).rejects.toThrow("the server's history was replaced: the server is at version 4, before 5");
    expect(asked).toHaveLength(1);
  });

  it('returns the newest cached object when the server does not have it', async () => {
    const [older, newest] = [object('a', '3'), object('b', '5')];
    const cached = new Map([
      ['a', older],
      ['b', newest],
      ['c', object('c', '4')],
    ]);
    const { history, asked } = historyOf(cached, [
      () => ({ items: [older], resourceVersion: '9' }),
      () => ({ items: [], resourceVersion: '9' }),
    ]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, absent: newest });
    const selectors = { fieldSelector: 'metadata.name=b', labelSelector: undefined };
    expect(asked).toEqual([
      { limit: 1 },
      { limit: 1, ...selectors, resourceVersion: '5', resourceVersionMatch: 'Exact' },
      { limit: 1, ...selectors },
    ]);
  });

  /** The server has newer objects than `a`, which was changed last here; `then` is its answer about `a` at version 5. */
  const askedAboutThen = (then: () => ListPage<UnknownObject>) =>
    historyOf(new Map([['a', object('a', '4')]]), [newer, then, newer, then]);
  const newer = () => ({ items: [object('b', '8')], resourceVersion: '9' });

  it('asks what the newest cached object was at the version, and is content when it was the same', async () => {
    const { history, asked } = askedAboutThen(() => ({ items: [object('a', '4')], resourceVersion: '5' }));
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true });
    expect(asked).toHaveLength(2);
  });

  it.each<[string, UnknownObject[], string]>([
    [
      'another object',
      [{ metadata: { name: 'a', uid: 'other', resourceVersion: '4' } }],
      '"a" at version 4 is another',
    ],
    ['another version of it', [object('a', '3')], '"a" was at version 3 on the server, and at 4 in an event'],
    ['nothing', [], 'at version 5 the server did not have "a"'],
  ])('rejects when the server had %s at the version', async (_, items, problem) => {
    const { history } = askedAboutThen(() => ({ items, resourceVersion: '5' }));
    const repeated = history.check('5', new AbortController().signal);
    await expect(repeated).rejects.toSatisfy(isReplacedHistory);
    await expect(repeated).rejects.toThrow(problem);
  });

  it.each<[string, () => ListPage<UnknownObject>]>([
    ['does not have the state any more', () => ({ items: [], resourceVersion: '9' })],
    [
      'refuses to say',
      () => {
        throw new Error('410');
      },
    ],
  ])('compares the present state when the server %s', async (_, then) => {
    const pages = [() => ({ items: [object('b', '8')], resourceVersion: '9' }), then];
    const cached = new Map([['a', object('a', '4')]]);
    const { history, asked } = historyOf(cached, [...pages, () => ({ items: [], resourceVersion: '9' })]);
    const result = await history.check('5', new AbortController().signal);
    expect(result).toEqual({ isVerified: true, absent: cached.get('a') });
    expect(asked).toHaveLength(3);
  });

  it('verifies nothing when the server does not answer', async () => {
    const { history } = historyOf(new Map(), [
      () => {
        throw new Error('503');
      },
    ]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: false });
  });
});
