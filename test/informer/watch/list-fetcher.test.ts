import { describe, expect, it } from 'vitest';
import { ListFetcher, type ListFetcherOptions } from '../../../src/informer/watch/list-fetcher.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
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
