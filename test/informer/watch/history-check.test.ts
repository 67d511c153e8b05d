import { describe, expect, it } from 'vitest';
import { type CacheView, History, isReplacedHistory } from '../../../src/informer/watch/history-check.ts';
import type { CallContext, ListerWatcher } from '../../../src/informer/watch/lister-watcher.ts';
import { movedCollection } from '../../../src/informer/watch/moved-collection.ts';
import type { ListOptions, Selectors } from '../../../src/model/list-options.ts';
import type { ListPage, UnknownObject } from '../../../src/model/object.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const object = (name: string, resourceVersion: string): UnknownObject => ({
  metadata: { name, uid: `${name}-uid`, resourceVersion },
});

/**
 * A history over a cache, and a server that answers lists of one object with `pages`, one after the other. The last
 * page is repeated.
 */
function historyOf(
  cached: Map<string, UnknownObject>,
  pages: ((options: ListOptions) => ListPage<UnknownObject>)[],
  { selectors, isPart, reached }: { selectors?: Selectors; isPart?: boolean; reached?: () => string } = {},
) {
  const asked: unknown[] = [];
  const source = {
    list: async (options: ListOptions) => {
      asked.push(options);
      return (pages[asked.length - 1] ?? pages.at(-1))?.(options) as ListPage<UnknownObject>;
    },
    watch: () => Promise.reject(new Error('no watch is asked for')),
    isPart,
  } satisfies ListerWatcher<UnknownObject>;
  const cache: CacheView = { get: (key) => cached.get(key), entries: () => cached, isBehind: () => false };
  const history = new History({ source, name: 'things', selectors, clock: new FakeClock(), cache, reached });
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
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, isProven: true });
  });

  it('accepts a deletion that comes during the check', async () => {
    const cached = new Map([['a', object('a', '5')]]);
    const raced = () => {
      cached.delete('a');
      return { items: [object('a', '5')], resourceVersion: '5' };
    };
    const { history } = historyOf(cached, [raced, () => ({ items: [], resourceVersion: '6' })]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, isProven: false });
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
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, isProven: false });
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
    expect(await history.check('5', new AbortController().signal)).toEqual({
      isVerified: true,
      isProven: false,
      absent: newest,
    });
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
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked).toHaveLength(3); // the last one for the number of objects, which is not reported here
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
        throw new StatusError(failure(410, 'Expired', 'too old'));
      },
    ],
  ])('compares the present state when the server %s', async (_, then) => {
    const pages = [() => ({ items: [object('b', '8')], resourceVersion: '9' }), then];
    const cached = new Map([['a', object('a', '4')]]);
    const { history, asked } = historyOf(cached, [...pages, () => ({ items: [], resourceVersion: '9' })]);
    const result = await history.check('5', new AbortController().signal);
    expect(result).toEqual({ isVerified: true, isProven: false, absent: cached.get('a') });
    expect(asked).toHaveLength(3);
  });

  it.each<[string, () => Error]>([
    ['fails', () => new StatusError(failure(500, 'InternalError', 'a fault'))],
    ['is throttled', () => new StatusError(failure(429, 'TooManyRequests', 'later'))],
    ['is lost', () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ])('verifies nothing when the question about that version %s', async (_, error) => {
    const { history } = askedAboutThen(() => {
      throw error();
    });
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: false, isProven: false });
  });

  it('verifies nothing when the server does not answer', async () => {
    const { history } = historyOf(new Map(), [
      () => {
        throw new Error('503');
      },
    ]);
    expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: false, isProven: false });
  });
});

describe('the last event', () => {
  const signal = new AbortController().signal;
  const gone = object('gone', '5');
  const latest = { items: [object('b', '3')], resourceVersion: '9' };
  const cached = () => new Map([['b', object('b', '3')]]);

  /** The last event, at `at`, has deleted `gone`; `then` is the server's answer about it at version `since`. */
  const afterDeletion = (then: () => ListPage<UnknownObject>, ...further: (() => ListPage<UnknownObject>)[]) => {
    const { history, asked } = historyOf(cached(), [() => latest, then, ...further]);
    history.lastDeleted(gone);
    return { history, asked };
  };

  it('was a deletion: the server had the object just before, and does not have it at our version', async () => {
    const before = () => ({ items: [object('gone', '2')], resourceVersion: '4' });
    const { history, asked } = afterDeletion(
      () => ({ items: [], resourceVersion: '5' }),
      before,
      () => ({
        items: [object('b', '3')],
        resourceVersion: '9',
      }),
    );
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    const about = { limit: 1, fieldSelector: 'metadata.name=gone', labelSelector: undefined };
    expect(asked).toEqual([
      { limit: 1 },
      { ...about, resourceVersion: '5', resourceVersionMatch: 'Exact' },
      { ...about, resourceVersion: '4', resourceVersionMatch: 'Exact' },
    ]);
  });

  it.each<[string, UnknownObject[]]>([
    ['the object', []],
    ['that object', [{ metadata: { name: 'gone', uid: 'other', resourceVersion: '2' } }]],
  ])('was a deletion: a server that did not have %s just before has another history', async (_, items) => {
    const absent = () => ({ items: [], resourceVersion: '5' });
    const before = () => ({ items, resourceVersion: '4' });
    const { history } = afterDeletion(absent, before, () => latest, absent, before);
    const checked = history.check('5', signal);
    await expect(checked).rejects.toSatisfy(isReplacedHistory);
    await expect(checked).rejects.toThrow('at version 4 the server did not have "gone", which was deleted at 5');
  });

  it('was a deletion: its absence alone proves nothing', async () => {
    const { history } = afterDeletion(
      () => ({ items: [], resourceVersion: '5' }),
      () => ({ items: [], resourceVersion: '9' }), // it keeps that state no more
    );
    expect(await history.check('5', signal)).toMatchObject({ isVerified: true, isProven: false });
  });

  it('was a deletion: a server that has the object at our version has another history', async () => {
    const there = () => ({ items: [object('gone', '2')], resourceVersion: '5' });
    const { history } = afterDeletion(there, () => latest, there);
    const checked = history.check('5', signal);
    await expect(checked).rejects.toSatisfy(isReplacedHistory);
    await expect(checked).rejects.toThrow('at version 5 the server had "gone", and an event reported its deletion');
  });

  it.each<[string, () => ListPage<UnknownObject>]>([
    ['keeps no older state', () => ({ items: [], resourceVersion: '9' })],
    ['answers about another object', () => ({ items: [object('b', '3')], resourceVersion: '5' })],
    [
      'refuses',
      () => {
        throw new StatusError(failure(410, 'Expired', 'too old'));
      },
    ],
  ])('was a deletion: nothing is proven by a server that %s', async (_, then) => {
    const { history } = afterDeletion(then, () => ({ items: [object('b', '3')], resourceVersion: '9' }));
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
  });

  it('is not a deletion any more when another event, or a list, came after it', async () => {
    const { history, asked } = afterDeletion(() => ({ items: [object('b', '3')], resourceVersion: '3' }));
    history.lastChanged(undefined);
    expect(await history.check('3', signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked[1]).toMatchObject({ fieldSelector: 'metadata.name=b' });
  });

  it('is proven by the present state too, where the server keeps no older one', async () => {
    const now = { items: [object('b', '3')], resourceVersion: '9' };
    const { history } = historyOf(cached(), [() => now]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    const later = { items: [object('b', '8')], resourceVersion: '9' };
    const other = historyOf(cached(), [() => later]);
    expect(await other.history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
  });
});

describe('the number of objects', () => {
  const signal = new AbortController().signal;
  const b = object('b', '3');
  const c = object('c', '2');
  const both = () =>
    new Map([
      ['b', b],
      ['c', c],
    ]);
  const latest = () => ({ items: [object('z', '8')], resourceVersion: '9' });
  const thenB = () => ({ items: [b], resourceVersion: '5' });
  const counting = (remainingItemCount: number) => () => ({
    items: [b],
    resourceVersion: '5',
    continue: 'more',
    remainingItemCount,
  });

  it('must be that of the cache at exactly our version, where that is later than the last event', async () => {
    const { history, asked } = historyOf(both(), [latest, thenB, counting(1)]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked[2]).toEqual({ limit: 1, resourceVersion: '5', resourceVersionMatch: 'Exact' });
    const { history: other } = historyOf(both(), [latest, thenB, counting(2), latest, thenB, counting(2)]);
    await expect(other.check('5', signal)).rejects.toThrow(
      'at version 5 the server had 3 objects, and the cache has 2',
    );
  });

  it('costs no further request where the server is at our version', async () => {
    const { history, asked } = historyOf(both(), [counting(1), thenB]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked).toHaveLength(2);
    const { history: other } = historyOf(both(), [counting(2), thenB, counting(2), thenB]);
    await expect(other.check('5', signal)).rejects.toSatisfy(isReplacedHistory);
  });

  it('proves an empty cache', async () => {
    const empty = () => ({ items: [], resourceVersion: '5' });
    const { history } = historyOf(new Map(), [latest, empty]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    const other = historyOf(new Map(), [latest, thenB, latest, thenB]);
    await expect(other.history.check('5', signal)).rejects.toSatisfy(isReplacedHistory);
  });

  it.each([
    ['a label selector', { selectors: { labelSelector: 'app=web' } }],
    ['a field selector', { selectors: { fieldSelector: 'metadata.name=b' } }],
    ['a part', { isPart: true }],
  ])('says nothing about %s', async (_, options) => {
    const { history, asked } = historyOf(both(), [counting(7), thenB], options);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked).toHaveLength(2);
    const empty = historyOf(new Map(), [() => ({ items: [], resourceVersion: '5' })], options);
    expect(await empty.history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
  });

  it('says nothing when the server does not report it', async () => {
    const some = () => ({ items: [b], resourceVersion: '5', continue: 'more' });
    const { history } = historyOf(both(), [latest, thenB, some]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
  });
});

it('a check that an event overtakes proves no other history, and nothing else', async () => {
  let at = '5';
  const cached = new Map([['a', object('a', '5')]]);
  const overtaken = () => {
    at = '7';
    cached.set('a', object('a', '7'));
    return { items: [object('a', '5')], resourceVersion: '5' };
  };
  const { history, asked } = historyOf(cached, [overtaken], { reached: () => at });
  expect(await history.check('5', new AbortController().signal)).toEqual({ isVerified: false, isProven: false });
  expect(asked).toHaveLength(1);
});

describe('a list agrees with the cache', () => {
  const agrees = (items: UnknownObject[]) => historyOf(new Map([['a', object('a', '5')]]), []).history.agrees(items);

  it.each<[string, UnknownObject[], boolean]>([
    ['has just its objects', [object('a', '5')], true],
    ['has another version', [object('a', '6')], false],
    ['has another object under the name', [{ metadata: { name: 'a', uid: 'other', resourceVersion: '5' } }], false],
    ['has fewer', [], false],
    ['has more', [object('a', '5'), object('b', '1')], false],
    ['has an object that cannot be read', [{} as UnknownObject], false],
  ])('when it %s: %s', (_, items, expected) => {
    expect(agrees(items)).toBe(expected);
  });
});

describe('a history beside a cache that proves nothing', () => {
  const signal = new AbortController().signal;
  const other = () => ({ items: [object('b', '4')], resourceVersion: '9' });
  const beside = (cache: CacheView | undefined) => {
    const source = { list: async () => other(), watch: () => Promise.reject(new Error('no watch is asked for')) };
    return new History({ source, name: 'things', selectors: undefined, clock: new FakeClock(), cache });
  };
  const a = object('a', '5');

  it('takes what versions show where there is no cache', async () => {
    const history = beside(undefined);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    expect(history.agrees([a])).toBe(true);
    expect(history.isUntouched(a)).toBe(false);
  });

  it('compares no object with a cache that is behind', async () => {
    const history = beside({ get: () => a, entries: () => [['a', a]], isBehind: () => true });
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
    expect(history.agrees([a])).toBe(false);
    expect(history.isUntouched(a)).toBe(false);
  });

  it('counts no objects of a cache that fell behind during the check', async () => {
    let isBehind = false;
    const source = {
      list: async ({ resourceVersionMatch }: { resourceVersionMatch?: string }) => {
        isBehind = resourceVersionMatch !== undefined;
        return { items: [], resourceVersion: resourceVersionMatch ? '5' : '9' };
      },
      watch: () => Promise.reject(new Error('no watch is asked for')),
    } as ListerWatcher<UnknownObject>;
    const cache: CacheView = { get: () => undefined, entries: () => [], isBehind: () => isBehind };
    const history = new History({ source, name: 'things', selectors: undefined, clock: new FakeClock(), cache });
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
  });

  it('knows an object as untouched while the cache has that very object', () => {
    const { history } = historyOf(new Map([['a', a]]), []);
    expect(history.isUntouched(a)).toBe(true);
    expect(history.isUntouched(object('a', '5'))).toBe(false);
  });
});

describe('a check', () => {
  const signal = new AbortController().signal;
  const failing = (error: unknown) => () => {
    throw error;
  };

  const notReached = failure(504, 'Timeout', 'Timeout: Too large resource version: 99, current: 9', {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });

  it('lets a version that cannot be ordered be judged by the server', async () => {
    const page = () => ({ items: [], resourceVersion: 'b' });
    const { history, asked } = historyOf(new Map([['a', object('a', 'a')]]), [page], {
      selectors: { labelSelector: 'x' },
    });
    expect(await history.check('a', signal)).toEqual({ isVerified: true, isProven: false });
    expect(asked.slice(0, 2)).toEqual([
      { limit: 1, labelSelector: 'x' },
      { limit: 1, labelSelector: 'x', resourceVersion: 'a', resourceVersionMatch: 'NotOlderThan' },
    ]);
    const behind = historyOf(new Map(), [page, failing(new StatusError(notReached))]);
    await expect(behind.history.check('a', signal)).rejects.toThrow('the server has not reached version a');
    const silent = historyOf(new Map(), [page, failing(new Error('503'))]);
    expect(await silent.history.check('a', signal)).toEqual({ isVerified: false, isProven: false });
  });

  it.each<[string, (() => ListPage<UnknownObject>)[]]>([
    ['at once', []],
    ['when it asks about the last event', [() => ({ items: [], resourceVersion: '9' })]],
  ])('rejects for a collection that has moved, %s', async (_, before) => {
    const moved = movedCollection('the resource version epoch changed');
    const { history } = historyOf(new Map([['a', object('a', '5')]]), [...before, failing(moved)]);
    await expect(history.check('5', signal)).rejects.toBe(moved);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const stop = () => {
      controller.abort(reason);
      throw new Error('aborted');
    };
    const { history } = historyOf(new Map([['a', object('a', '5')]]), [
      () => ({ items: [], resourceVersion: '9' }),
      stop,
    ]);
    await expect(history.check('5', controller.signal)).rejects.toBe(reason);
  });

  it('waits ten seconds for an answer', async () => {
    const clock = new FakeClock();
    const source = {
      list: (_: unknown, { signal: asking }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => asking.addEventListener('abort', () => reject(asking.reason))),
      watch: () => Promise.reject(new Error('no watch is asked for')),
    } satisfies ListerWatcher<UnknownObject>;
    const history = new History({ source, name: 'things', selectors: undefined, clock, cache: undefined });
    let result: unknown;
    const checked = history.check('5', signal).then((is) => (result = is));
    await clock.advance(9_999);
    expect(result).toBeUndefined();
    await clock.advance(1);
    await checked;
    expect(result).toEqual({ isVerified: false, isProven: false });
  });

  it('asks by probe where the source has one, on a fresh connection', async () => {
    const asked: unknown[] = [];
    const source = {
      list: () => Promise.reject(new Error('no list is asked for')),
      probe: async (options: unknown, { fresh }: CallContext) => {
        asked.push([options, fresh]);
        return { items: [], resourceVersion: '9' };
      },
      watch: () => Promise.reject(new Error('no watch is asked for')),
    } satisfies ListerWatcher<UnknownObject>;
    const history = new History({
      source,
      name: 'things',
      selectors: undefined,
      clock: new FakeClock(),
      cache: undefined,
    });
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
    expect(asked).toEqual([[{ limit: 1 }, true]]);
  });

  it('asks about an object by its name and namespace, within the selection', async () => {
    const a = { metadata: { name: 'a', namespace: 'shop', resourceVersion: '5' } };
    const selectors = { labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n' };
    const { history, asked } = historyOf(new Map([['shop/a', a]]), [() => ({ items: [], resourceVersion: '9' })], {
      selectors,
    });
    expect(await history.absentAt(a, signal)).toBe('9');
    expect(asked).toEqual([
      {
        limit: 1,
        labelSelector: 'app=web',
        fieldSelector: 'spec.nodeName=n,metadata.name=a,metadata.namespace=shop',
      },
    ]);
    const there = historyOf(new Map(), [() => ({ items: [a], resourceVersion: '9' })]);
    expect(await there.history.absentAt(a, signal)).toBeUndefined();
  });

  it('asks about no object where the versions of the cache cannot be ordered', async () => {
    const cached = new Map([
      ['a', object('a', '5')],
      ['b', object('b', 'x')],
    ]);
    const { history, asked } = historyOf(cached, [() => ({ items: [], resourceVersion: '9', continue: 'more' })]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
    expect(asked).toEqual([{ limit: 1 }, { limit: 1, resourceVersion: '5', resourceVersionMatch: 'Exact' }]);
  });

  describe('where the versions of the cache cannot be ordered', () => {
    const [a, b] = [object('a', 'x4'), object('b', 'x5')];
    const now = () => ({ items: [a], resourceVersion: 'x9' });
    const about = { limit: 1, fieldSelector: 'metadata.name=b', labelSelector: undefined };
    const then = { resourceVersion: 'x5', resourceVersionMatch: 'Exact' };
    const checked = (items: UnknownObject[], cached = b) => {
      const answer = () => ({ items, resourceVersion: 'x5' });
      const { history, asked } = historyOf(
        new Map([
          ['a', a],
          ['b', cached],
        ]),
        [now, now, answer, now, now, answer],
      );
      history.lastChanged({ ...b });
      return { asked, history };
    };

    it('asks about the object of the last event', async () => {
      const { history, asked } = checked([b]);
      expect(await history.check('x5', signal)).toEqual({ isVerified: true, isProven: true });
      expect(asked[2]).toEqual({ ...about, ...then });
    });

    it('rejects when the server did not have that object then', async () => {
      const { history } = checked([]);
      await expect(history.check('x5', signal)).rejects.toThrow('at version x5 the server did not have "b"');
    });

    it.each(['x', ''])('asks about the last event before a check that got no answer (%s5)', async (prefix) => {
      const [old, since] = [object('b', `${prefix}5`), `${prefix}5`];
      const cached = new Map([['b', old]]);
      let isAway = true;
      const answer = (items: UnknownObject[], resourceVersion: string) => () => {
        if (isAway) throw new Error('socket hang up');
        return { items, resourceVersion };
      };
      const newer = object('c', `${prefix}7`);
      const later = answer([newer], `${prefix}9`);
      const { history, asked } = historyOf(cached, [
        later,
        ...Array.from({ length: 8 }, (_, i) => answer(i === 0 || (prefix && i === 1) ? [newer] : [], `${prefix}7`)),
      ]);
      history.lastChanged(old);
      expect(await history.check(since, signal)).toMatchObject({ isVerified: false });
      isAway = false;
      cached.set('c', newer);
      history.lastChanged(newer);
      await expect(history.check(`${prefix}7`, signal)).rejects.toThrow('did not have "b"');
      expect(asked.length).toBeGreaterThan(2);
    });

    it('asks about no object that the cache has as another one by now, nor about the last one before a list', async () => {
      const changed = checked([a, b], object('b', 'x6'));
      await changed.history.check('x5', signal);
      expect(changed.asked[2]).toEqual({ limit: 1, ...then });
      const listed = checked([a, b]);
      listed.history.lastChanged(undefined);
      await listed.history.check('x5', signal);
      expect(listed.asked[2]).toEqual({ limit: 1, ...then });
    });
  });

  it('passes over cached objects without a version', async () => {
    const cached = new Map([
      ['a', object('a', '4')],
      ['b', { metadata: { name: 'b' } } as UnknownObject],
    ]);
    const { history, asked } = historyOf(cached, [() => ({ items: [], resourceVersion: '9' })]);
    await history.check('5', signal);
    expect(asked[1]).toMatchObject({ fieldSelector: 'metadata.name=a' });
  });

  it('compares an object that has no uid by its version', async () => {
    const a = { metadata: { name: 'a', resourceVersion: '4' } };
    const latest = () => ({ items: [object('b', '8')], resourceVersion: '9' });
    const { history } = historyOf(new Map([['a', a]]), [
      latest,
      () => ({ items: [object('a', '4')], resourceVersion: '5' }),
    ]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
  });

  it.each<[string, UnknownObject]>([
    ['changed after the version', object('b', '6')],
    ['without a comparable version', object('b', 'x')],
  ])('proves no other history by an object that was %s', async (_, item) => {
    const { history } = historyOf(new Map(), [() => ({ items: [item], resourceVersion: '9' })]);
    expect(await history.check('5', signal)).toMatchObject({ isVerified: true });
  });

  it('rejects an object of exactly the version that no event reported', async () => {
    const { history } = historyOf(new Map(), [() => ({ items: [object('b', '5')], resourceVersion: '5' })]);
    await expect(history.check('5', signal)).rejects.toThrow(
      'the server has "b" at version 5, and no event reported it',
    );
  });
});

describe('a deletion that was the last event', () => {
  const signal = new AbortController().signal;
  const latest = () => ({ items: [object('b', '3')], resourceVersion: '9' });
  const cached = () => new Map([['b', object('b', '3')]]);
  const absent = () => ({ items: [], resourceVersion: '5' });

  it('is not looked up any more when the collection has lost the object', async () => {
    const { history, asked } = historyOf(cached(), [latest]);
    history.lastDeleted(object('gone', '5'));
    history.hasLost(({ metadata }) => metadata.name === 'another');
    await history.check('5', signal);
    expect(asked[1]).toMatchObject({ fieldSelector: 'metadata.name=gone' });
    history.hasLost(({ metadata }) => metadata.name === 'gone');
    asked.length = 0;
    await history.check('5', signal);
    expect(asked[1]).toMatchObject({ fieldSelector: 'metadata.name=b' });
  });

  it.each<[string, UnknownObject, (() => ListPage<UnknownObject>)[]]>([
    ['its version is no number', object('gone', 'x'), [absent]],
    ['the state before is another one', object('gone', '5'), [absent, () => ({ items: [], resourceVersion: '9' })]],
    ['it is absent from the first page only', object('gone', '5'), [() => ({ ...absent(), continue: 'more' })]],
    [
      'the state before shows another object',
      object('gone', '5'),
      [absent, () => ({ items: [object('b', '3')], resourceVersion: '4' })],
    ],
  ])('proves nothing when %s', async (_, gone, then) => {
    const { history } = historyOf(cached(), [
      latest,
      ...then,
      () => ({ items: [], resourceVersion: '9', continue: 'x' }),
    ]);
    history.lastDeleted(gone);
    expect(await history.check('5', signal)).toMatchObject({ isVerified: true, isProven: false });
  });

  it('is known by name where it has no uid', async () => {
    const gone = { metadata: { name: 'gone', resourceVersion: '5' } };
    const { history } = historyOf(cached(), [
      latest,
      absent,
      () => ({ items: [object('gone', '2')], resourceVersion: '4' }),
    ]);
    history.lastDeleted(gone);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: true });
  });
});

describe('the event that a check asks about', () => {
  const signal = new AbortController().signal;
  const [b, gone] = [object('b', '3'), object('gone', '5')];
  const latest = () => ({ items: [object('z', '8')], resourceVersion: '9' });
  const refused = () => {
    throw new StatusError(failure(400, 'BadRequest', 'not here'));
  };
  const unanswered = () => {
    throw new Error('socket hang up');
  };

  /** A history whose cache has `b`, and a server that answers questions about the past by `answer.past`. */
  function answered() {
    const answer = { past: refused as () => ListPage<UnknownObject> };
    const { history, asked } = historyOf(new Map([['b', b]]), [
      ({ resourceVersionMatch, fieldSelector }) =>
        resourceVersionMatch ? answer.past() : fieldSelector ? { items: [], resourceVersion: '9' } : latest(),
    ]);
    /** Checks, and gives the name that the question about the past has, and whether it was answered. */
    const check = async (past = refused as () => ListPage<UnknownObject>) => {
      asked.length = 0;
      answer.past = past;
      const { isVerified } = await history.check('5', signal);
      return [(asked as ListOptions[])[1]?.fieldSelector, isVerified];
    };
    return { history, check };
  }

  it('is the last one: a change after a deletion, or a deletion after a change', async () => {
    const { history, check } = answered();
    history.lastDeleted(gone);
    history.lastChanged(b);
    expect(await check()).toEqual(['metadata.name=b', true]);
    history.lastDeleted(gone);
    expect(await check()).toEqual(['metadata.name=gone', true]);
  });

  it('stays that of a check that got no answer, until one gets it or a list comes', async () => {
    const { history, check } = answered();
    history.lastDeleted(gone);
    expect(await check(unanswered)).toEqual(['metadata.name=gone', false]);
    history.lastChanged(b);
    history.lastDeleted(object('later', '7'));
    expect(await check()).toEqual(['metadata.name=gone', true]);
    history.lastDeleted(object('later', '7'));
    expect(await check(unanswered)).toEqual(['metadata.name=later', false]);
    history.lastChanged(undefined);
    expect(await check()).toEqual(['metadata.name=b', true]);
  });

  it('is a later one when that is about the object whose deletion got no answer', async () => {
    const { history, check } = answered();
    history.lastDeleted(gone);
    await check(unanswered);
    history.lastChanged({ ...gone });
    expect(await check()).toEqual(['metadata.name=b', true]);
  });

  it('was a change whose check got no answer: a later deletion is not asked about', async () => {
    const { history, check } = answered();
    history.lastChanged(b);
    await check(unanswered);
    history.lastDeleted(gone);
    expect(await check()).toEqual(['metadata.name=b', true]);
  });

  it('was a deletion: an object that was changed before it is not asked about where versions have no order', async () => {
    const cached = new Map([['b', object('b', 'x3')]]);
    const { history, asked } = historyOf(cached, [() => ({ items: [], resourceVersion: 'x5' })]);
    history.lastChanged(object('b', 'x3'));
    history.lastDeleted(object('gone', 'x5'));
    expect(await history.check('x5', signal)).toEqual({ isVerified: true, isProven: false });
    expect(asked.slice(2)).toEqual([expect.objectContaining({ fieldSelector: 'metadata.name=gone' })]);
  });

  it('is not proven by a server that answers with another object than was asked for', async () => {
    const other = { items: [object('z', '9')], resourceVersion: '5' };
    const { history } = historyOf(new Map([['b', b]]), [latest, () => other]);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
  });

  it('was changed, and the present shows another object under its name: the history is another one', async () => {
    const other = { metadata: { name: 'b', uid: 'other', resourceVersion: '4' } };
    const pages = [latest, refused, () => ({ items: [other], resourceVersion: '9' })];
    const { history } = historyOf(new Map([['b', b]]), [...pages, ...pages]);
    await expect(history.check('5', signal)).rejects.toThrow('"b" at version 4 is another object');
  });

  it('was a deletion: where the state after it shows another object, the state before is not asked for', async () => {
    const page = (resourceVersion: string) => () => ({ items: [object('z', '8')], resourceVersion });
    const { history, asked } = historyOf(new Map([['b', b]]), [latest, page('5'), page('9')]);
    history.lastDeleted(gone);
    expect(await history.check('5', signal)).toEqual({ isVerified: true, isProven: false });
    expect(asked).toHaveLength(3);
  });

  it('ends a question about the past with the reason of the signal', async () => {
    const ending = new AbortController();
    const reason = new Error('the informer ends');
    const { history } = historyOf(new Map(), [
      latest,
      () => {
        ending.abort(reason); // the last question: no further one would show it
        throw new StatusError(failure(410, 'Expired', 'too old'));
      },
    ]);
    await expect(history.check('5', ending.signal)).rejects.toBe(reason);
  });
});
