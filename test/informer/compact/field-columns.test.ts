import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { fieldsSeen } from '../../../src/expr/cel/fields-seen.ts';
import { fieldsSeenBy } from '../../../src/expr/jsonpath/fields-seen.ts';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { MOST_COLUMNS } from '../../../src/informer/compact/block.ts';
import { CompactStore } from '../../../src/informer/compact/compact-store.ts';
import { metadataOf, type PackedObject } from '../../../src/informer/compact/packed-object.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { lightsOf } from '../../../src/kit/lazy-list.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { cellsOf, withCells } from '../../../src/model/cells.ts';
import { type Address, addressText } from '../../../src/model/field-path.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PROGRAMS = [
  'object.status.phase == "Running"',
  'has(object.status) && !has(object.status.phase)',
  'object.metadata.name.endsWith("7") && object.metadata.namespace == "shop"',
  'object.metadata.labels["app"] == "a"',
  'object.metadata.annotations["note"] == "1"',
  'object.metadata.generation > 1',
  'object.spec.containers.exists(c, c.image.endsWith(":2"))',
  'object.spec.containers.size() == 2 || object.spec.containers[0].name == "side"',
  'object.spec.containers.exists(c, true)',
  'object.spec.containers.filter(c, c.name == "app").map(c, c.image) == ["i:1"]',
  'object.spec.exists(key, key == "replicas")',
  'object.spec.replicas == 3 || "containers" in object.spec',
  'object.?spec.?big.orValue(0) == 9007199254740993',
  'object.kind == "Pod"',
  'object.spec.name == "web-1"',
].map((source) => compileCel(source, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES }));

/** What a program says of an object: its result, or its error. */
function judged(program: (typeof PROGRAMS)[number], object: unknown): string {
  try {
    return String(program.test({ object } as never));
  } catch (error) {
    return (error as Error).message;
  }
}

const fieldsOf = (program: (typeof PROGRAMS)[number]) => (fieldsSeen(program) ?? []).map(addressText);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof(fc.constant(undefined), fc.constant(null), value);
const container = fc.record({
  name: fc.constantFrom('app', 'side'),
  image: fc.constantFrom('i:1', 'i:2'),
  extra: fc.nat(),
});
const anyObject = fc.record(
  {
    kind: fc.constantFrom('Pod', 'Node'),
    status: maybe(fc.record({ phase: fc.constantFrom('Running', 'Failed') }, { requiredKeys: [] })),
    spec: maybe(
      fc.record(
        {
          containers: maybe(fc.oneof(fc.array(container), fc.constant('none'), fc.dictionary(fc.string(), container))),
          replicas: maybe(fc.nat(4)),
          name: fc.constantFrom('web-1', 'other'),
          big: fc.constant(9007199254740993n),
        },
        { requiredKeys: [] },
      ),
    ),
    note: fc.string(),
  },
  { requiredKeys: [] },
);

function objectOf(i: number, version: number, rest: object): UnknownObject {
  const metadata = {
    name: `web-${i}`,
    ...(i % 3 ? { namespace: 'shop' } : {}),
    uid: `uid-${i}`,
    resourceVersion: String(version),
    ...(i % 4 ? { labels: i % 2 ? { app: 'a' } : {} } : {}),
    ...(i % 5 ? { annotations: { note: String(i % 2) } } : {}),
    ...(i % 6 ? { generation: version % 3 } : {}),
  };
  return parseJson(jsonText({ ...rest, metadata })) as UnknownObject;
}

/** As many fields as a store remembers. */
const FIELDS = Array.from({ length: MOST_COLUMNS }, (_, i) => `.status.f${i}`);

describe('a search that names its fields', () => {
  it('judges each object as one that has all of it, whatever was written and moved before', () => {
    fc.assert(
      fc.property(
        fc.array(anyObject, { minLength: 5, maxLength: 60 }),
        fc.nat(),
        fc.boolean(),
        (bodies, seed, isKept) => {
          const random = seededRandom(seed);
          const indexer = new Indexer<UnknownObject>({ store: 'compact' });
          const plain = new Map<string, UnknownObject>();
          const lister = createLister(indexer);
          const [first, second] = [PROGRAMS[seed % PROGRAMS.length], PROGRAMS[(seed * 7 + 3) % PROGRAMS.length]];
          if (isKept && first) indexer.keepFields(fieldsOf(first));
          const write = (version: number) => {
            const i = Math.floor(random() * bodies.length);
            const object = objectOf(i, version, bodies[Math.floor(random() * bodies.length)] ?? {});
            if (random() < 0.2) {
              indexer.deleteKey(indexer.keyOf(object));
              plain.delete(indexer.keyOf(object));
            } else {
              indexer.update(object);
              plain.set(indexer.keyOf(object), object);
            }
          };
          for (let round = 0; round < 4; round++) {
            for (let n = 0; n < 100; n++) write(round * 100 + n);
            for (const program of [first, second] as (typeof PROGRAMS)[number][]) {
              const fields = fieldsOf(program);
              const found = [...lister.scan({ fields })].map((object) => judged(program, object));
              const read = lister.readerOf?.({ fields: fieldsSeen(program) ?? [] }, (each) => each);
              const shared = lightsOf(lister.view()).map((entry) => judged(program, read?.(entry)));
              expect(shared).toEqual(found);
              expect(found).toEqual([...lister.list()].map((object) => judged(program, object)));
              expect(found.toSorted()).toEqual([...plain.values()].map((object) => judged(program, object)).sort());
            }
          }
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  it('gives a path the values that it has in the whole object, of any shape', () => {
    const path = fc.constantFrom(
      '.spec.list[*].a',
      '.spec.list[0].a',
      '.spec.list[-1:]',
      '{.spec.list[?(@.a==1)].b}',
      '{.spec.list[?(@.b)].a}{.spec.map.x}',
      '.spec.list[a=1].b',
      '{range .spec.list[*]}{.a}-{.b}{end}',
      '.spec.map.*.a',
      "{.spec['map','list']}",
      "{.spec['map.x']}",
      '.spec.a.b.c',
      '.spec.list.a',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, fc.constantFrom(1, 'a', null, true), tie('list'), tie('map')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x', 'map', 'list'), tie('any'), { maxKeys: 4 }),
    })).any;
    fc.assert(
      fc.property(path, fc.array(value, { maxLength: 8 }), (text, specs) => {
        const indexer = new Indexer<UnknownObject>({ store: 'compact' });
        const objects = specs.map((spec, i) => objectOf(i, 1, { spec }));
        indexer.replace(objects, '1');
        const lister = createLister(indexer);
        const read = lister.readerOf?.({ fields: fieldsSeenBy(text) ?? [] }, (each) => each);
        const { values } = { values: (of: unknown) => jsonText(compileJsonPath(text).values(of)) };
        for (const [i, entry] of lightsOf(lister.view()).entries())
          expect([text, values(read?.(entry))]).toEqual([text, values(objects[i])]);
      }),
      { seed: 7, numRuns: 1500 },
    );
  });

  const pods = (count: number, note = (i: number) => String(i % 3)) =>
    Array.from({ length: count }, (_, i) => ({
      metadata: { name: `web-${i}`, namespace: 'shop', uid: `uid-${i}`, resourceVersion: '1' },
      status: { phase: i % 2 ? 'Running' : 'Failed', a: 1, b: 2, c: 3, d: 4 },
      note: note(i),
    }));
  const compact = (objects: UnknownObject[], kept?: string[]) => {
    const indexer = new Indexer<UnknownObject>({ store: 'compact' });
    if (kept) indexer.keepFields(kept);
    indexer.replace(objects, '1');
    const decoded = (fields: string[]) => {
      const before = indexer.memory.coldReads;
      expect([...indexer.scan({ fields })]).toHaveLength(objects.length);
      return indexer.memory.coldReads - before;
    };
    return { indexer, decoded };
  };

  it('decodes each object once, and those that change not at all', () => {
    const { indexer, decoded } = compact(pods(500));
    expect([decoded(['.status.phase']), decoded(['.status.phase'])]).toEqual([500, 0]);
    const changed = pods(100, () => 'more than the hot objects may have'.repeat(5000));
    for (const pod of changed) indexer.update({ ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } });
    expect(decoded(['.status.phase'])).toBe(0);
    const found = [...indexer.scan({ fields: ['.status.phase'] })];
    expect(found[0]).toEqual({
      metadata: { name: 'web-0', namespace: 'shop', uid: 'uid-0', resourceVersion: '2' },
      status: { phase: 'Failed' },
    });
  });

  it('decodes none if the fields were kept from the start, in whatever order they are named', () => {
    const { decoded } = compact(pods(500), ['.note', '.status.phase']);
    expect(decoded(['.status.phase', '.note'])).toBe(0);
  });

  it('remembers the fields of the last searches, and those that are kept', () => {
    const { decoded } = compact(pods(100), ['.note']);
    for (const field of FIELDS) expect(decoded([field])).toBe(100);
    expect(decoded(['.note'])).toBe(0);
    expect(FIELDS.slice(1).map((field) => decoded([field]))).toEqual(FIELDS.slice(1).map(() => 0));
    expect(decoded(FIELDS.slice(0, 1))).toBe(100);
  });

  it('keeps nothing where no field and no cell is named, and something where one of each is', () => {
    const { indexer, decoded } = compact(pods(100), []);
    for (const looked of [{ fields: [] }, { fields: [], cells: [] }]) indexer.keep(looked);
    for (const field of FIELDS) expect(decoded([field])).toBe(100);
    expect(FIELDS.map((field) => decoded([field]))).toEqual(FIELDS.map(() => 0));
    const kept = new Indexer<UnknownObject>({ store: 'compact' });
    kept.keep({ fields: [['note']], cells: ['NAME'] });
    kept.replace(pods(100), '1');
    const read = createLister(kept).readerOf?.({ fields: [['note']], cells: ['NAME'] }, ({ note }) => note);
    expect(lightsOf(createLister(kept).view()).map((entry) => read?.(entry))).toEqual(
      pods(100).map(({ note }) => note),
    );
    expect(kept.memory.coldReads).toBe(0);
  });

  it('leaves the objects packed that it decodes', () => {
    const indexer = new Indexer<UnknownObject>({ store: 'compact' });
    indexer.replace(pods(100), '1');
    const { hotObjects } = indexer.memory;
    expect([...indexer.scan()]).toHaveLength(100);
    expect([indexer.memory.hotObjects, indexer.memory.coldReads]).toEqual([hotObjects, 100]);
  });

  it('forgets the fields that were asked for first, where all are kept and a further search comes', () => {
    const [first = '', ...others] = FIELDS;
    const { indexer, decoded } = compact(pods(100), [first]);
    for (const field of others) {
      indexer.keepFields([field]);
      decoded([field]);
    }
    expect([decoded(['.note']), decoded(['.note'])]).toEqual([100, 0]);
    expect(others.map((field) => decoded([field]))).toEqual(others.map(() => 0));
    expect(decoded([first])).toBe(100);
  });

  it('decodes each time where the values differ too much to keep them', () => {
    const { indexer, decoded } = compact(pods(200, (i) => `${i}`.padEnd(50_000)));
    expect([decoded(['.note']), decoded(['.note'])]).toEqual([200, 200]);
    expect([...indexer.scan({ fields: ['.note'] })].map((pod) => (pod as { note?: string }).note?.length)).toEqual(
      Array(200).fill(50_000),
    );
    expect(decoded(['.status.phase'])).toBe(200);
    expect(decoded(['.status.phase'])).toBe(0);
  });

  it('forgets values that no object has any more, and gives none of them for another', () => {
    const { indexer, decoded } = compact(pods(50, (i) => `0 ${i}`));
    expect(decoded(['.note'])).toBe(50);
    const old = lightsOf(createLister(indexer).view());
    for (let round = 1; round < 30; round++)
      for (const pod of pods(50, (i) => `${round} ${i}`.padEnd(10_000)))
        indexer.update({ ...pod, metadata: { ...pod.metadata, resourceVersion: String(round + 1) } });
    expect(decoded(['.note'])).toBe(0);
    const lister = createLister(indexer);
    const read = lister.readerOf?.({ fields: [['note']] }, (each) => each);
    const noteOf = (entry: unknown) => (read?.(entry) as { note?: string } | undefined)?.note?.trim();
    expect(lightsOf(lister.view()).map(noteOf)).toEqual(Array.from({ length: 50 }, (_, i) => `29 ${i}`));
    expect(old.map(noteOf)).toEqual(Array.from({ length: 50 }, (_, i) => `0 ${i}`));
  });

  it('refuses what is no path, also where nothing is decoded', () => {
    for (const store of ['objects', 'compact'] as const) {
      const indexer = new Indexer<UnknownObject>({ store });
      expect(() => indexer.scan({ fields: ['status.phase'] })).toThrow('is no path of a field');
      expect(() => indexer.keepFields(['.status[0]'])).toThrow('is no path of a field');
      expect(() => createLister(indexer).scan({ field: [] } as never)).toThrow('scan has no option "field"');
    }
  });
});

describe('the cells of rows in a column', () => {
  const columns = (...names: string[]) => names.map((name) => ({ name, type: 'string', format: '', priority: 0 }));
  const READY = columns('Name', 'Ready For', 'Age');
  const row = (i: number, cells: unknown[], of = READY) => withCells(objectOf(i, 1, { status: { phase: 'Running' } }), { columns: of, cells }); // biome-ignore format: one call

  /** What a search of cells reads of objects, and how many texts it decodes the second time. */
  function read(cells: string[], objects: UnknownObject[]) {
    const indexer = new Indexer<UnknownObject>({ store: 'compact' });
    for (const object of objects) indexer.add(object);
    const entries = lightsOf(createLister(indexer).view());
    const reader = createLister(indexer).readerOf?.({ fields: [['status', 'phase']], cells }, (object) => [
      (object.status as { phase: string }).phase,
      cellsOf(object),
    ]) as (entry: unknown) => unknown[];
    const first = entries.map(reader);
    const before = indexer.memory.coldReads;
    expect(entries.map(reader)).toEqual(first);
    expect(indexer.memory.coldReads).toBe(before);
    return first.map(([phase, row]) => {
      expect(phase).toBe('Running');
      return row;
    });
  }

  it.each([
    ['by their heading', ['READY FOR'], [undefined, '5m', undefined]],
    ['by the name of their variable', ['READY_FOR'], [undefined, '5m', undefined]],
    ['all of them', ['*'], ['a', '5m', '1h']],
    ['none that the table has not', ['STATUS'], []],
  ])('are picked %s', (_, cells, expected) => {
    const [found] = read(cells, [row(0, ['a', '5m', '1h'])]) as [{ columns: unknown; cells: unknown[] }];
    expect(found.columns).toEqual(READY);
    expect(Array.from(found.cells)).toEqual(expected.slice(0, found.cells.length));
    expect(found.cells.length).toBe(expected.findLastIndex((cell) => cell !== undefined) + 1);
  });

  it('are those of each row, of rows of several tables, and of an object without a row', () => {
    const other = columns('Ready For', 'Name');
    const objects = [row(0, ['a', '5m', '1h']), row(1, ['b', '5m', '2h']), row(2, ['5m', 'c'], other)];
    const plain = objectOf(3, 1, { status: { phase: 'Running' } });
    const found = read(['READY FOR'], [...objects, row(4, ['e', '6m', '2h']), row(6, ['g']), plain]) as ({ columns: unknown; cells: unknown[] } | undefined)[]; // biome-ignore format: one call
    expect(found.map((each) => each && Array.from(each.cells).findLast((cell) => cell !== undefined))).toEqual(['5m', '5m', '5m', '6m', undefined, undefined]); // biome-ignore format: one list
    expect(found.map((each) => each?.columns)).toEqual([READY, READY, other, READY, READY, undefined]);
  });
});

it('a search that still runs when its column is given to other fields says what is true', () => {
  const indexer = new Indexer<UnknownObject>({ store: 'compact' });
  for (let i = 0; i < 40; i++) indexer.add({ ...objectOf(i, 1, {}), status: { phase: i % 2 ? 'Failed' : 'Running' } });
  const lister = createLister(indexer);
  const looked = { fields: [['status', 'phase']] };
  const say = lister.readerOf?.(looked, ({ status }) => (status as { phase: string }).phase) as (
    entry: unknown,
  ) => string;
  const entries = lightsOf(lister.view());
  expect(entries.map(say)).toEqual(entries.map((_, i) => (i % 2 ? 'Failed' : 'Running')));
  for (let i = 0; i < MOST_COLUMNS; i++)
    entries.map(lister.readerOf?.({ fields: [[`other-${i}`]] }, String) as () => string);
  expect(entries.map(say)).toEqual(entries.map((_, i) => (i % 2 ? 'Failed' : 'Running')));
});

describe('a column', () => {
  const [PHASE, NAME, CREATED] = [
    ['status', 'phase'],
    ['metadata', 'name'],
    ['metadata', 'creationTimestamp'],
  ];

  it.each([
    [[], [], { isOfEach: false, isOfHead: false, isOfHandle: true, hasCells: false }],
    [[NAME], [], { isOfEach: true, isOfHead: false, isOfHandle: true, hasCells: false }],
    [[['metadata', 'labels', 'app']], [], { isOfEach: false, isOfHead: false, isOfHandle: true, hasCells: false }],
    [[['metadata']], [], { isOfEach: false, isOfHead: false, isOfHandle: false, hasCells: false }],
    [[['spec', 'name']], [], { isOfEach: false, isOfHead: false, isOfHandle: false, hasCells: false }],
    [[CREATED], [], { isOfEach: false, isOfHead: false, isOfHandle: false, hasCells: false }],
    [[CREATED], ['A'], { isOfEach: false, isOfHead: true, isOfHandle: false, hasCells: true }],
    [[], ['A'], { isOfEach: false, isOfHead: true, isOfHandle: false, hasCells: true }],
    [[NAME, PHASE], ['A'], { isOfEach: true, isOfHead: false, isOfHandle: false, hasCells: true }],
  ] as [Address[], string[], object][])(
    'of the fields %j and the cells %j is read from %j',
    (fields, cells, expected) => {
      const { isOfEach, isOfHead, isOfHandle, hasCells } = storeOf().columnOf({ fields, cells });
      expect({ isOfEach, isOfHead, isOfHandle, hasCells }).toEqual(expected);
    },
  );

  const storeOf = () =>
    new CompactStore<UnknownObject>({ kind: 'compact', clock: new FakeClock(), compression: undefined });

  /** A store that keeps the phases of its objects, and a function that adds one. */
  function phases() {
    const store = storeOf();
    const column = store.columnOf({ fields: [PHASE as Address] }, true);
    let count = 0;
    const put = (phase: string) =>
      store.pack(`p${++count}`, {
        metadata: { name: `p${count}` },
        status: { phase },
      } as UnknownObject) as PackedObject;
    return { store, column, put };
  }

  it('gives its values other numbers, without those that no object has', () => {
    const { store, column, put } = phases();
    const [a, b, c] = ['A', 'B', 'C'].map(put) as [PackedObject, PackedObject, PackedObject];
    expect([a, b, c, put('A')].map((each) => column.numberOf(each))).toEqual([1, 2, 3, 1]);
    expect(column.isFull).toBe(false);
    store.drop(b as never);
    const before = column.generation;
    column.renumber([a.block]);
    expect([column.isGivenUp, column.generation === before]).toEqual([false, false]);
    expect([a, c].map((each) => column.numberOf(each))).toEqual([1, 2]);
    expect([0, 1, 2, 3].map((number) => column.valueOf(number))).toEqual([
      undefined,
      { metadata: {}, status: { phase: 'A' } },
      { metadata: {}, status: { phase: 'C' } },
      undefined,
    ]);
    expect(['C', 'B', 'D', 'A'].map(put).map((each) => column.numberOf(each))).toEqual([2, 3, 4, 1]);
    expect(column.fieldsOf(c)).toEqual({ metadata: { ...metadataOf(c) }, status: { phase: 'C' } });
  });

  it('is given up when its values take more than 8 MiB, and then knows nothing', () => {
    const { column, put } = phases();
    const piece = 64 * 1024;
    const large = (i: number) => `${i}`.padEnd(piece, '.');
    const first = put(large(0));
    for (let i = 1; i < 127; i++) put(large(i));
    expect([column.isGivenUp, column.numberOf(first)]).toEqual([false, 1]);
    const before = column.generation;
    for (let i = 127; i < 129; i++) put(large(i));
    expect([column.isGivenUp, column.isFull, column.numberOf(first), column.sharedOf(first)]).toEqual([
      true,
      false,
      0,
      undefined,
    ]);
    expect([column.generation === before, column.numberOf(put('A'))]).toEqual([false, 0]);
  });

  it.each([
    [50, false],
    [10, true],
  ])('that is full, and of whose 128 large values no object has %i, is given up: %s', (dropped, isGivenUp) => {
    const { store, column, put } = phases();
    const large = (i: number) => `${i}`.padEnd(64 * 1024, '.');
    const packed = Array.from({ length: 120 }, (_, i) => put(large(i)));
    for (const each of packed.slice(0, dropped)) store.drop(each as never);
    for (let i = 120; i < 130; i++) put(large(i));
    expect([column.isGivenUp, column.isFull]).toEqual([isGivenUp, false]);
  });

  it('of cells has those of each row, also of rows that have fewer, and an object without a row has none', () => {
    const store = storeOf();
    const columns = ['A', 'B'].map((name) => ({ name, type: 'string', format: '', priority: 0 }));
    const column = store.columnOf({ fields: [PHASE as Address], cells: ['B'] });
    const object = (name: string) => ({ metadata: { name }, status: { phase: 'X' } }) as UnknownObject;
    const row = (name: string, ...cells: unknown[]) => withCells(object(name), { columns, cells });
    const packed = [row('p1', 1, 2), row('p2', 3, 2), row('p3', 1), object('p4')].map(
      (each) => store.pack(each.metadata.name as string, each) as PackedObject,
    );
    expect(packed.map((each) => column.numberOf(each))).toEqual([1, 1, 2, 3]);
    expect(packed.map((each) => cellsOf(column.fieldsOf(each) as object)?.cells)).toEqual([
      [undefined, 2],
      [undefined, 2],
      [undefined, undefined],
      undefined,
    ]);
  });
});
