import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readList } from '../../../src/client/decode/list-body.ts';
import { jsonText } from '../../../src/kit/exact-json.ts';
import { cellsOf } from '../../../src/model/cells.ts';
import { fieldTreeOf } from '../../../src/model/field-tree.ts';
import type { ItemReading } from '../../../src/model/item-reading.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { cut } from '../../support/scripted-bytes.ts';
import { objectText } from './json-text.ts';

const gvr = { group: '', version: 'v1', resource: 'pods' };

interface Reading extends Partial<ItemReading> {
  readonly table?: boolean;
  readonly length?: number;
  readonly dropManagedFields?: boolean;
}

async function* fromArray(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Reads a list; gives the page, what came, and the versions with which it began. */
async function read(body: string, options: Reading = {}) {
  const { table = false, length = 1000, dropManagedFields = true, ...own } = options;
  const took: { object: Record<string, unknown>; text: string | undefined }[] = [];
  const versions: unknown[] = [];
  const reading: ItemReading = {
    fields: fieldTreeOf([
      ['metadata', 'name'],
      ['status', 'phase'],
    ]),
    wholeFirst: 0,
    needsText: false,
    begin: (version) => versions.push(version),
    keeps: () => true,
    take: (object, text) => took.push({ object, text }),
    room: () => undefined,
    ...own,
  };
  const page = await readList(fromArray(cut(body, [length])), { gvr, table, dropManagedFields, reading });
  return { page, took, versions, objects: took.map(({ object }) => object) };
}

const pod = (i: number) =>
  `{"metadata":{"name":"p-${i}","namespace":"n","managedFields":[{"manager":"x"}]},"spec":{"n":${i}},"status":{"phase":"Running","ip":"1"}}`;
const listOf = (items: readonly string[], head = '"kind":"PodList","apiVersion":"v1",') =>
  `{${head}"metadata":{"resourceVersion":"7"},"items":[${items.join(',')}]}\n`;
const PODS = [0, 1, 2].map(pod);

describe('a list of which the objects are read and not kept', () => {
  it('gives each object with the fields that are looked at, and an empty page with its version', async () => {
    const { page, objects, versions } = await read(listOf(PODS));
    expect(objects).toEqual([0, 1, 2].map((i) => ({ metadata: { name: `p-${i}` }, status: { phase: 'Running' } })));
    expect(page).toEqual({ items: [], resourceVersion: '7' });
    expect(versions).toEqual(['7']);
  });

  it('gives objects as they are where a cache would take them as they arrive', async () => {
    const objects: unknown[] = [];
    const reading = {
      fields: undefined,
      wholeFirst: 0,
      needsText: false,
      begin: () => {},
      keeps: () => true,
      take: (object: unknown) => void objects.push(object),
      room: () => undefined,
    };
    const arrived = () => expect.unreachable('it is for a page');
    const body = fromArray([Buffer.from(listOf(PODS))]);
    await readList(body, { gvr, table: false, dropManagedFields: true, reading, arrived });
    expect(objects).toMatchObject([0, 1, 2].map((i) => ({ kind: 'Pod', spec: { n: i } })));
  });

  it('gives the first objects whole where that is asked for', async () => {
    const { objects } = await read(listOf(PODS), { wholeFirst: 1 });
    expect(objects[0]).toEqual({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p-0', namespace: 'n' }, spec: { n: 0 }, status: { phase: 'Running', ip: '1' } }); // biome-ignore format: one object
    expect(objects[1]).toEqual({ metadata: { name: 'p-1' }, status: { phase: 'Running' } });
  });

  it('makes a text of the objects that are kept alone, with the kind of the list', async () => {
    const asked: unknown[] = [];
    const { took } = await read(listOf(PODS), {
      needsText: true,
      keeps: (object: { metadata: { name: string } }) => {
        asked.push(object.metadata.name);
        return object.metadata.name === 'p-1';
      },
    });
    expect(asked).toEqual(['p-0', 'p-1', 'p-2']);
    const text =
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p-1","namespace":"n"},"spec":{"n":1},"status":{"phase":"Running","ip":"1"}}';
    expect(took).toEqual([{ object: { metadata: { name: 'p-1' }, status: { phase: 'Running' } }, text }]);
  });

  it.each([true, false])(
    'makes a text of whole objects too, also of one with the kind of the list: %s',
    async (has) => {
      const [own, added] = has ? ['"kind":"Pod","apiVersion":"v1",', ''] : ['', '"kind":"Pod","apiVersion":"v1",'];
      const rest = '"metadata":{"name":"a"},"spec":{"n":1}}';
      const { took } = await read(listOf([`{${own}${rest}`]), { fields: undefined, needsText: true });
      expect(took).toEqual([{ object: JSON.parse(`{${own}${added}${rest}`), text: `{${own}${added}${rest}` }]);
    },
  );

  it('decodes what cannot be passed on as text, and objects of another kind than the list says', async () => {
    const odd = [
      '{"metadata":{"name":"a"},"spec":1.0}',
      '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"b"},"data":{"x":"eA=="}}',
      '{"kind":"Pod","metadata":{"name":"c"},"spec":2}',
    ];
    const { took } = await read(listOf(odd), { needsText: true });
    expect(took).toEqual([
      { object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: 1 }, text: undefined },
      { object: JSON.parse(odd[1] as string), text: undefined },
      { object: JSON.parse(odd[2] as string), text: undefined },
    ]);
  });

  it('gives the version of a list without objects, and no object', async () => {
    const { page, took, versions } = await read(listOf([]));
    expect([page, took, versions]).toEqual([{ items: [], resourceVersion: '7' }, [], ['7']]);
  });

  it('gives rows with their cells and the fields that are looked at', async () => {
    const rows = [0, 1].map((i) => `{"cells":["p-${i}",${i}],"object":${pod(i)}}`).join(',');
    const body = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[{"name":"Name"},{"name":"N"}],"rows":[${rows}]}`;
    const { objects, page } = await read(body, { table: true });
    expect(page).toEqual({ items: [], resourceVersion: '7' });
    expect(objects.map((object) => cellsOf(object)?.cells)).toEqual([
      ['p-0', 0],
      ['p-1', 1],
    ]);
    expect(objects[1]).toMatchObject({ metadata: { name: 'p-1' }, status: { phase: 'Running' } });
    expect(objects[1]).not.toHaveProperty('spec');
  });

  it.each([true, false])(
    'leaves out managedFields where the whole metadata is looked at; of a table: %s',
    async (table) => {
      const fields = fieldTreeOf([['metadata']]);
      const items = [pod(1), '{"metadata":{"name":"b"},"spec":{}}'];
      const rows = items.map((item) => `{"cells":[],"object":${item}}`);
      const body = table
        ? `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[${rows.join(',')}]}`
        : listOf(items);
      const metadataOf = async (dropManagedFields: boolean) =>
        (await read(body, { table, fields, dropManagedFields })).objects.map(({ metadata }) => metadata);
      const one = { name: 'p-1', namespace: 'n' };
      expect(await metadataOf(true)).toEqual([one, { name: 'b' }]);
      expect(await metadataOf(false)).toEqual([{ ...one, managedFields: [{ manager: 'x' }] }, { name: 'b' }]);
      const { took } = await read(listOf(items), { fields, needsText: true });
      expect(took.map(({ text }) => text?.includes('managedFields'))).toEqual([undefined, false]);
      expect(JSON.stringify(took)).not.toContain('managedFields');
    },
  );

  it('gives rows whole where a text is asked for: that of a row is not that of its object', async () => {
    const body = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[{"cells":[],"object":${pod(1)}}]}`;
    const { took } = await read(body, { table: true, needsText: true });
    expect(took).toEqual([{ object: expect.objectContaining({ spec: { n: 1 } }), text: undefined }]);
  });

  it('waits while there is no room, and reads no further', async () => {
    const emptied = Promise.withResolvers<void>();
    const [chunks, took]: [Buffer[], unknown[]] = [cut(listOf(PODS), [100]), []];
    let [read, isEmptied] = [0, false];
    async function* body() {
      for (const chunk of chunks) {
        read++;
        yield chunk;
      }
    }
    const reading = {
      fields: undefined,
      wholeFirst: 0,
      needsText: false,
      begin: () => {},
      keeps: () => true,
      take: (object: unknown) => took.push(object),
      room: () => (took.length > 0 && !isEmptied ? emptied.promise : undefined),
    };
    const done = readList(body(), { gvr, table: false, dropManagedFields: true, reading });
    await settled();
    expect(took).toHaveLength(1);
    expect(read).toBeLessThan(chunks.length);
    isEmptied = true;
    emptied.resolve();
    await done;
    expect([took.length, read]).toEqual([3, chunks.length]);
  });

  it.each(['"kind":"PodList",', ''])('reads a list whose head is not complete before its items: {%s', async (head) => {
    const { objects, versions } = await read(listOf(PODS, head));
    expect(objects.map(({ metadata }) => (metadata as { name: string }).name)).toEqual(['p-0', 'p-1', 'p-2']);
    expect(versions).toEqual(['7']);
  });

  it.each([
    ['"kind":"","apiVersion":"v1",', {}],
    ['"kind":7,"apiVersion":"v1",', {}],
    ['"kind":"PodList","apiVersion":1,', { kind: 'Pod', apiVersion: 1 }],
  ])('decodes the objects of a list that does not say what they are: {%s', async (head, added) => {
    const { took } = await read(listOf(['{"metadata":{"name":"a"},"spec":{}}'], head), { needsText: true });
    expect(took).toEqual([{ object: { ...added, metadata: { name: 'a' }, spec: {} }, text: undefined }]);
  });

  it('refuses a list that is broken within fields that are not looked at', async () => {
    await expect(read(listOf(['{"metadata":{"name":"a"},"spec":{"n":tru}}']))).rejects.toThrow('broken JSON');
    await expect(read(listOf(PODS).slice(0, -10))).rejects.toThrow('ends in the middle');
  });

  it('gives the same objects and texts as decoding does, for any form and chunks of the items', async () => {
    const items = fc.array(
      fc.oneof(
        objectText,
        fc.nat(99).map((i) => pod(i)),
      ),
      { maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(
        items,
        fc.constantFrom(1, 7, 1000, 1e6),
        fc.boolean(),
        async (texts, length, dropManagedFields) => {
          const chunks = () => fromArray(cut(listOf(texts), [length]));
          const whole = await readList(chunks(), { gvr, table: false, dropManagedFields });
          const { took } = await read(listOf(texts), { fields: undefined, needsText: true, length, dropManagedFields });
          const shown = took.map(({ object, text }) => (text === undefined ? object : JSON.parse(text)));
          expect(shown).toEqual(whole.items);
          for (const [i, { text }] of took.entries())
            if (text !== undefined && text.length === jsonText(whole.items[i]).length)
              expect(text).toBe(jsonText(whole.items[i]));
        },
      ),
      { numRuns: 500 },
    );
  });
});
