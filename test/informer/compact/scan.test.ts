import { describe, expect, it } from 'vitest';
import { PackedObject } from '../../../src/informer/compact/packed-object.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

const NODES = ['node-1', 'node-10', 'node-2', 'worker'];

function filled(count: number, seed: number) {
  const random = seededRandom(seed);
  const indexer = new Indexer<UnknownObject>({ store: 'compact' });
  const node = () => NODES[Math.floor(random() * NODES.length)];
  const objectOf = (i: number, version: number) => ({
    metadata: { name: `web-${i}`, namespace: 'shop', resourceVersion: String(version), uid: `uid-${i}` },
    // most nodes are in a few stretches, so that whole blocks lack one
    spec: { nodeName: i % 200 < 150 ? 'node-2' : node(), note: 'x'.repeat(300) },
  });
  indexer.replace(
    Array.from({ length: count }, (_, i) => objectOf(i, i)),
    '1',
  );
  for (let i = 0; i < count / 2; i++) indexer.update(objectOf(Math.floor(random() * count), count + i));
  return { indexer, lister: createLister(indexer) };
}

const nodeOf = (object: UnknownObject) => (object.spec as { nodeName: string }).nodeName;

describe('a scan for objects that have texts', () => {
  it.each([1, 2, 3])('leaves out no object that has them, and decodes few others (seed %d)', (seed) => {
    const { indexer, lister } = filled(2000, seed);
    for (const node of NODES) {
      const before = indexer.memory.coldReads;
      const found = [...lister.scan({ having: [`"${node}"`] })].filter((object) => object !== undefined);
      const wanted = lister.list().filter((object) => nodeOf(object as UnknownObject) === node);
      expect(found.filter((object) => nodeOf(object as UnknownObject) === node)).toEqual(wanted);
      expect(found).toHaveLength(
        wanted.length + found.filter((object) => nodeOf(object as UnknownObject) !== node).length,
      );
      if (node === 'worker') expect(indexer.memory.coldReads - before - 2000).toBeLessThan(600);
    }
  });

  it('looks at all objects without texts, of the moment of the call', () => {
    const { indexer, lister } = filled(100, 4);
    const scan = lister.scan()[Symbol.iterator]();
    const first = scan.next().value as UnknownObject;
    for (const key of [...indexer.keys()]) indexer.deleteKey(key);
    expect([first, ...Iterator.from(scan as IterableIterator<UnknownObject>)]).toHaveLength(100);
    expect(lister.size).toBe(0);
  });

  it('does not trust texts with escapes of usual characters', () => {
    const indexer = new Indexer<UnknownObject>({ store: 'compact' }, { isFromServer: () => true });
    const object = { metadata: { name: 'web' }, spec: { nodeName: 'node-1' } };
    const bytes = Buffer.from('{"metadata":{"name":"web"},"spec":{"nodeName":"\\u006eode-1"}}');
    const entry = indexer.store.arrivals(undefined)?.take(object, bytes);
    expect(entry).toBeInstanceOf(PackedObject);
    indexer.add(entry as PackedObject<UnknownObject>);
    expect([...createLister(indexer).scan({ having: ['"node-1"'] })]).toEqual([object]);
  });
});
