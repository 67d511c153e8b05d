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
  above?: number,
) {
  const made = new Map(Object.entries(indexes).map(([name, fn]) => [name, new Index<Pod>(fn)]));
  const errors: string[] = [];
  const logger = createLogger((_, line) => errors.push(line));
  const options = { kind, above, clock: new FakeClock(), logger };
  const store = new CompactObjects<Pod>({ keyOf, indexes: made }, options);
  const put = (object: Pod) => store.put(keyOf(object), object);
  const entry = (key: string) => store.items.get(key) as Cached<Pod>;
  return { store, indexes: made, put, entry, errors };
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

  it('keeps fields that were to be kept, whatever others are looked at', () => {
    const fields = [['spec', 'nodeName']] as never;
    const { store, put } = objects();
    store.keep({ fields });
    for (let i = 0; i < 20; i++) store.reader({ fields: [[`field-${i}`]] }, (object) => object);
    put({ ...pod('shop/a', 1), spec: { nodeName: 'n1', other: 'x' } });
    expect([...store.search({ having: [], fields })].map((each) => each?.spec)).toEqual([{ nodeName: 'n1' }]);
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
    const [a, other, b] = ['n1', 'n2', 'n1'].map((node, i) =>
      packedOf(arriving.take(pod(`shop/p${i}`, 1, { node }))),
    ) as [PackedObject<Pod>, PackedObject<Pod>, PackedObject<Pod>];
    const handles = [a, b];
    expect([handles.map(({ prepared }) => prepared?.values), calls]).toEqual([[[['n1']], [['n1']]], 3]);
    // objects with one value share the list of it
    expect(a.prepared?.values[0]).toBe(b.prepared?.values[0]);
    expect(other.prepared?.values).toEqual([['n2']]);
    for (const handle of handles) {
      expect(store.knownValues('node', counted, handle.key, handle)).toEqual(['n1']);
      expect(store.knownValues('node', nodeOf, handle.key, handle)).toBeUndefined();
      store.put(handle.key, handle);
      indexes.get('node')?.file(handle.key, ['n1']);
      expect([handle.prepared, store.knownValues('node', counted, handle.key, handle)]).toEqual([undefined, ['n1']]);
    }
    expect([calls, store.knownValues('node', counted, 'shop/a', pod('shop/a', 1))]).toEqual([3, undefined]);
  });

  it('have all values of an index that has several, or none', () => {
    const several = ({ metadata }: Pod) => (metadata.name === 'a' ? ['x', 'y'] : []);
    const { store } = objects('compact', { several });
    const arriving = store.arrivals(undefined);
    const values = ['a', 'b'].map((name) => packedOf(arriving.take(pod(`shop/${name}`, 1))).prepared?.values);
    expect(values).toEqual([[['x', 'y']], [[]]]);
  });

  it('give their memory back when their list begins again', () => {
    const { store } = objects();
    const arriving = store.arrivals(undefined);
    arriving.begin();
    arriving.take(pod('shop/a', 1));
    expect(store.memory.packed).toBe(1);
    arriving.begin();
    expect(store.memory.packed).toBe(0);
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

describe('entries', () => {
  it('are in the order of their keys, also after writes, deletions and an exchange', () => {
    const { store, put, entry } = objects();
    const keys = () => store.byKey().map((cached) => packedOf(cached).key);
    for (const name of ['c', 'a']) put(pod(`shop/${name}`, 1));
    expect(keys()).toEqual(['shop/a', 'shop/c']);
    put(pod('shop/b', 1));
    expect(keys()).toEqual(['shop/a', 'shop/b', 'shop/c']);
    put(pod('shop/a', 2));
    expect(store.open(store.byKey()[0] as Cached<Pod>)).toEqual(pod('shop/a', 2));
    store.drop('shop/b');
    expect(keys()).toEqual(['shop/a', 'shop/c']);
    store.exchange(new Map([['shop/c', entry('shop/c')]]));
    expect(keys()).toEqual(['shop/c']);
  });

  it('are opened whole, or as far as some fields go, and none of them stays parsed', () => {
    const { store, put, entry } = objects();
    const object = { ...pod('shop/a', 1), spec: { nodeName: 'n1', other: 'x' } };
    put(object);
    const handle = packedOf(entry('shop/a'));
    handle.hot = undefined;
    expect(store.openPart(handle, undefined)).toEqual(object);
    expect(store.openPart(handle, [['spec', 'nodeName']]).spec).toEqual({ nodeName: 'n1' });
    expect(store.glance(handle)).toEqual(object); // it is no row of a table
    expect(handle.hot).toBeUndefined();
    const reader = store.reader({ fields: [['spec', 'nodeName']] }, ({ spec }) => spec?.nodeName);
    expect([reader(handle), handle.hot]).toEqual(['n1', undefined]);
  });

  it('are opened for a handler, in notifications of packed objects and in no others', () => {
    const { store, put, entry } = objects();
    const parsed = pod('shop/b', 1);
    put(pod('shop/a', 1));
    put(pod('shop/a', 2));
    const old = store.incoming('shop/a', pod('shop/a', 1), 1, true);
    const seen: unknown[] = [];
    const sink = store.opening({ notify: (notification: unknown) => seen.push(notification) } as never);
    const base = { key: 'shop/a', cause: 'watch', isInInitialList: false };
    const notify = (notification: object) => sink.notify({ ...base, ...notification } as never);
    notify({ kind: 'added', object: entry('shop/a') });
    notify({ kind: 'updated', object: parsed, oldObject: old });
    notify({ kind: 'added', object: parsed });
    expect(seen).toMatchObject([
      { object: pod('shop/a', 2) },
      { object: parsed, oldObject: pod('shop/a', 1) },
      { object: parsed },
    ]);
    expect(seen.every((each) => !((each as { object: unknown }).object instanceof PackedObject))).toBe(true);
  });

  it('are counted again when they are stored again after they were dropped', () => {
    const { store, put, entry } = objects();
    put(pod('shop/a', 1));
    const handle = entry('shop/a');
    for (const store_ of [() => store.put('shop/a', handle), () => store.incoming('shop/a', handle, 1, true)]) {
      store.drop('shop/a');
      expect(store.memory.packed).toBe(0);
      store_();
      expect(store.memory.packed).toBe(1);
    }
  });
});

describe('a replacement that is over', () => {
  it('gives back what was made for it and is not stored, also where nothing was stored before', async () => {
    const { store, errors } = objects('compact', { node: nodeOf });
    const handle = packedOf(store.arrivals(undefined).take(pod('shop/a', 1)));
    store.settle([handle, pod('shop/b', 1)], undefined);
    await settled();
    expect([store.memory.packed, handle.prepared, errors]).toEqual([0, undefined, []]);
    store.settle([handle], store.exchange(new Map([['shop/a', handle]])));
    await settled();
    expect(memoryOf(store)).toEqual([1, 1, true]); // the one before had dropped it
  });

  it('leaves no object parsed in a store that packs by now, however often', async () => {
    const { store, entry } = objects('auto', {}, 2);
    const parsed = (names: string[]) => new Map(names.map((name) => [`shop/${name}`, pod(`shop/${name}`, 1)]));
    store.incoming('shop/a', pod('shop/a', 1), 2, true);
    store.settle([], store.exchange(parsed(['a', 'b'])));
    await settled();
    expect(memoryOf(store)).toEqual([2, 0, false]);
    store.incoming('shop/c', pod('shop/c', 1), 3, true);
    for (const names of [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]) {
      store.settle([], store.exchange(parsed(names)));
      expect(store.byKey()).toHaveLength(names.length);
      await settled();
      expect(names.map((name) => entry(`shop/${name}`) instanceof PackedObject)).toEqual(names.map(() => true));
      expect(store.byKey().every((cached) => cached instanceof PackedObject)).toBe(true);
    }
  });
});

describe('a store that packs when there are many', () => {
  it('keeps up to its limit of objects as they are, and packs all of them when there is one more', async () => {
    const { store, put, entry } = objects('auto', {}, 2);
    for (const name of ['a', 'b', 'c']) put(pod(`shop/${name}`, 1));
    expect(memoryOf(store)).toEqual([3, 0, false]);
    put(pod('shop/d', 1));
    await settled();
    expect([memoryOf(store), store.open(entry('shop/a'))]).toEqual([[4, 4, true], pod('shop/a', 1)]);
  });

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
