import { describe, expect, it } from 'vitest';
import { ListFetcher, type ListFetcherOptions } from '../../../src/informer/watch/list-fetcher.ts';
import { createLogger, silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { expired, page, refuse, ScriptedListerWatcher } from '../../support/scripted-events.ts';

const { signal } = new AbortController();

function fetcher(source: ScriptedListerWatcher<Pod>, options: Partial<ListFetcherOptions> = {}) {
  const clock = new FakeClock();
  const defaults = {
    name: 'v1/pods',
    sync: 'list',
    selectors: undefined,
    pageSize: undefined,
    onProgress: undefined,
  } as const;
  return {
    clock,
    lists: new ListFetcher<Pod>(source, { ...defaults, logger: silentLogger, clock, idleMs: 1000, ...options }),
  };
}

describe('a list fetcher', () => {
  it('sends its selectors with every page, and reports its progress', async () => {
    const source = new ScriptedListerWatcher<Pod>().onList(
      () => page('9', [pod('a', 1)], { continue: 'more' }),
      () => page('9', [pod('b', 2)]),
    );
    const progress: unknown[] = [];
    const { lists } = fetcher(source, {
      selectors: { labelSelector: 'app=web' },
      onProgress: (at) => progress.push(at.objects),
    });
    const { items, resourceVersion } = await lists.fetch('', signal);
    expect([items.length, resourceVersion, progress]).toEqual([2, '9', [1, 2]]);
    expect(source.requests.map((request) => request.labelSelector)).toEqual(['app=web', 'app=web']);
  });

  it('pages relists once a list at version 0 came in pages', async () => {
    const source = new ScriptedListerWatcher<Pod>().onList(
      () => page('9', [pod('a', 1)], { continue: 'more' }),
      () => page('9'),
      () => page('9'),
    );
    const { lists } = fetcher(source);
    await lists.fetch(undefined, signal);
    await lists.fetch('9', signal);
    expect(source.requests.at(-1)).toEqual({ verb: 'list', resourceVersion: '9', limit: 500 });
  });

  it('does not page relists when the first list came in one piece', async () => {
    const source = new ScriptedListerWatcher<Pod>().onList(() => page('9'));
    const { lists } = fetcher(source);
    await lists.fetch(undefined, signal);
    await lists.fetch('9', signal);
    expect(source.requests.at(-1)).toEqual({ verb: 'list', resourceVersion: '9' });
  });

  it('wraps the error of a request with the name of the collection', async () => {
    const { lists } = fetcher(new ScriptedListerWatcher<Pod>().onList(refuse(expired())));
    await expect(lists.fetch('5', signal)).rejects.toMatchObject({
      code: 'list',
      message: expect.stringContaining('failed to list v1/pods: too old resource version'),
    });
  });

  it('gives a request up that is silent for too long', async () => {
    const { clock, lists } = fetcher(new ScriptedListerWatcher<Pod>().onList(() => new Promise(() => {})));
    const fetching = lists.fetch('', signal).catch((error: unknown) => error);
    await clock.advance(1000);
    expect(String(await fetching)).toContain('the list of v1/pods was silent for 1s');
    expect(clock.pending).toBe(0);
  });

  it('passes on the reason of its signal as it is', async () => {
    const controller = new AbortController();
    const { lists } = fetcher(new ScriptedListerWatcher<Pod>().onList(() => new Promise(() => {})));
    const fetching = lists.fetch('', controller.signal);
    const reason = new Error('stopped');
    controller.abort(reason);
    await expect(fetching).rejects.toBe(reason);
  });

  it('refuses a Table in place of a list', async () => {
    const table = { apiVersion: 'meta.k8s.io/v1', kind: 'Table' };
    const { lists } = fetcher(new ScriptedListerWatcher<Pod>().onList(() => page('9', [], table)));
    await expect(lists.fetch('', signal)).rejects.toThrow('unsupported list gvk meta.k8s.io/v1, Kind=Table');
  });
});

describe('a list in the mode that the server serves best', () => {
  const auto = (
    consistentUnpagedList: (() => Promise<boolean>) | undefined,
    options: Partial<ListFetcherOptions> = {},
  ) => {
    const source = Object.assign(new ScriptedListerWatcher<Pod>(), { consistentUnpagedList });
    source.onList(() => page('9', [pod('a', 1)]));
    return { source, ...fetcher(source, { sync: 'auto', ...options }) };
  };
  const no = () => Promise.reject(new Error('no answer'));

  it.each<[string, (() => Promise<boolean>) | undefined, object]>([
    ['serves whole lists from memory', async () => true, {}],
    ['does not', async () => false, { limit: 500 }],
    ['does not say it', undefined, { limit: 500 }],
    ['cannot be asked', no, { limit: 500 }],
  ])('is whole or in pages, where the server %s', async (_, answer, expected) => {
    const lines: unknown[] = [];
    const logger = createLogger(
      (level, text, { error } = {}) => error !== undefined && lines.push([level, text, error]),
    );
    const { source, lists } = auto(answer, { logger });
    await lists.fetch(undefined, signal);
    expect(source.requests).toEqual([{ verb: 'list', ...expected }]);
    const text = 'could not find out how the server serves lists';
    expect(lines).toEqual(answer === no ? [['debug', text, new Error('no answer')]] : []);
  });

  it('does not ask for it in another mode', async () => {
    let asked = 0;
    const { lists } = auto(
      async () => {
        asked++;
        return true;
      },
      { sync: 'pages' },
    );
    await lists.fetch(undefined, signal);
    await lists.fetchExactly(
      '9',
      new ScriptedListerWatcher<Pod>().onList(() => page('9')),
      signal,
    );
    expect(asked).toBe(0);
  });
});

describe('a list at exactly one version', () => {
  it.each<[Partial<ListFetcherOptions>, boolean, object]>([
    [{ sync: 'list' }, false, {}],
    [{ sync: 'pages' }, false, { limit: 500 }],
    [{ sync: 'auto' }, true, {}],
    [{ sync: 'auto' }, false, { limit: 500 }],
    [{ sync: 'list', pageSize: 7 }, false, { limit: 7 }],
  ])('in the mode %j, with a server of whole lists: %s, is asked for by %j', async (options, isWhole, expected) => {
    const own = Object.assign(new ScriptedListerWatcher<Pod>(), { consistentUnpagedList: async () => isWhole });
    const other = new ScriptedListerWatcher<Pod>().onList(() => page('9', [pod('a', 1)]));
    const { lists } = fetcher(own, { selectors: { labelSelector: 'app=web' }, ...options });
    expect((await lists.fetchExactly('9', other, signal)).items).toEqual([pod('a', 1)]);
    const exact = { verb: 'list', labelSelector: 'app=web', resourceVersion: '9', resourceVersionMatch: 'Exact' };
    expect([own.requests, other.requests]).toEqual([[], [{ ...exact, ...expected }]]);
  });

  it('fails for an answer of another version, and with the name of the collection', async () => {
    const { lists } = fetcher(new ScriptedListerWatcher<Pod>());
    const other = new ScriptedListerWatcher<Pod>().onList(() => page('8'), refuse(expired()));
    await expect(lists.fetchExactly('9', other, signal)).rejects.toThrow(
      'failed to list v1/pods: the answer is not of version 9',
    );
    await expect(lists.fetchExactly('9', other, signal)).rejects.toThrow('failed to list v1/pods: too old');
  });
});
