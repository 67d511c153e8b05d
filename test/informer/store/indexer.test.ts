import { describe, expect, it } from 'vitest';
import type { PackedObject } from '../../../src/informer/compact/packed-object.ts';
import { Indexer as PlainIndexer } from '../../../src/informer/store/indexer.ts';
import { reading } from '../../../src/informer/store/object-index.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { withCells } from '../../../src/model/cells.ts';
import { keyOf } from '../../../src/model/key.ts';
import { Tombstone, type UnknownObject } from '../../../src/model/object.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { Indexer } from '../../support/store-under-test.ts';

const tagged = (name: string, tags: string, version = 1) => pod(name, version, { annotations: { tags } });
const byTags = (object: Pod) => object.metadata.annotations?.tags?.split(',').filter(Boolean) ?? [];
const indexed = () => new Indexer<Pod>({ indexers: { tags: byTags } });

describe('indexes', () => {
  it('follow every value of an object, several at a time [IDX-01] [IDX-02]', () => {
    const indexer = indexed();
    indexer.add(tagged('k1', 'foo'));
    indexer.add(tagged('k2', 'bar'));
    indexer.update(tagged('k2', 'foo,bar'));
    expect(indexer.indexKeys('tags', 'foo')).toEqual(['k1', 'k2']);
    expect(indexer.indexKeys('tags', 'bar')).toEqual(['k2']);
    indexer.update(tagged('k1', 'foo,bar'));
    indexer.add(tagged('k3', 'foo,bar,baz'));
    indexer.update(tagged('k1', 'foo'));
    indexer.update(tagged('k2', 'bar'));
    expect(['foo', 'bar', 'baz'].map((v) => indexer.indexKeys('tags', v))).toEqual([
      ['k1', 'k3'],
      ['k2', 'k3'],
      ['k3'],
    ]);
    indexer.deleteKey('k1');
    indexer.deleteKey('k3');
    expect(['foo', 'bar', 'baz'].map((v) => indexer.indexKeys('tags', v))).toEqual([[], ['k2'], []]);
  });

  it('forget a value when its last object leaves [IDX-03]', () => {
    const indexer = indexed();
    indexer.add(tagged('k1', 'foo'));
    indexer.add(tagged('k2', 'foo,bar'));
    indexer.deleteKey('k2');
    expect(indexer.indexValues('tags')).toEqual(['foo']);
    indexer.update(tagged('k1', ''));
    expect(indexer.indexValues('tags')).toEqual([]);
  });

  it('find the objects of a value [IDX-04]', () => {
    const indexer = indexed();
    indexer.add(tagged('one', 'ernie,bert'));
    indexer.add(tagged('two', 'bert,oscar'));
    indexer.add(tagged('tre', 'ernie,elmo'));
    const names = (value: string) =>
      indexer
        .byIndex('tags', value)
        .map((o) => o.metadata.name)
        .sort();
    expect(['ernie', 'bert', 'elmo', 'oscar', 'elmo1'].map(names)).toEqual([
      ['one', 'tre'],
      ['one', 'two'],
      ['tre'],
      ['two'],
      [],
    ]);
    indexer.delete(tagged('tre', ''));
    indexer.update(tagged('two', 'oscar'));
    expect(['ernie', 'elmo', 'bert'].map(names)).toEqual([['one'], [], ['one']]);
    expect(
      indexer
        .index('tags', tagged('other', 'ernie,oscar'))
        .map((o) => o.metadata.name)
        .sort(),
    ).toEqual(['one', 'two']);
  });

  it('that do not exist are an error, values that do not exist have no objects [IDX-05]', () => {
    const indexer = indexed();
    const missing = 'Index with name nope does not exist';
    expect(() => indexer.byIndex('nope', 'x')).toThrow(missing);
    expect(() => indexer.indexKeys('nope', 'x')).toThrow(missing);
    expect(() => indexer.index('nope', pod('a', 1))).toThrow(missing);
    expect([indexer.byIndex('tags', 'x'), indexer.indexKeys('tags', 'x'), indexer.indexValues('nope')]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('find the objects that share a value with an object, also with one that is not stored, each once', () => {
    const indexer = new Indexer<Pod>({ indexers: { tags: byTags } });
    const tagged = (name: string, tags: string) => pod(name, 1, { annotations: { tags } });
    for (const [name, tags] of [['a', 'x,y'], ['b', 'y'], ['c', 'z']] as const) indexer.add(tagged(name, tags)); // biome-ignore format: one list
    const found = (tags: string) => indexer.index('tags', tagged('other', tags)).map(({ metadata }) => metadata.name);
    expect([found('x,y'), found('z,none'), found('none')]).toEqual([['a', 'b'], ['c'], []]);
    expect(() => indexer.index('none', tagged('a', 'x'))).toThrow('Index with name none does not exist');
  });

  it('give keys in order [IDX-07]', () => {
    const indexer = indexed();
    for (const name of ['c', 'a', 'b']) indexer.add(tagged(name, 'x'));
    expect(indexer.indexKeys('tags', 'x')).toEqual(['a', 'b', 'c']);
  });

  it('can be added at any time, all or none [IDX-08]', () => {
    const indexer = indexed();
    indexer.add(pod('a', 1, { node: 'n1' }));
    expect(() => indexer.addIndexers({ node: (o) => [o.spec?.nodeName ?? ''], tags: byTags })).toThrow(
      'indexer conflict: tags',
    );
    expect(indexer.indexNames).toEqual(['tags']);
    indexer.addIndexers({ node: (o) => [o.spec?.nodeName ?? ''] });
    expect(indexer.indexKeys('node', 'n1')).toEqual(['a']);
  });

  it('that throw are named with the key in the error, and nothing has changed [IDX-10]', () => {
    const indexer = new Indexer<Pod>({
      indexers: {
        tags: byTags,
        picky: (object) => {
          if (object.metadata.name === 'bad') throw new Error('hm');
          return [];
        },
      },
    });
    indexer.add(tagged('good', 'x', 5));
    const message = 'unable to calculate an index entry for key "bad" on index "picky": hm';
    expect(() => indexer.add(tagged('bad', 'x'))).toThrow(message);
    expect(() => indexer.replace([tagged('new', 'y'), tagged('bad', 'x')], '9')).toThrow(message);
    expect([[...indexer.keys()], indexer.indexKeys('tags', 'x'), indexer.resourceVersion]).toEqual([
      ['good'],
      ['good'],
      '5',
    ]);
    const late = new Indexer<Pod>();
    late.add(pod('a', 1));
    expect(() =>
      late.addIndexers({
        fine: () => ['v'],
        broken: () => {
          throw new Error('hm');
        },
      }),
    ).toThrow('on index "broken"');
    expect(late.indexNames).toEqual([]);
  });

  it('that throw are reported instead when asked for: the object is stored, without an entry in that index alone [IDX-10]', () => {
    const errors: string[] = [];
    let isBroken = false;
    const indexer = new Indexer<Pod>({
      indexers: {
        tags: byTags,
        picky: (object) => {
          if (isBroken) throw new Error('hm');
          return [object.metadata.name ?? ''];
        },
      },
      onIndexError: (error) => errors.push(error.message),
    });
    indexer.add(tagged('a', 'x', 5));
    isBroken = true;
    indexer.add(tagged('a', 'y', 6));
    expect([indexer.indexKeys('tags', 'y'), indexer.indexValues('picky'), indexer.resourceVersion]).toEqual([
      ['a'],
      [],
      '6',
    ]);
    indexer.replace([tagged('b', 'x'), tagged('c', 'x')], '9');
    expect([indexer.indexKeys('tags', 'x'), indexer.size]).toEqual([['b', 'c'], 2]);
    expect(errors).toEqual(
      ['a', 'b', 'c'].map((key) => `unable to calculate an index entry for key "${key}" on index "picky": hm`),
    );
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['text', 'string'],
  ])('that return %s in place of a list count as throwing, and nothing has changed', (values, text) => {
    const indexer = new Indexer<Pod>({ indexers: { odd: () => values as unknown as string[] } });
    expect(() => indexer.add(pod('a', 1))).toThrow(
      `for key "a" on index "odd": it returned ${text} in place of a list`,
    );
    expect(indexer.size).toBe(0);
  });

  it('leave nothing behind when an object was changed in place', () => {
    const indexer = indexed();
    const object = tagged('k', 'old');
    indexer.add(object);
    object.metadata.annotations = { tags: 'changed' };
    indexer.update(tagged('k', 'new'));
    expect(indexer.indexValues('tags')).toEqual(['new']);
  });

  it('survive a replace', () => {
    const indexer = indexed();
    indexer.add(tagged('a', 'x'));
    indexer.add(tagged('b', 'x,y'));
    indexer.replace([tagged('b', 'y'), tagged('c', 'z')], '9');
    expect(indexer.indexValues('tags').sort()).toEqual(['y', 'z']);
    expect(indexer.size).toBe(2);
  });

  it('agree with a plain scan after any sequence of writes', () => {
    const indexer = indexed();
    const draw = seededRandom(7);
    const random = (n: number) => Math.floor(draw() * n);
    for (let i = 0; i < 2000; i++) {
      const object = tagged(`k${random(20)}`, [random(5), random(5), random(5)].slice(0, random(4)).join(','), i + 1);
      if (random(4) === 0) indexer.delete(object);
      else if (random(50) === 0) indexer.replace([object], String(i));
      else indexer.add(object);
      for (let value = 0; value < 5; value++) {
        const scanned = [...indexer.entries()].filter(([, o]) => byTags(o).includes(String(value))).map(([key]) => key);
        expect(indexer.indexKeys('tags', String(value))).toEqual(scanned.sort());
      }
    }
  });
});

it('keeps the objects of a list as they were given, with no more fields', () => {
  const indexer = new PlainIndexer<Pod>();
  const object = pod('a', 1);
  const fields = Object.keys(object);
  indexer.replace([object], '1');
  expect(indexer.get('a')).toBe(object);
  expect(Object.keys(object)).toEqual(fields);
  indexer.replace([object], '2', { within: (key) => key === 'a' });
  expect(Object.keys(object)).toEqual(fields);
});

it('a packed object whose memory was given back before it is stored is stored all the same', () => {
  const indexer = new PlainIndexer<Pod>({ store: 'compact' });
  indexer.replace([pod('first', 1), pod('second', 1)], '1');
  const before = indexer.memory.packed;
  const handle = indexer.store.arrivals(undefined)?.take(pod('a', 2)) as PackedObject<Pod>;
  expect(indexer.memory.packed).toBe(before + 1);
  indexer.store.discard(handle);
  expect(indexer.memory.packed).toBe(before);
  indexer.add(handle);
  expect(indexer.memory.packed).toBe(before + 1);
  expect(indexer.get('a')?.metadata).toMatchObject({ name: 'a', resourceVersion: '2' });
  indexer.delete(handle);
  expect(indexer.memory.packed).toBe(before);
});

describe('a replacement in steps', () => {
  const many = (count: number, version: number, tags = 'x') =>
    Array.from({ length: count }, (_, i) => tagged(`k${i}`, tags, version));

  it('shows nothing before its last step, and then everything', () => {
    const indexer = indexed();
    indexer.add(tagged('old', 'o', 1));
    const steps = indexer.replacing(many(5000, 2), '9');
    let turns = 0;
    while (!steps.next().done) {
      turns++;
      expect([indexer.size, indexer.resourceVersion, indexer.indexValues('tags')]).toEqual([1, '1', ['o']]);
    }
    expect(turns).toBeGreaterThan(3);
    expect([
      indexer.size,
      indexer.resourceVersion,
      indexer.indexValues('tags'),
      indexer.indexCount('tags', 'x'),
    ]).toEqual([5000, '9', ['x'], 5000]);
  });

  it('reports every write that came between its steps', () => {
    const isMine = (key: string) => key.startsWith('k');
    const told: string[] = [];
    const observer = {
      begin: () => told.splice(0),
      put: (key: string, old: Pod | undefined) => void (old && told.push(`${key} was ${old.metadata.resourceVersion}`)),
      gone: (key: string, old: Pod) => void told.push(`${key} gone at ${old.metadata.resourceVersion}`),
    };
    for (let at = 0; at < 6; at++) {
      const indexer = indexed();
      indexer.add(tagged('k1', 'a', 1));
      indexer.add(tagged('other', 'a', 1));
      const steps = indexer.replacing(many(3000, 2), '9', { within: isMine, observer });
      let turn = 0;
      while (!steps.next().done) {
        if (turn++ !== at) continue;
        indexer.update(tagged('k1', 'b', 5));
        indexer.update(tagged('other', 'b', 6));
        indexer.add(tagged('k-more', 'b', 7));
        indexer.addIndexers({ name: (object) => [object.metadata.name ?? ''] });
      }
      if (turn <= at) break;
      expect(told).toEqual(['k1 was 5', 'k-more gone at 7']);
      expect([indexer.size, indexer.indexKeys('tags', 'b'), indexer.indexKeys('name', 'other')]).toEqual([
        3001,
        ['other'],
        ['other'],
      ]);
      expect(indexer.indexValues('name')).toHaveLength(3001);
    }
  });

  it.each<[string, (indexer: Indexer<Pod>) => void, string[]]>([
    ['an update', (i) => i.update(tagged('other', 'new', 5)), ['new', 'x']],
    ['an addition', (i) => i.add(tagged('another', 'more', 5)), ['more', 'old', 'x']],
    ['a deletion by key', (i) => i.deleteKey('other'), ['x']],
    ['a deletion by object', (i) => i.delete(tagged('other', '', 5)), ['x']],
    ['a transaction', (i) => i.transaction([{ type: 'delete', object: tagged('other', '', 5) }]), ['x']],
    [
      'another replacement',
      (i) => i.replace([tagged('other', 'put', 5)], '7', { within: (key) => key === 'other' }),
      ['put', 'x'],
    ],
    ['a replacement of everything', (i) => i.replace([tagged('other', 'all', 5)], '7'), ['all', 'x']],
  ])('loses no write that came between its steps: %s', (_, write, values) => {
    for (const turn of [0, 1, 2]) {
      const indexer = indexed();
      indexer.add(tagged('other', 'old', 1));
      const steps = indexer.replacing(many(5000, 2), '9', { within: (key) => key.startsWith('k') });
      for (let i = 0; !steps.next().done; i++) if (i === turn) write(indexer);
      expect(indexer.indexValues('tags').sort()).toEqual(values);
      expect([...indexer.keys()].filter((key) => !key.startsWith('k'))).toHaveLength(values.length - 1);
    }
  });

  it('transforms each object once, and reports a key that comes twice once', () => {
    const seen: Pod[] = [];
    const transform = (object: Pod) => {
      seen.push(object);
      return object;
    };
    const indexer = new Indexer<Pod>({ transform });
    const puts: string[] = [];
    const observer = {
      begin: () => puts.splice(0),
      put: (key: string, _: unknown, o: Pod) => void puts.push(`${key}@${o.metadata.resourceVersion}`),
      gone: () => {},
    };
    const objects = [...many(1500, 2), tagged('k0', 'x', 3)];
    const steps = indexer.replacing(objects, '9', { observer });
    steps.next();
    indexer.bookmark('5');
    indexer.add(tagged('late', 'x', 4));
    while (!steps.next().done);
    expect(seen.filter((object) => objects.includes(object))).toHaveLength(1501);
    expect([puts.length, puts[0], puts.at(-1), indexer.has('late')]).toEqual([1500, 'k0@3', 'k1499@2', false]);
  });

  it('has changed nothing when an object in the middle has no key', () => {
    const indexer = indexed();
    indexer.add(tagged('a', 'x', 1));
    expect(() => indexer.replace([...many(2000, 2), {} as Pod], '9')).toThrow("couldn't create key for object");
    expect([[...indexer.keys()], indexer.resourceVersion]).toEqual([['a'], '1']);
  });
});

describe('the version of the store', () => {
  it('is that of the last change a reader can see [IDX-11]', () => {
    const indexer = new Indexer<unknown>({ keyOf: (o) => (typeof o === 'string' ? o : keyOf(o)) });
    const seen = [indexer.resourceVersion];
    const step = (write: () => unknown) => {
      write();
      seen.push(indexer.resourceVersion);
    };
    step(() => indexer.add(pod('a', 10)));
    step(() => indexer.add(pod('a', 10)));
    step(() => indexer.add(pod('b', 20)));
    step(() => indexer.delete(pod('b', 30)));
    step(() => indexer.add('not an object'));
    step(() => indexer.add(pod('c', 40)));
    step(() => indexer.deleteKey('c'));
    step(() => indexer.transaction([40, 30, 50].map((v) => ({ type: 'add', object: pod(`t${v}`, v) }) as const)));
    step(() => indexer.replace([], '55'));
    step(() => indexer.bookmark('60'));
    step(() => indexer.delete(new Tombstone('a', undefined)));
    expect(seen).toEqual(['', '10', '10', '20', '30', '30', '40', '40', '50', '55', '60', '60']);
  });
});

it('a transaction whose last object has no version leaves the version of the store as it is [IDX-12]', () => {
  const indexer = new Indexer<unknown>({ keyOf: (o) => (typeof o === 'string' ? o : keyOf(o)) });
  indexer.add(pod('a', 10));
  const add = (object: unknown) => ({ type: 'add', object }) as const;
  indexer.transaction([add(pod('b', 20)), add('not an object')]);
  expect(indexer.resourceVersion).toBe('10');
  indexer.transaction([add(pod('c', 30)), { type: 'delete', object: new Tombstone('a', undefined) }]);
  expect(indexer.resourceVersion).toBe('10');
  indexer.transaction([add('not an object'), add(pod('d', 40)), add(undefined)]); // the last one fails
  expect([indexer.resourceVersion, [...indexer.keys()].sort()]).toEqual(['40', ['b', 'c', 'd', 'not an object']]);
  indexer.transaction([]);
  expect(indexer.resourceVersion).toBe('40');
});

it('applies the operations of a transaction that succeed, and says which [IDX-13]', () => {
  const indexer = new Indexer<Pod>();
  const broken = {} as Pod;
  const result = indexer.transaction([
    { type: 'add', object: pod('a', 1) },
    { type: 'add', object: broken },
    { type: 'update', object: pod('b', 2) },
    { type: 'delete', object: broken },
  ]);
  expect(result).toMatchObject({ successful: [0, 2], total: 4 });
  expect(result.errors).toHaveLength(2);
  expect([...indexer.keys()]).toEqual(['a', 'b']);
});

it.each([
  ['add', (i: Indexer<Pod>, o: Pod) => i.add(o)],
  ['update', (i: Indexer<Pod>, o: Pod) => i.update(o)],
  ['delete', (i: Indexer<Pod>, o: Pod) => i.delete(o)],
  ['keyOf', (i: Indexer<Pod>, o: Pod) => i.keyOf(o)],
  ['replace', (i: Indexer<Pod>, o: Pod) => i.replace([o], '1')],
])('%s wraps the error that kept it from computing a key [IDX-14]', (_, write) => {
  let thrown: unknown;
  try {
    write(new Indexer<Pod>(), {} as Pod);
  } catch (error) {
    thrown = error;
  }
  expect(isInformerError(thrown, 'store')).toBe(true);
  expect(((thrown as Error).cause as Error).message).toBe('object has no meta');
});

it('stores the transformed object under the key of the original [IDX-15]', () => {
  const indexer = new Indexer<Pod>({ transform: (o) => ({ ...o, metadata: { ...o.metadata, name: 'other' } }) });
  indexer.add(pod('ns/a', 1));
  expect(indexer.get('ns/a')?.metadata.name).toBe('other');
});

it('quotes the error of a transform, and has changed nothing', () => {
  const indexer = new Indexer<Pod>({
    transform: (o) => {
      if (o.metadata.name === 'bad') throw new Error('hm');
      return o;
    },
  });
  indexer.add(pod('a', 5));
  expect(() => indexer.add(pod('bad', 6))).toThrow('transforming: hm');
  expect(() => indexer.replace([pod('b', 7), pod('bad', 8)], '9')).toThrow('transforming: hm');
  expect([[...indexer.keys()], indexer.resourceVersion]).toEqual([['a'], '5']);
});

describe('a replacement of few objects among many', () => {
  const unknownPods = (namespace: string, count: number): UnknownObject[] =>
    Array.from({ length: count }, (_, i) => ({ metadata: { name: `p${i}`, namespace, resourceVersion: '1' } }));

  it('leaves the others, and their index entries, untouched', () => {
    const indexer = new Indexer<UnknownObject>({ indexers: { name: ({ metadata }) => [metadata.name ?? ''] } });
    indexer.replace(unknownPods('many', 5000), '1');
    const keys = indexer.keyOf.bind(indexer);
    for (const namespace of ['few', 'few'] as const) {
      const before = [...indexer.store.items];
      const set = Map.prototype.set;
      let writes = 0;
      Map.prototype.set = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
        writes++;
        return set.call(this, key, value);
      } as typeof Map.prototype.set;
      try {
        indexer.replace(unknownPods(namespace, 10), '2', { within: (key) => key.startsWith('few/') });
      } finally {
        Map.prototype.set = set;
      }
      expect(writes).toBeLessThan(500);
      for (const [key, object] of before)
        if (key.startsWith('many/')) expect(indexer.store.items.get(key)).toBe(object);
    }
    expect(indexer.size).toBe(5010);
    expect(indexer.byIndex('name', 'p3').map(keys)).toEqual(['many/p3', 'few/p3']);
  });

  it('changes nothing when it fails for one object', () => {
    const indexer = new Indexer<UnknownObject>({
      indexers: {
        name({ metadata }) {
          if (metadata.name === 'bad') throw new Error('no');
          return [metadata.name ?? ''];
        },
      },
    });
    indexer.replace(unknownPods('few', 3), '1');
    const bad: UnknownObject = { metadata: { name: 'bad', namespace: 'few' } };
    expect(() =>
      indexer.replace([...unknownPods('few', 1), bad], '2', { within: (key) => key.startsWith('few/') }),
    ).toThrow('no');
    expect([indexer.size, indexer.resourceVersion, indexer.indexValues('name').sort()]).toEqual([
      3,
      '1',
      ['p0', 'p1', 'p2'],
    ]);
  });
});

it('a glance gives the object, and nothing where there is none', () => {
  const indexer = new Indexer<Pod>();
  indexer.add(pod('shop/a', 1));
  expect([indexer.glance('shop/a'), indexer.glance('shop/b')]).toEqual([pod('shop/a', 1), undefined]);
});

it('refuses options that it does not know, and keeps objects as they are by default', () => {
  expect(() => new PlainIndexer({ stores: 'compact' } as never)).toThrow('stores');
  expect(() => new PlainIndexer().replace([], '1', { nope: true } as never)).toThrow('nope');
  expect(new PlainIndexer().store.keepsObjects).toBe(true);
});

it('has no version after an object without one', () => {
  const indexer = new PlainIndexer<UnknownObject>();
  indexer.bookmark('5');
  indexer.add({ metadata: { name: 'k' } });
  expect(indexer.resourceVersion).toBe('');
});

it('has the version of a list that changes one object of many', () => {
  const indexer = new PlainIndexer<Pod>();
  const pods = Array.from({ length: 2000 }, (_, i) => pod(`k${i}`, 1));
  indexer.replace(pods, '1');
  indexer.replace([pod('k0', 2), ...pods.slice(1)], '9');
  expect(indexer.resourceVersion).toBe('9');
});

it('has the version of a list of a part that changes few objects in place, and reports what its indexes could not do', () => {
  const errors: string[] = [];
  const indexer = new PlainIndexer<Pod>({
    indexers: { bad: ({ metadata }) => (metadata.name === 'bad' ? (null as never) : []) },
    onIndexError: ({ message }) => errors.push(message),
  });
  indexer.add(pod('gone', 1));
  indexer.add(pod('other', 1));
  indexer.replace([pod('bad', 2), pod('k', 2)], '9', { within: (key) => key !== 'other' });
  expect([indexer.resourceVersion, [...indexer.keys()].sort()]).toEqual(['9', ['bad', 'k', 'other']]);
  expect(errors).toEqual([expect.stringContaining('"bad"')]);
});

it('an index that is added while all objects are replaced has all of them', () => {
  const indexer = new PlainIndexer<Pod>();
  const steps = indexer.replacing(
    Array.from({ length: 5000 }, (_, i) => pod(`k${i}`, 2)),
    '2',
  );
  steps.next();
  indexer.addIndexers({ name: ({ metadata }) => [metadata.name ?? ''] });
  while (!steps.next().done);
  expect(indexer.indexValues('name')).toHaveLength(5000);
});

it('gives the errors of the operations of a transaction as they are', () => {
  const indexer = new PlainIndexer<Pod>({
    transform: () => {
      throw 'a text';
    },
  });
  const { errors } = indexer.transaction([
    { type: 'add', object: pod('a', 1) },
    { type: 'add', object: {} as Pod },
  ]);
  expect(errors.map((error) => [isInformerError(error, 'store'), error.message])).toEqual([
    [true, 'transforming: a text'],
    [true, expect.stringContaining("couldn't create key for object")],
  ]);
});

it.each([
  ['alone', () => {}],
  ['after a deletion', (indexer: PlainIndexer<Pod>) => indexer.deleteKey('k1')],
])('an index that is removed while all objects are replaced stays removed, %s', (_, write) => {
  const indexer = new PlainIndexer<Pod>({ indexers: { tags: byTags } });
  const many = (version: number) => Array.from({ length: 20_000 }, (_, i) => pod(`k${i}`, version));
  indexer.replace(many(1), '1');
  const steps = indexer.replacing(many(2), '2');
  expect(steps.next().done).toBe(false);
  write(indexer);
  indexer.removeIndexers(['tags']);
  for (const _ of steps);
  expect(indexer.indexNames).toEqual([]);
});

it('an index over texts is built from the fields that its function reads, and decodes no object', () => {
  const indexer = new PlainIndexer<Pod>({ store: 'compact' });
  const tags = { annotations: { tags: 'foo,bar' } };
  const objects = ['a', 'b'].map((name) => withCells(pod(name, 1, tags), { columns: [], cells: [] }));
  indexer.replace(objects, '1');
  const seen: object[] = [];
  const byTagsAlone = reading([['metadata', 'annotations', 'tags']], (object: Pod) => {
    seen.push(object);
    return byTags(object);
  });
  for (const _ of indexer.addingIndexers({ tags: byTagsAlone }));
  expect(indexer.indexKeys('tags', 'bar')).toEqual(objects.map(keyOf));
  const { name, uid, resourceVersion } = objects[0]?.metadata ?? {};
  expect(JSON.parse(JSON.stringify(seen[0]))).toEqual({ metadata: { ...tags, name, uid, resourceVersion } });
  expect(indexer.memory.hotObjects).toBe(0);
});
