import { expect, it } from 'vitest';
import { replayed, selectingSink } from '../../../src/informer/handlers/selecting-sink.ts';

const pod = (name: string, app: string) => ({ metadata: { name, labels: { app } } });
const selects = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> | undefined } }) =>
  metadata.labels?.app === 'web';

function passing(selection: Parameters<typeof selectingSink>[1]) {
  const seen: unknown[] = [];
  const sink = selectingSink<ReturnType<typeof pod>>(
    { notify: ({ kind, key, cause }) => void seen.push([kind, key, cause]), synced() {} },
    selection,
  );
  return { seen, sink };
}
const added = { kind: 'added', cause: 'watch', isInInitialList: false } as const;
const updated = { kind: 'updated', cause: 'watch', uidChanged: false } as const;

it('passes on what is selected: what begins to be is added, and what ends is deleted', () => {
  const { seen, sink } = passing({ selects });
  const [web, db] = [pod('a', 'web'), pod('a', 'db')];
  sink.notify({ ...added, key: 'a', object: db });
  sink.notify({ ...updated, key: 'a', oldObject: db, object: web });
  sink.notify({ ...updated, key: 'a', oldObject: web, object: web });
  sink.notify({ ...updated, key: 'a', oldObject: web, object: db });
  sink.notify({ ...updated, key: 'a', oldObject: db, object: db });
  sink.notify({ kind: 'deleted', key: 'a', object: db, cause: 'watch', finalStateUnknown: false });
  expect(seen).toEqual([
    ['added', 'a', 'filter'],
    ['updated', 'a', 'watch'],
    ['deleted', 'a', 'filter'],
  ]);
});

it('gives what is there already, or nothing of it', () => {
  const items = new Map([
    ['a', pod('a', 'web')],
    ['b', pod('b', 'db')],
  ]);
  expect([...replayed(items, { selects })].map(({ key }) => key)).toEqual(['a']);
  expect([...replayed(items, { initial: false })]).toEqual([]);
  expect([...replayed(items, { keys: ['b', 'gone'] })].map(({ key }) => key)).toEqual(['b']);
  const { seen, sink } = passing({ initial: false });
  sink.notify({ ...added, key: 'a', object: pod('a', 'web'), cause: 'initial', isInInitialList: true });
  sink.notify({ ...added, key: 'b', object: pod('b', 'web') });
  expect(seen).toEqual([['added', 'b', 'watch']]);
});

it('what begins or ends to be selected keeps its place and object, and the sink gives its answer', () => {
  const seen: object[] = [];
  const sink = selectingSink<ReturnType<typeof pod>>(
    { notify: (each) => seen.push(each), synced: () => 'synced', continuity: (event) => event },
    { selects },
  );
  const [web, db] = [pod('a', 'web'), pod('a', 'db')];
  expect(sink.notify({ ...updated, key: 'a', oldObject: db, object: web, sequence: 7 })).toBe(1);
  expect(sink.notify({ ...updated, key: 'a', oldObject: web, object: db })).toBe(2);
  expect(sink.notify({ ...added, key: 'a', object: db })).toBeUndefined();
  const place = { key: 'a', cause: 'filter' };
  expect(seen).toStrictEqual([
    { kind: 'added', object: web, ...place, sequence: 7, isInInitialList: false },
    { kind: 'deleted', object: web, ...place, finalStateUnknown: false },
  ]);
  const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
  expect([sink.synced(), sink.continuity?.(event)]).toEqual(['synced', event]);
});

it('what is there already is given as the initial list', () => {
  const items = new Map([['a', pod('a', 'web')]]);
  expect([...replayed(items)]).toEqual([
    { kind: 'added', key: 'a', object: pod('a', 'web'), cause: 'initial', isInInitialList: true },
  ]);
});
