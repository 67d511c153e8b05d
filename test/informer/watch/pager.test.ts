import { expect, it } from 'vitest';
import { type ListProgress, listAll } from '../../../src/informer/watch/pager.ts';
import type { ListOptions } from '../../../src/model/list-options.ts';
import type { ListPage } from '../../../src/model/object.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { ScriptedListerWatcher } from '../../support/scripted-events.ts';

type Answer = ListPage<string> | StatusError;

async function run(options: ListOptions, answers: Answer[], onPage?: (p: ListProgress) => void) {
  const script = answers.map((answer) => (answer instanceof StatusError ? () => Promise.reject(answer) : () => answer));
  const source = new ScriptedListerWatcher<string>().onList(...script);
  const { signal } = new AbortController();
  const result = await listAll((request) => source.list(request, { signal }), options, onPage).catch(
    (error: unknown) => error,
  );
  return { asked: source.lists.map(({ verb: _, ...asked }) => asked), result };
}

const expired = () => new StatusError(failure(410, 'Expired', 'the token is too old'));

it('returns a single page as it is', async () => {
  const only = { items: ['a'], resourceVersion: '3' };
  const { asked, result } = await run({ limit: 500 }, [only]);
  expect(result).toBe(only);
  expect(asked).toHaveLength(1);
});

it('sends token, limit and selectors with later pages, and no version [REF-18]', async () => {
  const options = {
    resourceVersion: '10',
    resourceVersionMatch: 'NotOlderThan',
    limit: 2,
    labelSelector: 'a=b',
  } as const;
  const { asked } = await run(options, [
    { items: ['a', 'b'], resourceVersion: '11', continue: 'C1' },
    { items: [], resourceVersion: '11', continue: 'C2' },
    { items: ['c'], resourceVersion: '11' },
  ]);
  expect(asked[0]).toEqual(options);
  expect(asked.slice(1)).toEqual([
    { limit: 2, labelSelector: 'a=b', continue: 'C1' },
    { limit: 2, labelSelector: 'a=b', continue: 'C2' },
  ]);
});

it('takes the version of the first page [REF-22]', async () => {
  const { result } = await run({ limit: 1 }, [
    { items: ['a'], resourceVersion: '11', continue: 'C1' },
    { items: ['b'], resourceVersion: '11', continue: 'C2' },
    { items: ['c'], resourceVersion: '12' },
  ]);
  expect(result).toMatchObject({ items: ['a', 'b', 'c'], resourceVersion: '11' });
});

it('requests everything at once, with the first options, when a token expires [REF-19]', async () => {
  const whole = { items: ['a', 'b'], resourceVersion: '12' };
  const { asked, result } = await run({ resourceVersion: '10', limit: 4 }, [
    { items: ['a'], resourceVersion: '11', continue: 'C1' },
    expired(),
    whole,
  ]);
  expect(asked).toEqual([{ resourceVersion: '10', limit: 4 }, { limit: 4, continue: 'C1' }, { resourceVersion: '10' }]);
  expect(result).toBe(whole);
});

it('does not do so for Gone, or when the first page fails', async () => {
  const gone = new StatusError(failure(410, 'Gone', 'gone'));
  const later = await run({}, [{ items: [], resourceVersion: '1', continue: 'C' }, gone]);
  expect([later.result, later.asked]).toEqual([gone, [{}, { continue: 'C' }]]);
  const first = expired();
  const { asked, result } = await run({}, [first]);
  expect(result).toBe(first);
  expect(asked).toHaveLength(1);
});

it('fails with the error of a later page [REF-21]', async () => {
  const error = new StatusError(failure(500, 'InternalError', 'no'));
  expect((await run({}, [{ items: ['a'], resourceVersion: '1', continue: 'C' }, error])).result).toBe(error);
});

it('reports its progress', async () => {
  const told: ListProgress[] = [];
  await run(
    {},
    [
      { items: ['a', 'b'], resourceVersion: '1', continue: 'C', remainingItemCount: 1 },
      { items: ['c'], resourceVersion: '1' },
    ],
    (progress) => told.push(progress),
  );
  expect(told).toEqual([
    { objects: 2, pages: 1, remaining: 1 },
    { objects: 3, pages: 2, remaining: undefined },
  ]);
});

it('fails when a token comes again, instead of an endless loop', async () => {
  const pages = ['C1', 'C2', 'C1'].map((token) => ({ items: ['a'], resourceVersion: '1', continue: token }));
  const { asked, result } = await run({}, pages);
  expect(String(result)).toContain('the list does not end: page 3 continues at a page that was already read');
  expect(asked).toHaveLength(3);
});
