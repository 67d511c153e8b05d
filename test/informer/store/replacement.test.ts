import { describe, expect, it } from 'vitest';
import type { ReplaceObserver } from '../../../src/informer/store/replacement.ts';
import { StoreReplacement } from '../../../src/informer/store/replacement.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { Indexer } from '../../support/store-under-test.ts';

const byNode = { node: ({ spec }: Pod) => [spec?.nodeName ?? ''] };
const many = (count: number, prefix = 'k') => Array.from({ length: count }, (_, i) => pod(`${prefix}${i}`, 1));
const isMine = (key: string) => key.startsWith('k');

function recorder() {
  const calls: string[] = [];
  const observer: ReplaceObserver<Pod> = {
    begin: () => calls.push('begin'),
    put: (key, old, { metadata }) =>
      void calls.push(`put ${key} ${old?.metadata.resourceVersion ?? 'new'} ${metadata.resourceVersion}`),
    gone: (key, { metadata }) => void calls.push(`gone ${key} ${metadata.resourceVersion}`),
  };
  return { calls, observer };
}

describe('few objects among many', () => {
  /** Whether the replacement of a part is one of few changes, made in place. */
  const isInPlace = (before: readonly Pod[], objects: readonly Pod[], within?: (key: string) => boolean) => {
    const indexer = new Indexer<Pod>();
    indexer.replace(before, '1');
    return new StoreReplacement<Pod>(indexer, objects, { within }).fewChanges() !== undefined;
  };

  it('are at most 1,024, both before and after', () => {
    const others = many(2000, 'other-');
    expect(isInPlace([...others, ...many(1024)], many(1024), isMine)).toBe(true);
    expect(isInPlace([...others, ...many(1025)], many(1024), isMine)).toBe(false);
    expect(isInPlace([...others, ...many(1024)], many(1025), isMine)).toBe(false);
    expect(isInPlace(many(3), many(3))).toBe(false);
  });

  it('have the values of each index, and are reported before any change: what is put, then what is gone', () => {
    const indexer = new Indexer<Pod>({ indexers: byNode });
    indexer.replace([pod('k0', 1), pod('k1', 1), pod('other', 1)], '1');
    const { calls, observer } = recorder();
    const next = [pod('k1', 2, { node: 'n1' }), pod('k2', 2)];
    const changes = new StoreReplacement<Pod>(indexer, next, { within: isMine, observer }).fewChanges();
    expect([changes?.gone, [...(changes?.puts ?? [])]]).toEqual([
      ['k0'],
      [
        ['k1', { object: next[0], values: [['n1']] }],
        ['k2', { object: next[1], values: [['']] }],
      ],
    ]);
    expect(calls).toEqual(['begin', 'put k1 1 2', 'put k2 new 2', 'gone k0 1']);
    expect([...indexer.keys()]).toEqual(['k0', 'k1', 'other']);
  });

  it('come with the errors of index functions, where these are reported', () => {
    const indexer = new Indexer<Pod>({
      indexers: { bad: ({ metadata }) => (metadata.name === 'k1' ? (null as never) : []) },
      onIndexError: () => {},
    });
    const changes = new StoreReplacement<Pod>(indexer, [pod('k0', 1), pod('k1', 1)], { within: isMine }).fewChanges();
    expect(changes?.indexErrors.map(({ message }) => message)).toEqual([expect.stringContaining('"k1"')]);
  });
});

describe('a whole state', () => {
  it('that comes in steps has what was there before, what is put and what is gone', () => {
    const indexer = new Indexer<Pod>({ indexers: byNode });
    indexer.replace([pod('k0', 1), pod('k1', 1)], '1');
    const { calls, observer } = recorder();
    indexer.replace([pod('k1', 2, { node: 'n1' }), pod('k2', 2)], '2', { observer });
    expect(calls).toEqual(['begin', 'put k1 1 2', 'put k2 new 2', 'gone k0 1']);
    expect([[...indexer.keys()], indexer.indexKeys('node', 'n1'), indexer.resourceVersion]).toEqual([
      ['k1', 'k2'],
      ['k1'],
      '2',
    ]);
  });

  it('with a key twice is reported again, with each key once and its last object', () => {
    const indexer = new Indexer<Pod>();
    const { calls, observer } = recorder();
    indexer.replace([pod('k0', 1), pod('k1', 1), pod('k0', 2)], '2', { observer });
    expect(calls.slice(calls.lastIndexOf('begin'))).toEqual(['begin', 'put k0 new 2', 'put k1 new 1']);
  });

  it('of a part keeps the others, with their index values', () => {
    const indexer = new Indexer<Pod>({ indexers: byNode });
    indexer.replace([...many(2000, 'other-'), pod('x', 1, { node: 'n9' })], '1');
    indexer.replace(many(1500), '2', { within: isMine });
    expect([indexer.size, indexer.indexKeys('node', 'n9'), indexer.indexCount('node', '')]).toEqual([
      3501,
      ['x'],
      3500,
    ]);
    expect(indexer.indexNames).toEqual(['node']);
  });

  it('of a large part is reported as any other, with a key that comes twice once', () => {
    const indexer = new Indexer<Pod>();
    indexer.replace([pod('k0', 1), pod('k-gone', 1), pod('other', 1)], '1');
    for (const twice of [[], [pod('k7', 3)]]) {
      const { calls, observer } = recorder();
      const steps = indexer.replacing([...many(1100), ...twice], '2', { within: isMine, observer });
      while (!steps.next().done);
      const puts = calls.slice(calls.lastIndexOf('begin') + 1);
      expect(puts.filter((call) => call.startsWith('put'))).toHaveLength(1100);
      expect(puts.filter((call) => call.startsWith('gone'))).toEqual(twice.length ? [] : ['gone k-gone 1']);
      expect(puts).toContain(twice.length ? 'put k7 1 3' : 'put k7 new 1');
    }
    expect(indexer.size).toBe(1101);
  });

  it('of a large part goes on when an index is removed between its steps', () => {
    const indexer = new Indexer<Pod>({ indexers: byNode });
    indexer.replace([...many(5000, 'other-'), ...many(10)], '1');
    const steps = indexer.replacing(many(1100), '2', { within: isMine });
    expect(steps.next().done).toBe(false);
    indexer.removeIndexers(['node']);
    while (!steps.next().done);
    expect([indexer.size, indexer.indexNames]).toEqual([6100, []]);
  });

  it.each([
    ['few', 3],
    ['many', 1100],
  ])(
    'of a part of %s objects calls the transform once for each, and reports what an index function refuses',
    (_, count) => {
      const seen: string[] = [];
      const errors: string[] = [];
      const indexer = new Indexer<Pod>({
        indexers: { bad: ({ metadata }) => (metadata.name === 'k1' ? (null as never) : []) },
        onIndexError: ({ message }) => errors.push(message),
        transform: (object) => {
          seen.push(object.metadata.name ?? '');
          return { ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } };
        },
      });
      indexer.add(pod('other', 1));
      const steps = indexer.replacing(many(count), '2', { within: isMine });
      const isInSteps = !steps.next().done;
      if (isInSteps) indexer.update(pod('other', 2)); // so that the state is made once more
      while (!steps.next().done);
      expect(isInSteps).toBe(count > 1024 && indexer.store.slice < 1100);
      expect([new Set(seen).size, seen.length]).toEqual([count + 1, count + (isInSteps ? 2 : 1)]);
      expect(errors).toEqual([expect.stringContaining('"k1"')]);
      expect(indexer.get('k0')?.metadata.labels).toEqual({ seen: 'yes' });
    },
  );

  it('with known keys does not compute them', () => {
    const indexer = new Indexer<Pod>({
      keyOf: () => {
        throw new Error('the key is known');
      },
    });
    indexer.replace([pod('a', 1), pod('b', 1)], '1', { keys: ['first', 'second'] });
    expect([...indexer.keys()]).toEqual(['first', 'second']);
  });
});
