import { expect, it } from 'vitest';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

const pods = (namespace: string, count: number): UnknownObject[] =>
  Array.from({ length: count }, (_, i) => ({ metadata: { name: `p${i}`, namespace, resourceVersion: '1' } }));

it('replacing the few objects of one namespace among many costs as much as they do: no other is filed anew', () => {
  const indexer = new Indexer<UnknownObject>({ indexers: { name: ({ metadata }) => [metadata.name ?? ''] } });
  indexer.replace(pods('many', 5000), '1');
  const keys = indexer.keyOf.bind(indexer);
  for (const namespace of ['few', 'few'] as const) {
    const before = [...indexer.entries()];
    const set = Map.prototype.set;
    let writes = 0;
    Map.prototype.set = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
      writes++;
      return set.call(this, key, value);
    } as typeof Map.prototype.set;
    try {
      indexer.replace(pods(namespace, 10), '2', { within: (key) => key.startsWith('few/') });
    } finally {
      Map.prototype.set = set;
    }
    expect(writes).toBeLessThan(500);
    for (const [key, object] of before) if (key.startsWith('many/')) expect(indexer.get(key)).toBe(object);
  }
  expect(indexer.size).toBe(5010);
  expect(indexer.byIndex('name', 'p3').map(keys)).toEqual(['many/p3', 'few/p3']);
});

it('a replacement of few that cannot be had whole changes nothing', () => {
  const indexer = new Indexer<UnknownObject>({
    indexers: {
      name({ metadata }) {
        if (metadata.name === 'bad') throw new Error('no');
        return [metadata.name ?? ''];
      },
    },
  });
  indexer.replace(pods('few', 3), '1');
  const bad: UnknownObject = { metadata: { name: 'bad', namespace: 'few' } };
  expect(() => indexer.replace([...pods('few', 1), bad], '2', { within: (key) => key.startsWith('few/') })).toThrow('no');
  expect([indexer.size, indexer.resourceVersion, indexer.indexValues('name').sort()]).toEqual([3, '1', ['p0', 'p1', 'p2']]);
});
