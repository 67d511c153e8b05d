import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { CachedSource } from '../../../src/serve/watch-cache/cached-source.ts';

const pod = (name: string, resourceVersion: string | undefined) =>
  ({ metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) } }) as UnknownObject;

type Kind = 'added' | 'updated' | 'deleted';

/** Gives a source a notification about an object. */
function take(source: CachedSource, kind: Kind, name: string, version: string | undefined, cause = 'watch'): void {
  const object = pod(name, version);
  source.take({ kind, key: name, object, oldObject: object, cause, sequence: 0 } as never);
}

function whole(version: string, kept?: number): CachedSource {
  const source = new CachedSource(kept);
  source.filled(version);
  return source;
}

/** How often a source woke its waiters while `run` ran. */
async function wakesIn(source: CachedSource, run: () => void): Promise<number> {
  const ending = new AbortController();
  const waiting = source.changed.wait(ending.signal).then(
    () => 1,
    () => 0,
  );
  run();
  ending.abort();
  return waiting;
}

const historyOf = ({ history }: CachedSource) =>
  Array.from({ length: history.next - history.first }, (_, i) => {
    const { type, version, key, previous } = history.at(history.first + i) as NonNullable<
      ReturnType<typeof history.at>
    >;
    return `${type} ${key}@${version}${previous ? ` was ${previous.metadata.resourceVersion}` : ''}`;
  });

it('a source is filling until its initial state is complete, of which no change is kept', () => {
  const source = new CachedSource();
  take(source, 'added', 'b', '5', 'initial');
  take(source, 'added', 'a', '9', 'initial');
  take(source, 'added', 'c', '7', 'initial');
  expect([source.state, source.version, historyOf(source)]).toEqual(['filling', '9', []]);
  source.filled('8');
  expect([source.state, source.version, source.epoch]).toEqual(['whole', '9', 0]);
  expect(source.sorted().map(([key]) => key)).toEqual(['a', 'b', 'c']);
  expect(whole('8').version).toBe('8');
});

it('a change is what it is for a client that has the state before: added if the key was not there, whatever the informer calls it', () => {
  const source = whole('1');
  take(source, 'updated', 'a', '2');
  take(source, 'added', 'a', '3');
  take(source, 'deleted', 'a', '4');
  expect(historyOf(source)).toEqual(['ADDED a@2', 'MODIFIED a@3 was 2', 'DELETED a@4 was 3']);
  expect([source.version, source.sorted()]).toEqual(['4', []]);
});

it('a resync replaces the object and is no change', async () => {
  const source = whole('1');
  take(source, 'added', 'a', '2');
  expect(await wakesIn(source, () => take(source, 'updated', 'a', '2', 'resync'))).toBe(0);
  expect(historyOf(source)).toEqual(['ADDED a@2']);
});

it('a change without a version counts as one of no version', () => {
  const source = whole('1');
  take(source, 'added', 'a', undefined);
  expect([source.version, historyOf(source)]).toEqual(['', ['ADDED a@']]);
});

it('what a relist shows is no change of the kept ones, and ends those who follow them, once', () => {
  const source = whole('1');
  take(source, 'updated', 'a', '5', 'relist');
  take(source, 'updated', 'b', '4', 'relist');
  expect([source.state, source.epoch, source.version, historyOf(source)]).toEqual(['relisting', 1, '5', []]);
  source.lost();
  expect(source.epoch).toBe(1);
  source.filled('6');
  take(source, 'updated', 'a', '7');
  expect([source.state, source.epoch, source.version, historyOf(source)]).toEqual([
    'whole',
    1,
    '7',
    ['MODIFIED a@7 was 5'],
  ]);
});

it('a source that never was whole cannot lose changes', async () => {
  const source = new CachedSource();
  expect(await wakesIn(source, () => source.lost())).toBe(0);
  expect([source.state, source.epoch]).toEqual(['filling', 0]);
});

it.each<[string, (source: CachedSource) => void]>([
  ['a change', (source) => take(source, 'added', 'a', '2')],
  ['a new list', (source) => source.filled('9')],
  ['a gap', (source) => source.lost()],
])('%s wakes those who wait', async (_, run) => {
  const source = whole('1');
  expect(await wakesIn(source, () => run(source))).toBe(1);
});

it('a version that is reached without a change is that of a whole source, and never goes back', () => {
  const source = new CachedSource();
  source.reached('9');
  expect(source.version).toBe('');
  source.filled('5');
  source.reached('9');
  source.reached('7');
  expect(source.version).toBe('9');
  source.lost();
  source.reached('12');
  expect(source.version).toBe('9');
});

it('changes begin again behind a new list, and as many are kept as before', () => {
  const source = whole('1', 4);
  for (let i = 2; i < 12; i++) take(source, 'updated', 'a', `${i}`);
  expect(historyOf(source)).toHaveLength(4);
  source.filled('20');
  expect([historyOf(source), source.history.after('19'), source.history.after('20')]).toEqual([[], undefined, 0]);
  for (let i = 21; i < 40; i++) take(source, 'updated', 'a', `${i}`);
  expect(historyOf(source).length).toBeLessThanOrEqual(5);
});

it('keeps 5,000 changes, and some more before it drops many at once', () => {
  const source = whole('1');
  for (let i = 2; i < 6_251; i++) take(source, 'updated', 'a', `${i}`);
  expect(source.history.next - source.history.first).toBe(6_249);
  take(source, 'updated', 'a', '6251');
  expect(source.history.next - source.history.first).toBe(5_000);
});

it('any object shows what all have in common: a present one, or the last that went', () => {
  const source = whole('1');
  expect(source.anyObject()).toBeUndefined();
  take(source, 'added', 'a', '2');
  take(source, 'added', 'b', '3');
  expect(source.anyObject()?.metadata.name).toBe('a');
  take(source, 'deleted', 'a', '4');
  take(source, 'deleted', 'b', '5');
  expect(source.anyObject()?.metadata).toEqual({ name: 'b', resourceVersion: '5' });
});
