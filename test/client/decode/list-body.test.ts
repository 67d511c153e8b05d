import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListBodyOptions, readList } from '../../../src/client/decode/list-body.ts';
import { cellsOf } from '../../../src/model/cells.ts';
import { managedFieldsText } from '../../../src/model/managed-fields-text.ts';
import { bytes, cut } from '../../support/scripted-bytes.ts';
import { objectText } from './json-text.ts';

const gvr = { group: '', version: 'v1', resource: 'pods' };
const LENGTHS = [1, 7, 1000, 16_384, 65_536, Number.MAX_SAFE_INTEGER];

function read(text: string, length: number, options: Partial<ListBodyOptions> = {}) {
  const chunks = cut(text, [length]);
  return readList<Json>(fromArray(chunks), { gvr, table: false, dropManagedFields: true, ...options });
}

async function* fromArray(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

type Json = { kind?: unknown; apiVersion?: unknown; metadata?: { managedFields?: unknown } };

/** The expected item, made with JSON.parse alone. */
function expected(text: string, isTrimmed: boolean): Json {
  const object = JSON.parse(text) as Json;
  if (isTrimmed && typeof object.metadata === 'object' && object.metadata !== null)
    delete object.metadata.managedFields;
  return object.kind === undefined ? { kind: 'Pod', apiVersion: 'v1', ...object } : object;
}

/** A pod in the form that an API server writes. */
function pod(i: number, more = ''): string {
  const managed = `[{"manager":"kubelet","operation":"Update","fieldsV1":{"f:status":{"f:x":{},"k:{\\"type\\":\\"${i}\\"}":{".":{}}}},"subresource":"status"}]`;
  return `{"metadata":{"name":"p-${i}","namespace":"n","labels":{"a":"é"},"managedFields":${managed}},"spec":{"nodeName":"w"${more}},"status":{}}`;
}

const podList = (items: readonly string[]) =>
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[${items.join(',')}]}\n`;

describe('readList', () => {
  it('gives what JSON.parse gives, with kind and apiVersion and without managedFields, for any form and chunks of the items', async () => {
    const fuzzed = fc.array(
      fc.oneof(
        objectText,
        fc.nat(99).map((i) => pod(i)),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fuzzed, fc.constantFrom(...LENGTHS), fc.boolean(), async (items, length, dropManagedFields) => {
        const page = await read(podList(items), length, { dropManagedFields });
        expect(page.items).toEqual(items.map((text) => expected(text, dropManagedFields)));
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps managedFields as text beside the objects on request, of items and of rows', async () => {
    const { managedFields } = JSON.parse(pod(1)).metadata;
    const rows = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[],"rows":[{"cells":[],"object":${pod(1)}}]}`;
    for (const [text, isTable] of [
      [podList([pod(1)]), false],
      [rows, true],
    ] as const) {
      // biome-ignore format: one line
      const options = { table: isTable, dropManagedFields: false, managedFieldsAsText: true };
      const { items } = await read(text, 7, options);
      expect(items.map((item) => [item.metadata?.managedFields, managedFieldsText(item)])).toEqual([
        [undefined, JSON.stringify(managedFields)],
      ]);
    }
  });

  it('lets the event loop turn while a long list is there at once', async () => {
    const texts = Array.from({ length: 10_000 }, (_, i) => pod(i));
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await read(podList(texts), 65_536);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(3);
  });

  it('lets the event loop turn once after each 256 KiB, and not before', async () => {
    const turnsWith = async (...lengths: number[]) => {
      const all = lengths.reduce((sum, length) => sum + length, 0);
      const text = podList([]).padEnd(all);
      let turns = 0;
      const turn = () => {
        turns++;
        next = setImmediate(turn);
      };
      let next = setImmediate(turn);
      const chunks = lengths.map((length, i) => {
        const at = lengths.slice(0, i).reduce((sum, each) => sum + each, 0);
        return Buffer.from(text).subarray(at, at + length);
      });
      await readList(fromArray(chunks), { gvr, table: false, dropManagedFields: true });
      clearImmediate(next);
      return turns;
    };
    const KIB = 1024;
    expect(await turnsWith(256 * KIB - 1)).toBe(0);
    expect(await turnsWith(256 * KIB)).toBe(1);
    expect(await turnsWith(128 * KIB, 128 * KIB - 1)).toBe(0);
    expect(await turnsWith(128 * KIB, 128 * KIB, 1, 1, 1)).toBe(1);
    expect(await turnsWith(256 * KIB, 256 * KIB - 1, 1, 1)).toBe(2);
  });

  it('counts the items that each chunk completes, and no chunk that completes none', async () => {
    const counts: number[] = [];
    const texts = [0, 1, 2].map((i) => `{"spec":${i}}`);
    const head = podList([]).trimEnd().slice(0, -2);
    const chunks = [head, `${texts[0]},${texts[1]},`, '{"spec"', ':2}', ']}'].map((text) => Buffer.from(text));
    const onItems = (count: number) => counts.push(count);
    const { items } = await readList(fromArray(chunks), { gvr, table: false, dropManagedFields: true, onItems });
    expect([items.length, counts]).toEqual([3, [2, 1]]);
  });

  it('reads a short list without a turn of the event loop, in however many chunks it arrives', async () => {
    let turned = false;
    const next = setImmediate(() => {
      turned = true;
    });
    const { items } = await read(podList([pod(0), pod(1)]), 1);
    clearImmediate(next);
    expect([items.length, turned]).toEqual([2, false]);
  });

  it.each([
    ['an item without managedFields', 'Pod', '{"metadata":{"name":"a","labels":{"l":"é"}},"spec":{}}', true],
    ['an item with managedFields', 'Pod', pod(1), true],
    ['an item that has its kind', 'Pod', '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}', false],
    ['an item whose managedFields are not in the usual form', 'Pod', '{"metadata":{"m\\u0061nagedFields":[1]}}', false],
    ['an item of a kind that is not ASCII', 'Pöd', '{"metadata":{"name":"a"}}', false],
  ])('gives %s with its text only if that is the text of the object', async (_, kind, text, hasText) => {
    for (const length of [1, 1000]) {
      const arrived: { object: object; text: string | undefined }[] = [];
      const list = podList([text]).replace('PodList', `${kind}List`);
      const { items } = await readList<Json>(fromArray(cut(list, [length])), {
        gvr,
        table: false,
        dropManagedFields: true,
        arrived: (object, bytes) => {
          arrived.push({ object, text: bytes && Buffer.from(bytes).toString() });
          return object;
        },
      });
      expect(items).toEqual([{ ...expected(text, true), kind }]);
      expect(arrived.map(({ object }) => object)).toEqual(items);
      expect(arrived.map(({ text }) => text && JSON.parse(text))).toEqual([hasText ? items[0] : undefined]);
    }
  });

  it.each(LENGTHS)('reads a long list as a server writes it in chunks of %s bytes', async (length) => {
    const texts = Array.from({ length: 1000 }, (_, i) => pod(i));
    const { items, resourceVersion } = await read(podList(texts), length);
    expect(items).toEqual(texts.map((text) => expected(text, true)));
    expect(resourceVersion).toBe('7');
  });

  it('reads an object with inner objects that look like the next item', async () => {
    const inner =
      ',"claims":[{"metadata":{"name":"x","managedFields":[1]}},{"metadata":{"name":"y"}}],"text":"},{\\"metadata\\":{"';
    const texts = Array.from({ length: 200 }, (_, i) => pod(i, i % 3 === 0 ? '' : inner));
    for (const length of LENGTHS)
      expect((await read(podList(texts), length)).items).toEqual(texts.map((text) => expected(text, true)));
  });

  it('puts kind and apiVersion before the fields of an item, in that order', async () => {
    const { items } = await read(podList([pod(1), '{}', '{"metadata":{},"apiVersion":"own"}']), 1000);
    expect(items.map((item) => Object.keys(item).slice(0, 3))).toEqual([
      ['kind', 'apiVersion', 'metadata'],
      ['kind', 'apiVersion'],
      ['kind', 'apiVersion', 'metadata'],
    ]);
    expect(items[2]?.apiVersion).toBe('own');
  });

  it('reads a list whose kind follows its items', async () => {
    const text = `{"items":[${pod(1)},${pod(2)}],"apiVersion":"v1","kind":"PodList"}`;
    for (const length of LENGTHS)
      expect((await read(text, length)).items).toEqual([pod(1), pod(2)].map((item) => expected(item, true)));
  });

  it('cuts the managedFields of the objects of a table', async () => {
    const row = (i: number) => `{"cells":["p-${i}"],"object":{"kind":"Pod","apiVersion":"v1",${pod(i).slice(1)}}`;
    const text = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":"Name"}],"rows":[${row(1)},${row(2)}]}`;
    for (const length of LENGTHS) {
      const { items } = await read(text, length, { table: true });
      expect(items).toMatchObject([1, 2].map((i) => expected(pod(i), true)));
      expect(items.every((item) => item.metadata?.managedFields === undefined)).toBe(true);
      expect(items.map((item) => cellsOf(item)?.cells)).toEqual([['p-1'], ['p-2']]);
    }
  });

  it('gives items the kind and version of their list, also where one of them comes after the items', async () => {
    const head = { kind: '"kind":"PodList"', apiVersion: '"apiVersion":"v1"' };
    const items = `"items":[${pod(1)},${pod(2)}]`;
    for (const parts of [
      [head.kind, items, head.apiVersion],
      [head.apiVersion, items, head.kind],
    ])
      expect((await read(`{${parts.join(',')}}`, 1000)).items).toEqual([1, 2].map((i) => expected(pod(i), true)));
  });

  it.each([
    ['"kind":"","apiVersion":"v1",', {}],
    ['"kind":7,"apiVersion":"v1",', {}],
    ['"kind":"List","apiVersion":"v1",', {}],
    ['"kind":"PodList","apiVersion":1,', { kind: 'Pod', apiVersion: 1 }],
    ['"kind":"ListListX","apiVersion":"v1",', { kind: 'ListListX', apiVersion: 'v1' }],
  ])('gives the items of {%s what the list says of their kind', async (head, added) => {
    for (const dropManagedFields of [true, false]) {
      const { items } = await read(`{${head}"items":[{"spec":1}]}`, 100, { dropManagedFields });
      expect(items).toEqual([{ ...added, spec: 1 }]);
    }
  });

  it.each([
    ['null', 'null'],
    ['7', 'a number'],
    ['"x"', 'a string'],
  ])('refuses a list with the item %s', async (item, shown) => {
    for (const options of [{}, { managedFieldsAsText: true }, { dropManagedFields: false }]) {
      await expect(read(podList([item]), 100, options)).rejects.toMatchObject({
        code: 'decode',
        message: `the list has an item that is not an object but ${shown}`,
      });
    }
  });

  it('takes rows that come before the definitions of their columns, without managedFields', async () => {
    const row = `{"cells":["p-1"],"object":{"kind":"Pod","apiVersion":"v1",${pod(1).slice(1)}}`;
    const text = `{"rows":[${row}],"columnDefinitions":[{"name":"Name"}],"kind":"Table","apiVersion":"meta.k8s.io/v1"}`;
    const { items } = await read(text, 1000, { table: true });
    expect(items).toMatchObject([expected(pod(1), true)]);
    expect(items[0]?.metadata).not.toHaveProperty('managedFields');
    expect(cellsOf(items[0] as Json)?.cells).toEqual(['p-1']);
  });

  it('names the byte at which an item is broken, also after whole items', async () => {
    const texts = Array.from({ length: 30 }, (_, i) => pod(i));
    const text = podList([...texts, '{"metadata":{"name":tru}}', ...texts]);
    const offset = Buffer.from(text).indexOf('{"metadata":{"name":tru');
    for (const length of LENGTHS) {
      await expect(read(text, length)).rejects.toMatchObject({
        code: 'decode',
        message: expect.stringContaining(`at byte ${offset} `),
      });
    }
  });

  it('refuses an item that would be whole with a kind in place of its first byte', async () => {
    for (const item of ['["a":1}', '["metadata":{"name":"a"}}']) {
      const list = podList([item]);
      await expect(read(list, list.length)).rejects.toMatchObject({ code: 'decode' });
    }
  });

  it('reports the fault in the original bytes of an item, not in the trimmed ones', async () => {
    const text = podList([pod(1).replace('"status":{}', '"status":{} 1')]);
    const { message } = (await read(text, 1000).catch((error: unknown) => error)) as Error;
    const whole = (await read(text, 1000, { dropManagedFields: false }).catch((error: unknown) => error)) as Error;
    expect(message).toMatch(/at position \d+/);
    expect(message).toBe(whole.message);
  });

  it('never gives a cut list as a whole one', async () => {
    const text = podList(Array.from({ length: 5 }, (_, i) => pod(i))).trimEnd();
    for (let end = 0; end < text.length; end += 13) {
      await expect(read(text.slice(0, end), 100)).rejects.toMatchObject({ code: 'decode' });
    }
  });

  it('gives the position of a page, as far as the server says it', async () => {
    const positionOf = async (metadata: object | null) => {
      const text = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items: [] });
      const { items: _, ...position } = await read(text, 100);
      return position;
    };
    const all = { resourceVersion: '7', continue: 'token', remainingItemCount: 0 };
    expect(await positionOf({ ...all, shardInfo: { selector: 's' } })).toEqual({ ...all, shardSelector: 's' });
    expect(await positionOf({ resourceVersion: '7', continue: '', shardInfo: { selector: 1 } })).toEqual({
      resourceVersion: '7',
    });
    for (const none of [null, {}]) expect(await positionOf(none)).toEqual({ resourceVersion: '' });
  });

  it.each([
    ['"items":null', false],
    ['"items":null', true],
    ['"rows":null,"columnDefinitions":[]', true],
  ])('reads {%s} as an empty list; a table was asked for: %s', async (field, table) => {
    const { items } = await read(`{"kind":"List","apiVersion":"v1",${field}}`, 7, { table });
    expect(items).toEqual([]);
  });

  it.each([
    ['{"kind":"Pod","apiVersion":"v1"}', 'v1, Kind=Pod'],
    ['{}', 'no apiVersion, Kind='],
    ['{"kind":[1],"apiVersion":2}', '2, Kind=[1]'],
  ])('says of %s that it is no list, and its kind and version', async (text, shown) => {
    await expect(read(text, 7)).rejects.toMatchObject({
      code: 'decode',
      message: `the answer to listing v1/pods is not a list but ${shown}`,
    });
  });

  it('reads a list with whitespace between all tokens', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => pod(i));
    const text = JSON.stringify(JSON.parse(podList(texts)), null, 2);
    const chunks = bytes(cut(text, [1000]).map(String));
    const { items } = await readList<Json>(chunks, { gvr, table: false, dropManagedFields: true });
    expect(items).toHaveLength(50);
    expect(items.every((item) => item.metadata?.managedFields === undefined)).toBe(true);
  });
});
