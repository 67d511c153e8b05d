import { describe, expect, it } from 'vitest';
import { type Cached, PackedObject } from '../../../src/informer/compact/packed-object.ts';
import { CompactObjects } from '../../../src/informer/store/compact-objects.ts';
import { Index } from '../../../src/informer/store/object-index.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { keyOf } from '../../../src/model/key.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

const nodeOf = ({ spec }: Pod) => [spec?.nodeName ?? ''];

function objects(
  kind: 'auto' | 'compact' = 'compact',
  indexes: Record<string, (object: Pod) => readonly string[]> = {},
) {
  const made = new Map(Object.entries(indexes).map(([name, fn]) => [name, new Index<Pod>(fn)]));
  const options = { kind, clock: new FakeClock(), logger: createLogger(() => {}) };
  const store = new CompactObjects<Pod>({ keyOf, indexes: made }, options);
  const put = (object: Pod) => store.put(keyOf(object), object);
  const entry = (key: string) => store.items.get(key) as Cached<Pod>;
  return { store, indexes: made, put, entry };
}
const packedOf = (entry: Cached<Pod> | undefined) => entry as PackedObject<Pod>;
const memoryOf = (store: CompactObjects<Pod>) => [
  store.memory.objects,
  store.memory.packed,
  store.memory.textBytes > 0,
];

describe('a store of packed objects', () => {
  it('gives back the memory of what is replaced or dropped', () => {
    const { store, put } = objects();
    put(pod('shop/a', 1));
    put(pod('shop/a', 2));
    put(pod('shop/b', 1));
    expect([memoryOf(store), store.open(packedOf(store.items.get('shop/a')))]).toEqual([
      [2, 2, true],
      pod('shop/a', 2),
    ]);
    expect([store.drop('shop/a'), store.drop('shop/a'), store.drop('shop/b')]).toEqual([true, false, true]);
    expect(memoryOf(store)).toEqual([0, 0, false]);
  });

  it('keeps the memory of an entry that is put again as it is', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1));
    store.put('shop/a', entry('shop/a'));
    expect([memoryOf(store), store.open(entry('shop/a'))]).toEqual([[1, 1, true], pod('shop/a', 1)]);
  });

  it('reads objects in their order, in every way', () => {
    const { store, put, entry } = objects();
    const all = [pod('shop/a', 1), pod('shop/b', 2)];
    for (const each of all) put(each);
    const entries = [entry('shop/a'), entry('shop/b')];
    expect([...store.opened()]).toEqual(all);
    expect([...store.openedEntries()]).toEqual(all.map((each) => [keyOf(each), each]));
    expect([
      ...store.openEach([
        ['x', entries[1]],
        ['y', undefined],
      ]),
    ]).toEqual([
      ['x', all[1]],
      ['y', undefined],
    ]);
    expect([...store.view(entries)]).toEqual(all);
  });

  it('keeps a few objects parsed that are read by themselves, and none that pass by', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1));
    put(pod('shop/b', 1));
    const handles = [entry('shop/a'), entry('shop/b')].map((each) => packedOf(each));
    for (const handle of handles) expect(handle.hot).toEqual(pod(handle.key, 1)); // a written object is read soon
    for (const handle of handles) handle.hot = undefined;
    for (const _ of [...store.opened(), ...store.openedEntries(), ...store.view(handles)]);
    for (const _ of store.openEach([['shop/a', handles[0]]]));
    store.open(handles[1] as Cached<Pod>, true);
    expect(handles.map(({ hot }) => hot)).toEqual([undefined, undefined]);
    store.open(handles[1] as Cached<Pod>);
    expect(handles.map(({ hot }) => hot)).toEqual([undefined, pod('shop/b', 1)]);
  });

  it('finds what a search asks for, and nothing that it excludes', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1, { node: 'n1' }));
    put(pod('shop/b', 1, { node: 'n2' }));
    for (const key of ['shop/a', 'shop/b']) packedOf(entry(key)).hot = undefined; // a hot object may have any text
    const found = (having: string[]) => [...store.search({ having, fields: undefined })].filter((each) => each);
    expect(found(['"n1"'])).toEqual([pod('shop/a', 1, { node: 'n1' })]);
    expect([found(['"n1"', '"n2"']), found([])]).toEqual([[], [...store.opened()]]);
    const fields = [['spec', 'nodeName']] as never;
    store.keep({ fields });
    put(pod('shop/c', 1, { node: 'n3' }));
    const nodes = [...store.search({ having: [], fields })].map((each) => each?.spec?.nodeName);
    expect(nodes).toEqual(['n1', 'n2', 'n3']);
  });

  it('decodes no object of a search for fields that were to be kept before the objects came', () => {
    const fields = [['spec', 'nodeName']] as never;
    const found = (isKept: boolean) => {
      const { store, put } = objects();
      if (isKept) store.keep({ fields });
      store.keep({ fields: [] });
      put({ ...pod('shop/a', 1), spec: { nodeName: 'n1', other: 'x' } });
      return [...store.search({ having: [], fields })].map((each) => each?.spec);
    };
    expect([found(true), found(false)]).toEqual([[{ nodeName: 'n1' }], [{ nodeName: 'n1', other: 'x' }]]);
  });

  it('exchanges all entries, and gives back those that are stored no more when nothing else runs', async () => {
    const { store, put, entry } = objects();
    for (const name of ['a', 'b']) put(pod(`shop/${name}`, 1));
    const kept = entry('shop/a');
    const added = store.incoming('shop/c', pod('shop/c', 1), 2, true);
    const before = store.exchange(
      new Map([
        ['shop/a', kept],
        ['shop/c', added],
      ]),
    );
    expect([...before.keys()]).toEqual(['shop/a', 'shop/b']);
    expect(store.memory.packed).toBe(3);
    const unused = store.incoming('shop/d', pod('shop/d', 1), 2, true);
    store.settle([kept, added, unused, pod('shop/e', 1)], before);
    await settled();
    expect(memoryOf(store)).toEqual([2, 2, true]);
    expect([...store.opened()]).toEqual([pod('shop/a', 1), pod('shop/c', 1)]);
  });

  it('takes the entry that it has for an object that is the same in a new list', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1));
    const known = entry('shop/a');
    expect(store.incoming('shop/a', pod('shop/a', 1), 1, true)).toBe(known);
    expect(store.incoming('shop/a', pod('shop/a', 2), 1, true)).not.toBe(known);
  });

  it('gives back a handle that is not stored, and never one that is', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1));
    store.discard(entry('shop/a'));
    store.discard(pod('shop/a', 1));
    expect(memoryOf(store)).toEqual([1, 1, true]);
    const unused = store.incoming('shop/b', pod('shop/b', 1), 1, true);
    expect([store.isHandle(unused), store.isHandle(pod('shop/b', 1)), store.memory.packed]).toEqual([true, false, 2]);
    store.discard(unused);
    expect(store.memory.packed).toBe(1);
  });
});

describe('objects that arrive', () => {
  it('have their index values with them until they are stored, which are not computed twice', async () => {
    let calls = 0;
    const counted = (object: Pod) => {
      calls++;
      return nodeOf(object);
    };
    const { store, indexes } = objects('compact', { node: counted });
    const arriving = store.arrivals(undefined);
    arriving.begin();
    const handles = ['a', 'b'].map((name) => packedOf(arriving.take(pod(`shop/${name}`, 1, { node: 'n1' }))));
    expect([handles.map(({ prepared }) => prepared?.values), calls]).toEqual([[[['n1']], [['n1']]], 2]);
    // objects with one value share the list of it
    expect(handles[0]?.prepared?.values[0]).toBe(handles[1]?.prepared?.values[0]);
    for (const handle of handles) {
      expect(store.knownValues('node', counted, handle.key, handle)).toEqual(['n1']);
      expect(store.knownValues('node', nodeOf, handle.key, handle)).toBeUndefined();
      store.put(handle.key, handle);
      indexes.get('node')?.file(handle.key, ['n1']);
      expect([handle.prepared, store.knownValues('node', counted, handle.key, handle)]).toEqual([undefined, ['n1']]);
    }
    expect([calls, store.knownValues('node', counted, 'shop/a', pod('shop/a', 1))]).toEqual([2, undefined]);
  });

  it('have no values of an index whose function throws, or gave no list, which is called again', () => {
    const throwing = () => {
      throw new Error('no');
    };
    const { store } = objects('compact', { bad: throwing, node: nodeOf });
    const handle = packedOf(store.arrivals(undefined).take(pod('shop/a', 1, { node: 'n1' })));
    expect(handle.prepared).toEqual({ of: [nodeOf], values: [['n1']] });
    expect(store.knownValues('bad', throwing, 'shop/a', handle)).toBeUndefined();
  });

  it('are the entry that is stored, without new values, where they are the same', () => {
    const { store, put, entry } = objects('compact', { node: nodeOf });
    put(pod('shop/a', 1));
    const handle = packedOf(store.arrivals(undefined).take(pod('shop/a', 1)));
    expect([handle === entry('shop/a'), handle.prepared]).toEqual([true, undefined]);
  });

  it('lose their values with the replacement that stores them at once, and keep them for one that may be repeated', () => {
    const { store } = objects('compact', { node: nodeOf });
    const [once, twice] = ['a', 'b'].map((name) => packedOf(store.arrivals(undefined).take(pod(`shop/${name}`, 1))));
    store.incoming('shop/a', once as Cached<Pod>, 1, true);
    store.incoming('shop/b', twice as Cached<Pod>, 1, false);
    expect([once?.prepared, twice?.prepared?.values]).toEqual([undefined, [['']]]);
  });
});

describe('a store that packs when there are many', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => pod(`shop/p${i}`, i + 1));

  it('keeps up to 5,000 objects as they are, and packs all of them when there are more', async () => {
    const { store, put, entry } = objects('auto');
    for (const each of many(5001)) put(each);
    expect([memoryOf(store), entry('shop/p0')]).toEqual([[5001, 0, false], pod('shop/p0', 1)]);
    put(pod('shop/last', 1));
    await settled();
    expect(memoryOf(store)).toEqual([5002, 5002, true]);
    expect(store.open(entry('shop/p0'))).toEqual(pod('shop/p0', 1));
  });

  it('packs the objects of a list of more from the first one that is too many', () => {
    const { store } = objects('auto');
    const arriving = store.arrivals(undefined);
    arriving.begin();
    const entries = many(5002).map((each) => arriving.take(each));
    expect([entries[4999] instanceof PackedObject, entries[5000] instanceof PackedObject]).toEqual([false, true]);
    expect(store.incoming('shop/p0', pod('shop/p0', 1), 10, true)).toBeInstanceOf(PackedObject);
  });
});
