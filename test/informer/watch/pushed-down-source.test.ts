import { expect, it } from 'vitest';
import type { CallContext } from '../../../src/informer/watch/lister-watcher.ts';
import { pushedDownSource } from '../../../src/informer/watch/pushed-down-source.ts';
import type { ListOptions } from '../../../src/model/list-options.ts';
import { StatusError } from '../../../src/model/status.ts';

/** A server that selects only by the fields it knows, and records what it is asked. */
function server(known: string, code = 400) {
  const asked: ListOptions[] = [];
  const source = {
    list: async (options: ListOptions) => {
      asked.push(options);
      if (options.fieldSelector !== undefined && options.fieldSelector !== known)
        throw new StatusError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'not supported' });
      return { items: [], resourceVersion: '7' };
    },
    watch: () => Promise.reject(new Error('not watched')),
  };
  return { asked, source };
}

const own = { labelSelector: 'app=web', fieldSelector: 'metadata.name=x' };
const context = { signal: new AbortController().signal } as CallContext;
const narrow = { limit: 5, labelSelector: 'app=web', fieldSelector: 'metadata.name=x,spec.nodeName=n1' };

it('asks by the own selectors alone where the server cannot select by more, and reports it', async () => {
  const { asked, source } = server('metadata.name=x');
  let refused = 0;
  const list = pushedDownSource(source, own, () => refused++).list(narrow, context);
  expect([await list, refused]).toEqual([{ items: [], resourceVersion: '7' }, 1]);
  expect(asked).toEqual([narrow, { limit: 5, ...own }]);
});

it('passes on a probe where its source has one, with what it is asked and what it says', async () => {
  const selectors = { labelSelector: undefined, fieldSelector: undefined };
  const source = {
    list: async () => ({ items: [], resourceVersion: '1' }),
    watch: async () => [],
    probe: async (...args: unknown[]) => args,
  } as never;
  const pushed = pushedDownSource(source, selectors, () => {});
  const context = { signal: new AbortController().signal };
  expect(await pushed.probe?.({ limit: 1 }, context)).toEqual([{ limit: 1 }, context]);
  expect(await pushed.watch({ resourceVersion: '1' }, context)).toEqual([]);
  const without = pushedDownSource(
    { list: async () => ({ items: [], resourceVersion: '1' }) } as never,
    selectors,
    () => {},
  );
  expect([without.probe, await without.consistentUnpagedList?.(context)]).toEqual([undefined, false]);
});

it('asks once where the server can', async () => {
  const { asked, source } = server(narrow.fieldSelector);
  await pushedDownSource(source, own, () => expect.unreachable()).list(narrow, context);
  expect(asked).toEqual([narrow]);
});

it.each([
  ['a refusal of the own selectors', own.fieldSelector, 400],
  ['another error', narrow.fieldSelector, 403],
])('passes on %s', async (_, fieldSelector, code) => {
  const { asked, source } = server('', code);
  const list = pushedDownSource(source, own, () => expect.unreachable()).list({ ...own, fieldSelector }, context);
  await expect(list).rejects.toMatchObject({ status: { code } });
  expect(asked).toHaveLength(1);
});
