import { expect, it } from 'vitest';
import { createFilteringHandler } from '../../../src/informer/handlers/filtering-handler.ts';
import { createRecordingHandler } from '../../../src/testing/recording-handler.ts';
import { type Pod, pod } from '../../support/objects.ts';

const yes = (version: number) => pod('a', version, { labels: { show: 'yes' } });
const no = (version: number) => pod('a', version);
const isShown = (object: { metadata: { readonly labels?: Readonly<Record<string, string>> } }) =>
  object.metadata.labels?.show === 'yes';
const update = { key: 'a', cause: 'watch', uidChanged: false } as const;

function filtered() {
  const inner = createRecordingHandler<Pod>();
  return { inner, outer: createFilteringHandler<Pod>(isShown, inner) };
}

it.each([
  ['both match', yes(1), yes(2), ['updated a@1->2']],
  ['only the new one matches', no(1), yes(2), ['added a@2']],
  ['only the old one matches', yes(1), no(2), ['deleted a@1']],
  ['neither matches', no(1), no(2), []],
])('an update of which %s [FLT-01]', (_, old, object, lines) => {
  const { inner, outer } = filtered();
  outer.updated?.(old, object, update);
  expect(inner.lines).toEqual(lines);
  for (const n of inner.notifications) {
    if (n.kind === 'added') expect(n).toMatchObject({ isInInitialList: false, cause: 'filter' });
    if (n.kind === 'deleted') expect(n).toMatchObject({ finalStateUnknown: false, cause: 'filter' });
    if (n.kind === 'updated') expect(n.cause).toBe('watch');
  }
});

it('additions and deletions of matching objects pass unchanged [FLT-02]', () => {
  const { inner, outer } = filtered();
  const details = { key: 'a', cause: 'initial', isInInitialList: true } as const;
  outer.added?.(yes(1), details);
  outer.added?.(no(1), details);
  outer.deleted?.(yes(2), { key: 'a', cause: 'relist', finalStateUnknown: true });
  outer.deleted?.(no(2), { key: 'a', cause: 'relist', finalStateUnknown: true });
  expect(inner.lines).toEqual(['added a@1', 'deleted a@2 (unknown)']);
  expect(inner.notifications[0]).toMatchObject(details);
  expect(inner.notifications[1]).toMatchObject({ key: 'a', cause: 'relist', finalStateUnknown: true });
});

it('calls the filter with the new object first', () => {
  const asked: (string | undefined)[] = [];
  const outer = createFilteringHandler<Pod>((o) => {
    asked.push(o.metadata.resourceVersion);
    return false;
  }, {});
  outer.updated?.(no(1), no(2), update);
  expect(asked).toEqual(['2', '1']);
});

it('skips callbacks that the handler does not have', () => {
  const outer = createFilteringHandler<Pod>(() => true, {});
  expect(outer.added?.(yes(1), { key: 'a', cause: 'watch', isInInitialList: false })).toBeUndefined();
  expect(outer.synced?.()).toBeUndefined();
});

it('returns the promise of the inner handler', async () => {
  const outer = createFilteringHandler<Pod>(() => true, { added: () => Promise.reject(new Error('inner')) });
  await expect(outer.added?.(yes(1), { key: 'a', cause: 'watch', isInInitialList: false })).rejects.toThrow('inner');
});

it('an update that becomes an addition or a deletion keeps its key and its place, which is 0 where it has none', () => {
  const seen: unknown[] = [];
  const note = (_: unknown, { key, sequence }: { key: string; sequence?: number | undefined }) => {
    seen.push([key, sequence]);
  };
  const outer = createFilteringHandler<Pod>(isShown, { added: note, deleted: note });
  for (const details of [update, { ...update, sequence: 7 }]) {
    outer.updated?.(no(1), yes(2), details);
    outer.updated?.(yes(1), no(2), details);
  }
  expect(seen).toEqual([['a', 0], ['a', 0], ['a', 7], ['a', 7]]); // biome-ignore format: one row
});

it('passes on the end of the initial list and continuity events, with what they return', () => {
  const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
  const outer = createFilteringHandler<Pod>(() => false, {
    synced: () => 'synced' as never,
    continuity: (given) => given as never,
  });
  expect([outer.synced?.(), outer.continuity?.(event)]).toEqual(['synced', event]);
  expect(createFilteringHandler<Pod>(() => true, {}).continuity?.(event)).toBeUndefined();
});

it('returns the promise of each callback of the inner handler', async () => {
  const fail = () => Promise.reject(new Error('inner'));
  const outer = createFilteringHandler<Pod>(isShown, { added: fail, updated: fail, deleted: fail });
  const calls = [
    outer.updated?.(yes(1), yes(2), update),
    outer.updated?.(no(1), yes(2), update),
    outer.updated?.(yes(1), no(2), update),
    outer.deleted?.(yes(1), { key: 'a', cause: 'watch', finalStateUnknown: false }),
  ];
  for (const call of calls) await expect(call).rejects.toThrow('inner');
});

it('refuses a filter that is no function', () => {
  expect(() => createFilteringHandler<Pod>('app=web' as never, {})).toThrow('filter');
});
