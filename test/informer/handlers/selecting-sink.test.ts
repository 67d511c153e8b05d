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
