import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompactStore, type CompactStoreOptions } from '../../../src/informer/compact/compact-store.ts';
import { type Compression, zstd } from '../../../src/informer/compact/compression.ts';
import { type Cached, PackedObject } from '../../../src/informer/compact/packed-object.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { cellsOf, withCells } from '../../../src/model/cells.ts';
import { keyOf as keyOfPod } from '../../../src/model/key.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

/** A compact store beside a map of what it should have. */
class Both {
  readonly held = new Map<string, Cached<Pod>>();
  readonly model = new Map<string, Pod>();
  /** Old states, of which a handler may still have the handle. */
  readonly old: { readonly held: Cached<Pod>; readonly object: Pod }[] = [];
  readonly damages: unknown[] = [];
  readonly store: CompactStore<Pod>;
  #version = 0;

  constructor(options: Partial<CompactStoreOptions> = {}) {
    const onDamage = (error: unknown) => this.damages.push(error);
    this.store = new CompactStore<Pod>({
      kind: 'compact',
      clock: new FakeClock(), // no time passes, so all work is done in one turn
      logger: createLogger(() => {}),
      onDamage,
      ...options,
    });
  }

  put(key: string, bytes = 100, version = ++this.#version): void {
    const object = pod(key, version, {
      labels: { app: `a${version % 3}` },
      annotations: { note: noteOf(version, bytes) },
    });
    this.#keep(key, this.store.pack(key, object, { isHot: version % 2 === 0 }), object);
  }

  /** What a relist brings: the same version of the same object. */
  again(key: string): void {
    const object = structuredClone(this.model.get(key) as Pod);
    const known = this.held.get(key);
    const held = this.store.pack(key, object, { known });
    if (!isDamaged(known)) expect(held).toBe(known);
    this.#keep(key, held, object);
  }

  /** An old state is stored once more. */
  revive(i: number): void {
    const { held, object } = this.old[i] as Both['old'][0];
    if (!(held instanceof PackedObject)) return;
    this.store.adopt(held);
    this.#keep(held.key, held, object);
  }

  #keep(key: string, held: Cached<Pod>, object: Pod): void {
    const before = this.held.get(key);
    if (before !== undefined && before !== held) {
      this.old.push({ held: before, object: this.model.get(key) as Pod });
      this.store.drop(before);
    }
    this.held.set(key, held);
    this.model.set(key, object);
  }

  delete(key: string): void {
    const held = this.held.get(key);
    if (held === undefined) return;
    this.old.push({ held, object: this.model.get(key) as Pod });
    this.held.delete(key);
    this.model.delete(key);
    this.store.drop(held);
  }

  /** Reads everything. Returns how many reads threw; no read gives a wrong object. */
  check(isPassing = true): number {
    let thrown = 0;
    const read = (held: Cached<Pod>, object: Pod) => {
      try {
        expect(this.store.unpack(held, isPassing)).toEqual(object);
      } catch (error) {
        if (!isInformerError(error, 'store')) throw error;
        thrown++;
      }
    };
    for (const [key, held] of this.held) read(held, this.model.get(key) as Pod);
    for (const { held, object } of this.old) read(held, object);
    return thrown;
  }

  checkMemory(): void {
    const { packed, textBytes, storedBytes, hotBytes } = this.store.memory(this.held.size);
    const own = [...this.held.values()].filter((held) => held instanceof PackedObject);
    expect(packed).toBe(own.length);
    expect(textBytes).toBe(own.reduce((sum, { block, at }) => sum + block.lengthAt(at), 0));
    const blocks = new Set(own.map(({ block }) => block));
    for (const block of blocks) expect(block.objects.filter((each) => each !== undefined)).toHaveLength(block.live);
    expect(hotBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    // less than half in use, in blocks and in slabs, and the newest of both
    expect(storedBytes).toBeLessThanOrEqual(4 * textBytes + NEWEST * LARGEST + 2 * 1024 * 1024);
  }
}

const LARGEST = 300 * 1024;
/** The number of newest blocks, at most, which are neither compressed nor repacked. */
const NEWEST = 40;
const isDamaged = (held: Cached<Pod> | undefined) => held instanceof PackedObject && held.block.isDamaged;

/** A text that can be compressed, but not to nothing. */
function noteOf(version: number, bytes: number): string {
  let note = '';
  for (let seed = version; note.length < bytes; seed = (seed * 48271 + 1) % 2147483647) note += `word-${seed % 1000} `;
  return note.slice(0, bytes);
}

const keyOf = (i: number) => `shop/p${i}`;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), from: fc.nat(800), count: fc.nat(300) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), from: fc.nat(800), count: fc.nat(400) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('relist' as const), from: fc.nat(10), count: fc.constant(0) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('large' as const), from: fc.nat(800), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revive' as const), from: fc.nat(800), count: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('idle' as const), from: fc.nat(1), count: fc.constant(0) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function take(both: Both, { kind, from, count }: Step): Promise<void> {
  switch (kind) {
    case 'put':
      for (let i = from; i < from + count; i++) both.put(keyOf(i), 50 + ((i * 37) % 900));
      return;
    case 'large':
      for (let i = from; i < from + count; i++) both.put(keyOf(i), LARGEST - 1000);
      return;
    case 'delete':
      for (let i = from; i < from + count; i++) both.delete(keyOf(i));
      return;
    case 'relist':
      for (const [i, key] of [...both.model.keys()].entries()) {
        if (i % 10 < from) both.again(key);
        else both.put(key);
      }
      return;
    case 'revive':
      for (let i = from; i < from + count && i < both.old.length; i++) both.revive(i);
      return;
    case 'idle':
      both.old.splice(0, both.old.length >> from);
      await settled();
  }
}

const KINDS: [string, () => Compression | undefined][] = [
  ['compressed', () => zstd()],
  ['uncompressed', () => undefined],
];

describe.each(KINDS)('a compact store, %s', (_, compression) => {
  it('has what a map has after any operations, also the old states, and gives the rest back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (script) => {
        const both = new Both({ compression: compression() });
        for (const each of script) {
          await take(both, each);
          expect(both.check(each.from % 2 === 0)).toBe(0);
        }
        await settled();
        both.checkMemory();
        for (const key of [...both.model.keys()]) both.delete(key);
        await settled();
        expect(both.check()).toBe(0);
        expect(both.store.memory(0)).toMatchObject({ objects: 0, packed: 0, textBytes: 0 });
        expect(both.damages).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('gives its memory back when everything was dropped, but for the newest blocks', async () => {
    const both = new Both({ compression: compression() });
    for (let i = 0; i < 6000; i++) both.put(keyOf(i), 1000);
    const full = both.store.memory(6000);
    expect(full.blocks).toBeGreaterThan(150);
    for (const key of [...both.model.keys()]) both.delete(key);
    await settled();
    const empty = both.store.memory(0);
    expect(empty).toMatchObject({ packed: 0, textBytes: 0 });
    expect(empty.blocks).toBeLessThanOrEqual(NEWEST);
    expect(empty.storedBytes).toBeLessThanOrEqual(NEWEST * 128 * 1024 + 1024 * 1024);
  });

  it('repacks blocks that are less than half in use, in any order of deletion', async () => {
    let repacked = 0;
    for (const keeps of [(i: number) => i % 5 === 0, (i: number) => i < 600, (i: number) => i >= 2400]) {
      const both = new Both({ compression: compression() });
      for (let i = 0; i < 3000; i++) both.put(keyOf(i), 1000);
      for (let i = 0; i < 3000; i++) if (!keeps(i)) both.delete(keyOf(i));
      await settled();
      both.checkMemory();
      expect(both.store.memory(600).packed).toBe(600);
      repacked += both.store.memory(600).repacked;
      const blocks = new Set([...both.held.values()].map((held) => (held as PackedObject).block));
      const wasteful = [...blocks].filter(({ live, count }) => live * 2 < count);
      expect(wasteful.length, 'only the newest blocks may be').toBeLessThanOrEqual(NEWEST);
      both.old.length = 0;
      expect(both.check()).toBe(0);
    }
    expect(repacked).toBeGreaterThan(10);
  });
});

it('keeps objects decoded whose texts have 8 MiB together, and no more', () => {
  const both = new Both();
  for (let i = 0; i < 100; i++) both.put(keyOf(i), 100_000);
  for (const held of both.held.values()) both.store.unpack(held);
  const { hotBytes, hotObjects } = both.store.memory(100);
  expect(hotBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(hotBytes + hotBytes / hotObjects).toBeGreaterThan(8 * 1024 * 1024);
});

it('leaves a block alone from which few objects were dropped', async () => {
  const both = new Both();
  for (let i = 0; i < 6000; i++) both.put(keyOf(i), 1000);
  for (let i = 0; i < 6000; i += 3) both.delete(keyOf(i));
  await settled();
  expect(both.store.memory(4000).repacked).toBe(0);
});

it('compresses what is left of a block from which objects were dropped while it was new', () => {
  const both = new Both();
  for (let i = 0; i < 6000; i++) {
    both.put(keyOf(i), 1000);
    if (i % 2 === 0) both.delete(keyOf(i));
  }
  both.old.length = 0;
  const raw = [...both.held.values()].filter((held) => !(held as PackedObject).block.isCompressed);
  expect(raw.length).toBeLessThan(NEWEST * 64);
  expect(both.check()).toBe(0);
});

describe('an object of the same text', () => {
  // two pods of which one is the version or the uid have texts of one length and one checksum
  const DIGITS = ['1640983260402541', '1498591335360291'] as const;

  it.each<[string, (digits: string) => Pod]>([
    ['version', (digits) => pod('shop/a', digits, { uid: 'u' })],
    ['uid', (digits) => pod('shop/a', 1, { uid: digits })],
  ])('and of another %s is another one, also where length and checksum are the same', (_, of) => {
    const [first, second] = [of(DIGITS[0]), of(DIGITS[1])];
    const { store } = new Both();
    const known = store.pack('shop/a', first) as PackedObject<Pod>;
    expect(known.block.hasText(known.at, Buffer.from(JSON.stringify(second)))).toBe(true);
    const packed = store.pack('shop/a', second, { known });
    expect([packed === known, store.unpack(packed)]).toEqual([false, second]);
  });

  it('is the known one, but without a version, or where its block is damaged, never', () => {
    const { store } = new Both();
    const known = store.pack('shop/a', pod('shop/a', 1)) as PackedObject<Pod>;
    expect(store.pack('shop/a', pod('shop/a', 1), { known })).toBe(known);
    known.block.isDamaged = true;
    expect(store.pack('shop/a', pod('shop/a', 1), { known })).not.toBe(known);
    const without = store.pack('shop/b', pod('shop/b', undefined)) as PackedObject<Pod>;
    expect(store.pack('shop/b', pod('shop/b', undefined), { known: without })).not.toBe(without);
  });
});

describe('reads', () => {
  it('are counted, as those of an object that is parsed and those that decode', () => {
    const both = new Both();
    both.put('a', 100, 1);
    both.put('b', 100, 2); // is hot
    const read = (key: string, isPassing = false) => both.store.unpack(both.held.get(key) as Cached<Pod>, isPassing);
    read('b');
    expect(both.store.memory(2)).toMatchObject({ hotReads: 1, coldReads: 0, hotObjects: 1 });
    read('a', true);
    read('a', true);
    expect(both.store.memory(2)).toMatchObject({ hotReads: 1, coldReads: 2, hotObjects: 1 });
    expect(read('a')).toBe(read('a'));
    expect(both.store.memory(2)).toMatchObject({ hotReads: 2, coldReads: 3, hotObjects: 2 });
  });
});

it('a glance at an object of a table decodes no more than its row; at another one, all', () => {
  const { store } = new Both();
  const columns = [{ name: 'Name', type: 'string', format: '', priority: 0 }];
  const created = '2026-01-01T00:00:00Z';
  const object = pod('shop/a', 1);
  const row = withCells(
    { ...object, metadata: { ...object.metadata, creationTimestamp: created } },
    { columns, cells: ['a', 1] },
  );
  const packed = [store.pack('shop/a', row), store.pack('shop/b', pod('shop/b', 1))];
  const [one, other] = packed.map((each) => store.glance(each)) as [Pod, Pod];
  expect({ ...one.metadata }).toEqual({ ...object.metadata, creationTimestamp: created });
  expect(Object.keys(one)).toEqual(['metadata']);
  expect([cellsOf(one), store.memory(2).coldReads]).toEqual([{ columns, cells: ['a', 1] }, 1]);
  expect(other).toEqual(pod('shop/b', 1));
  expect(store.glance(row)).toBe(row);
  expect(store.glance(packed[0] as Cached<Pod>)).toBe(one); // it is remembered
});

describe('a store that packs when there are many objects', () => {
  const auto = (options: Partial<CompactStoreOptions> = {}) => {
    const lines: string[] = [];
    const { store } = new Both({ kind: 'auto', logger: createLogger((_, line) => lines.push(line)), ...options });
    return { store, lines };
  };

  it.each([
    [5000, {}],
    [3, { above: 3 }],
  ])('begins with more than %i, which it says once', (above, options) => {
    const { store, lines } = auto({ ...options, compression: undefined });
    expect([store.expect(above), store.isActive, lines]).toEqual([false, false, []]);
    const object = pod('a', 1);
    expect(store.pack('a', object)).toBe(object);
    expect([store.expect(above + 1), store.isActive, store.expect(above + 1)]).toEqual([true, true, false]);
    expect(lines).toEqual(['objects are kept as texts without compression, because this Node has no zstd']);
    expect(store.pack('a', object)).toBeInstanceOf(PackedObject);
    const compressed = auto({ compression: zstd() ?? faulty().compression });
    compressed.store.expect(5001);
    expect(compressed.lines).toEqual(['objects are kept as compressed texts']);
  });

  it('keeps an object without metadata, or that JSON cannot express, as it is', () => {
    const { store } = new Both();
    const others = [{ id: 1 }, pod('a', 1, { annotations: { at: new Date(0) as never } })] as Pod[];
    for (const object of others) expect(store.pack('a', object)).toBe(object);
    expect(store.memory(2).packed).toBe(0);
  });
});

describe('parts of objects', () => {
  const phases = (store: CompactStore<Pod>, count: number, isHot = false) =>
    Array.from({ length: count }, (_, i) => {
      const object = { ...pod(`shop/p${i}`, 1), status: { phase: i % 2 ? 'Failed' : 'Running' }, note: i };
      return store.pack(`shop/p${i}`, object as never, { isHot }) as PackedObject<Pod>;
    });
  const PHASE = { fields: [['status', 'phase']] };
  const cold = (store: CompactStore<Pod>) => store.memory(0).coldReads;

  it('are read once for a column, and equal ones are one object', () => {
    const { store } = new Both();
    const column = store.columnOf(PHASE);
    const before = phases(store, 2);
    const packed = phases(store, 4);
    const shared = packed.map((each) => store.sharedOf(each, column));
    expect(shared).toEqual(
      ['Running', 'Failed', 'Running', 'Failed'].map((phase) => ({ metadata: {}, status: { phase } })),
    );
    expect([shared[2] === shared[0], shared[3] === shared[1]]).toEqual([true, true]);
    expect(store.fieldsOf(packed[1] as PackedObject<Pod>, column)).toEqual({
      metadata: { name: 'p1', namespace: 'shop', resourceVersion: '1' },
      status: { phase: 'Failed' },
    });
    expect([cold(store), before.length]).toEqual([0, 2]); // packed after the column was asked for
    const late = store.columnOf({ fields: [['note']] });
    for (const each of [...packed, ...packed])
      expect(store.fieldsOf(each, late)).toMatchObject({ note: expect.any(Number) });
    expect(cold(store)).toBe(4);
  });

  it('of an object that is parsed, or hot, are the object, and nothing is decoded', () => {
    const { store } = new Both();
    const parsed = pod('a', 1);
    const [hot] = phases(store, 1, true) as [PackedObject<Pod>];
    const whole = store.unpack(hot);
    for (const column of [store.columnOf(PHASE), store.columnOf({ fields: [['metadata', 'name'], ['note']] })]) {
      expect([store.fieldsOf(parsed, column), store.sharedOf(parsed, column)]).toEqual([parsed, parsed]);
      expect(store.fieldsOf(hot, column)).toBe(whole);
    }
    for (const each of [parsed, hot]) expect(store.partOf(each, [['note']])).toBe(each === hot ? whole : parsed);
    expect(store.glance(hot)).toBe(whole);
    expect(store.saidOf(store.columnOf(PHASE), (object) => object)(parsed)).toBe(parsed);
    expect(cold(store)).toBe(0);
  });

  it('with a field that each object has for itself are not shared', () => {
    const { store } = new Both();
    const packed = phases(store, 3);
    const column = store.columnOf({
      fields: [
        ['metadata', 'name'],
        ['status', 'phase'],
      ],
    });
    const names = packed.map((each) => store.sharedOf(each, column)).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['p0', 'p1', 'p2']);
  });

  it('are what a function is called with for each object, where one is of each object', () => {
    const { store } = new Both();
    const packed = phases(store, 3);
    const say = store.saidOf(
      store.columnOf({ fields: [['metadata', 'name'], ['note']] }),
      ({ metadata }) => metadata.name,
    );
    for (const _ of [1, 2]) expect(packed.map(say)).toEqual(['p0', 'p1', 'p2']);
  });

  it('that the head of a row has are read from it, and of an object without a row from all of it', () => {
    const { store } = new Both();
    const columns = [{ name: 'Name', type: 'string', format: '', priority: 0 }];
    const row = withCells({ ...pod('shop/a', 1), note: 1 }, { columns, cells: ['a'] });
    const [one, other] = [store.pack('shop/a', row), store.pack('shop/b', pod('shop/b', 1))];
    const column = store.columnOf({ fields: [], cells: ['NAME'] });
    for (const _ of [1, 2]) {
      expect(cellsOf(store.fieldsOf(one, column))).toEqual({ columns, cells: ['a'] });
      expect(cellsOf(store.fieldsOf(other, column))).toBeUndefined();
      expect(store.fieldsOf(other, column).metadata).toEqual({ ...pod('shop/b', 1).metadata });
      expect(cold(store)).toBe(1);
    }
  });

  it('are what a function is called with once for equal ones, also after their numbers changed', () => {
    const { store } = new Both();
    const column = store.columnOf(PHASE);
    const all = Array.from({ length: 40 }, (_, i) => (i < 20 ? 'Running' : 'Failed'));
    const packed = all.map((phase, i) => {
      const object = { ...pod(`shop/p${i}`, 1), status: { phase } };
      return store.pack(`shop/p${i}`, object as never) as PackedObject<Pod>;
    });
    let blocks = [...new Set(packed.map(({ block }) => block))];
    const calls: string[] = [];
    const say = store.saidOf(column, (object) => {
      const { phase } = (object as unknown as { status: { phase: string } }).status;
      calls.push(phase);
      return phase;
    });
    for (let round = 0; round < 3; round++) {
      expect([...packed.map(say), ...packed.map(say)]).toEqual([...all, ...all]);
      expect(calls.splice(0)).toEqual(['Running', 'Failed']);
      blocks = blocks.toReversed();
      column.renumber(blocks);
    }
  });

  it('that no column keeps are decoded each time, unless a handle or a column has them', () => {
    const { store } = new Both();
    const [packed] = phases(store, 1) as [PackedObject<Pod>];
    const fields = [['note']];
    expect(store.partOf(packed, fields)).toEqual({ metadata: { ...pod('shop/p0', 1).metadata }, note: 0 });
    store.partOf(packed, fields);
    expect(cold(store)).toBe(2);
    expect(
      store.partOf(packed, [
        ['metadata', 'labels'],
        ['metadata', 'name'],
      ]).metadata.name,
    ).toBe('p0');
    expect(cold(store)).toBe(2);
    store.fieldsOf(packed, store.columnOf({ fields }));
    expect([store.partOf(packed, fields), cold(store)]).toEqual([
      { metadata: { ...pod('shop/p0', 1).metadata }, note: 0 },
      3,
    ]);
  });
});

describe('a search for texts', () => {
  const has = (store: CompactStore<Pod>, cached: Cached<Pod>, ...texts: string[]) =>
    store.mayHave(
      cached,
      texts.map((text) => Buffer.from(text)),
      new Set(),
    );

  it('finds the objects whose JSON has all of them; one that is parsed, hot or escaped may have any', () => {
    const { store } = new Both();
    const noted = (name: string, note: string) => pod(name, 1, { annotations: { note } });
    const [one, two] = [store.pack('a', noted('a', 'first')), store.pack('b', noted('b', 'second'))];
    expect([has(store, one, '"first"'), has(store, two, '"first"'), has(store, one, '"none"')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([has(store, one, '"first"', '"a"'), has(store, one, '"first"', '"b"')]).toEqual([true, false]);
    expect(has(store, noted('c', 'third'), '"none"')).toBe(true);
    store.unpack(two);
    expect(has(store, two, '"first"')).toBe(true);
    const escaped = new Both().store;
    expect(has(escaped, escaped.pack('d', noted('d', '\u0001')), '"none"')).toBe(true);
  });

  it('looks once into a block that has not all of them', () => {
    const { store } = new Both();
    const packed = [store.pack('a', pod('a', 1)), store.pack('b', pod('b', 1))] as PackedObject<Pod>[];
    const without = new Set<PackedObject<Pod>['block']>();
    expect(store.mayHave(packed[0] as PackedObject<Pod>, [Buffer.from('"none"')], without)).toBe(false);
    expect([...without]).toEqual([packed[0]?.block]);
    expect(store.mayHave(packed[1] as PackedObject<Pod>, [], without)).toBe(false);
  });
});

it('an object is dropped once, and is adopted once', () => {
  const { store } = new Both();
  const packed = store.pack('a', pod('a', 1)) as PackedObject<Pod>;
  const { textBytes } = store.memory(1);
  store.adopt(packed);
  expect(store.memory(1)).toMatchObject({ packed: 1, textBytes, blocks: 1 });
  store.drop(undefined);
  for (const _ of [1, 2]) store.drop(packed);
  expect([store.memory(0), packed.isUsed]).toMatchObject([{ packed: 0, textBytes: 0 }, false]);
  store.adopt(packed);
  expect(store.memory(1)).toMatchObject({ packed: 1, textBytes });
});

it('gives a text the room that its bytes need, whatever their characters need', () => {
  const { store } = new Both();
  const noted = (name: string, note: string) => pod(name, 1, { annotations: { note } });
  const pods = [noted('a', 'x'.repeat(40_000)), noted('b', '€'.repeat(10_000)), noted('c', 'ü'.repeat(12_000))];
  const packed = pods.map((object) => store.pack(keyOfPod(object), object));
  expect(packed.map((each) => store.unpack(each, true))).toEqual(pods);
});

it('counts the memory of its blocks, also of those that are not compressed yet', () => {
  const both = new Both();
  both.put('a', 100);
  expect(both.store.memory(1)).toMatchObject({ storedBytes: 64 * 1024, blocks: 1 });
  for (let i = 0; i < 20; i++) both.put(`b${i}`, 40_000);
  const { blocks, storedBytes } = both.store.memory(21);
  expect([blocks, storedBytes]).toEqual([20, 20 * 64 * 1024]);
});

it('learns from the first texts how to compress all of them', () => {
  const inner = zstd() ?? faulty().compression;
  const [learned, compressed]: [Uint8Array[], string[]] = [[], []];
  const compression = (name: string): Compression => ({
    compress: (bytes) => {
      compressed.push(name);
      return inner.compress(bytes);
    },
    decompress: (bytes, length) => inner.decompress(bytes, length),
    withDictionary: (texts) => {
      learned.push(texts);
      return compression('learned');
    },
  });
  const both = new Both({ compression: compression('first') });
  both.put('a', 60_000, 1);
  for (let i = 0; i < 40; i++) both.put(keyOf(i), 60_000);
  expect(learned.map((texts) => Buffer.from(texts).toString())).toEqual([JSON.stringify(both.model.get('a'))]);
  expect(new Set(compressed)).toEqual(new Set(['learned']));
  expect(both.check()).toBe(0);
});

it('works with the time of the system unless it was given a clock', async () => {
  const store = new CompactStore<Pod>({ kind: 'compact' });
  const { promise, resolve } = Promise.withResolvers<void>();
  store.whenIdle((function* () {})(), resolve);
  await promise;
});

it('works when nothing else runs, one work after the other, and says which failed', async () => {
  const seen: string[] = [];
  const { store } = new Both({ logger: createLogger((level, line) => seen.push(`${level}: ${line}`)) });
  function* work(name: string, steps: number): Generator<undefined, void> {
    for (let i = 0; i < steps; i++) {
      seen.push(`${name} ${i}`);
      yield;
    }
    if (name === 'b') throw new Error('no');
  }
  store.whenIdle(work('a', 2), () => seen.push('a ended'));
  store.whenIdle(work('b', 1), () => seen.push('b ended'));
  store.whenIdle(work('c', 1));
  expect(seen).toEqual([]);
  await settled();
  store.whenIdle(work('d', 1), () => seen.push('d ended'));
  await settled();
  const [a, b] = [['a 0', 'a 1', 'a ended'], ['b 0', 'error: a cache could not be packed', 'b ended']]; // biome-ignore format: one row
  expect(seen).toEqual([...a, ...b, 'c 0', 'd 0', 'd ended']);
});

it('goes on with its work, a step in each turn, on a machine that takes longer to look at the clock than a turn may last', async () => {
  const clock = new FakeClock();
  let now = 0;
  const slow = Object.assign(Object.create(clock), { monotonic: () => (now += 5), yield: () => clock.yield() });
  const { store } = new Both({ clock: slow });
  const seen: string[] = [];
  function* work(): Generator<undefined, void> {
    for (let step = 0; step < 3; step++) {
      seen.push(`step ${step}`);
      yield;
    }
  }
  const ended = new Promise<void>((resolve) => store.whenIdle(work(), resolve));
  const turns = (async () => {
    for (let turn = 0; turn < 100; turn++) await settled();
    seen.push('given up');
  })();
  await Promise.race([ended, turns]);
  expect(seen).toEqual(['step 0', 'step 1', 'step 2']);
});

// --- faults ---

/** A compression that fails at one call, and shows the bytes that it decompresses. */
function faulty({ compress = 0, decompress = 0 }: { compress?: number; decompress?: number } = {}) {
  const inner = zstd();
  const calls = { compress: 0, decompress: 0 };
  const seen = new Set<Uint8Array>();
  const compression: Compression = {
    compress(bytes) {
      if (++calls.compress === compress) throw new Error('no memory to compress');
      return (inner as Compression).compress(bytes);
    },
    decompress(bytes, length) {
      seen.add(bytes);
      if (++calls.decompress === decompress) throw new Error('no memory to decompress');
      return (inner as Compression).decompress(bytes, length);
    },
  };
  return { compression, calls, seen };
}

/** Fills, empties and repacks a store. */
async function work(both: Both): Promise<void> {
  for (let i = 0; i < 900; i++) both.put(keyOf(i), 400);
  for (let i = 0; i < 900; i++) if (i % 3 > 0) both.delete(keyOf(i));
  both.old.length = 0;
  await settled();
  for (let i = 0; i < 900; i += 6) both.put(keyOf(i), 400);
  both.old.length = 0;
  await settled();
}

/** What an informer does after a damage: it stores what the server lists. */
async function relist(both: Both): Promise<void> {
  for (const key of both.model.keys()) both.again(key);
  both.old.length = 0;
  await settled();
}

describe.runIf(zstd())('a fault', () => {
  it('of the compression, at whichever call, keeps the texts as they are', async () => {
    const { compression, calls } = faulty();
    await work(new Both({ compression }));
    expect(calls.compress).toBeGreaterThan(5);
    for (let call = 1; call <= calls.compress; call++) {
      const both = new Both({ compression: faulty({ compress: call }).compression });
      await work(both);
      expect([both.check(), both.damages.length]).toEqual([0, 0]);
      both.checkMemory();
    }
  });

  it('of the decompression, at whichever call, while objects are repacked or read, is reported, and over after a relist', async () => {
    const whole = faulty();
    const both = new Both({ compression: whole.compression });
    await work(both);
    both.check();
    expect(whole.calls.decompress).toBeGreaterThan(10);
    for (let call = 1; call <= whole.calls.decompress; call++) {
      const hurt = new Both({ compression: faulty({ decompress: call }).compression });
      await work(hurt);
      const thrown = hurt.check();
      expect(hurt.damages.length + thrown, `call ${call}`).toBeGreaterThan(0);
      expect(hurt.damages.length).toBeGreaterThan(0);
      await relist(hurt);
      expect(hurt.check(), `call ${call}`).toBe(0);
      hurt.checkMemory();
    }
  });

  it.each([
    ['compressed', (): Compression | undefined => faulty().compression],
    ['uncompressed', () => undefined],
  ])(
    'of the memory, in whichever block, gives no wrong object, is reported, and is over after a relist: %s',
    async (_, made) => {
      const plain = new Both({ compression: made() });
      for (let i = 0; i < 700; i++) plain.put(keyOf(i), 400, 2 * i + 1);
      const blocks = [...new Set([...plain.held.values()].map((held) => (held as PackedObject).block))];
      expect(blocks.length).toBeGreaterThan(20);
      for (let n = 0; n < blocks.length; n++) {
        const seen = faulty();
        const both = new Both({ compression: made() && seen.compression });
        for (let i = 0; i < 700; i++) both.put(keyOf(i), 400, 2 * i + 1);
        const block = [...new Set([...both.held.values()].map((held) => (held as PackedObject).block))][n];
        seen.seen.clear();
        const texts = block?.texts() as Buffer;
        const [stored = texts] = block?.isCompressed ? seen.seen : [];
        const at = Math.floor(((n + 1) / (blocks.length + 1)) * Math.min(stored.length, block?.textBytes ?? 0));
        stored[at] = (stored[at] as number) ^ 0x10;
        for (let i = 0; i < 700; i++) if (i % 3 > 0) both.delete(keyOf(i)); // repacks what is sealed
        await settled();
        both.check(); // throws for a wrong object
        await relist(both);
        both.check();
        await relist(both);
        expect(both.check(), `block ${n}`).toBe(0);
        both.checkMemory();
        for (const key of [...both.model.keys()]) both.delete(key);
        await settled();
        expect(both.store.memory(0)).toMatchObject({ packed: 0, textBytes: 0 });
        expect(both.store.memory(0).blocks).toBeLessThanOrEqual(NEWEST);
      }
    },
  );

  it('that an old state shows when nothing else is in its block is no reason to list again', () => {
    const both = new Both({ compression: undefined });
    both.put('a', 100, 1);
    const { block } = both.held.get('a') as PackedObject;
    block.texts()[10] = 0;
    both.delete('a');
    expect([both.check(), both.damages]).toEqual([1, []]);
  });

  it('of the function that is called with a damage leaves the repacking working', async () => {
    const { compression } = faulty({ decompress: 1 });
    const both = new Both({
      compression,
      onDamage() {
        throw new Error('no');
      },
    });
    await work(both);
    await work(both);
    const blocks = new Set([...both.held.values()].map((held) => (held as PackedObject).block));
    const wasteful = [...blocks].filter(({ live, count, isDamaged: isLost }) => live * 2 < count && !isLost);
    expect(wasteful.length).toBeLessThanOrEqual(NEWEST);
  });
});
