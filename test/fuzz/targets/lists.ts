import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ItemsSplitter } from '../../../src/client/decode/items-splitter.ts';
import { readList } from '../../../src/client/decode/list-body.ts';
import { isOversized } from '../../../src/client/http/limits.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { chunkLengths, chunksOf, damaged, itemText, oddJson, oddText } from '../inputs.ts';
import { comparable, outcomeOf, settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const FIELDS = ['kind', 'apiVersion', 'metadata', 'items', 'rows', '__proto__', 'constructor'];
const gap = fc.constantFrom('', '', '', ' ', '\n\t');

/** The text of a list, with its fields in any order, each once. */
const listText = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), oddText), oddJson), {
      maxLength: 5,
      selector: ([key]) => key,
    }),
    fc.array(itemText, { maxLength: 5 }),
    fc.nat(5),
    gap,
  )
  .map(([fields, items, at, space]) => {
    const members = fields.filter(([key]) => key !== 'items').map(([key, text]) => `${JSON.stringify(key)}:${text}`);
    members.splice(Math.min(at, members.length), 0, `"items":[${space}${items.join(`${space},`)}${space}]`);
    return `${space}{${members.join(`,${space}`)}${space}}`;
  });

function split(chunks: readonly Buffer[], limit?: number) {
  const items: unknown[] = [];
  const splitter = new ItemsSplitter<unknown>(limit === undefined ? {} : { limit });
  const end = outcomeOf(() => {
    for (const chunk of chunks) items.push(...splitter.push(chunk));
    items.push(...splitter.finish());
  });
  return { items, end, fields: splitter.fields };
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Every chunk boundary is tried: the list in two parts, cut behind each of its bytes. */
export const listSplitter = fuzzTarget({
  name: 'list-splitter',
  share: 0.4,
  inputs: fc.tuple(damaged(listText), fc.option(fc.integer({ min: 4, max: 300 }))),
  check: ([bytes, limit]) => {
    const whole = split([bytes]);
    const expected = parsedObject(bytes.toString('utf8'));
    if (!expected) assert.ok('error' in whole.end, 'a body that is not a JSON object was accepted');
    else {
      const { items, ...fields } = expected;
      assert.deepStrictEqual(comparable(whole.end), { value: undefined });
      assert.deepStrictEqual(whole.items, Array.isArray(items) ? items : []);
      assert.deepStrictEqual({ ...whole.fields }, Array.isArray(items) ? fields : expected);
    }
    const cuts = bytes.length <= 120 ? bytes.length : 0;
    for (let at = 1; at < cuts; at++) {
      const parts = split([bytes.subarray(0, at), bytes.subarray(at)]);
      assert.deepStrictEqual(comparable(parts.end), comparable(whole.end));
      if ('value' in whole.end) assert.deepStrictEqual(parts.items, whole.items);
    }
    if (limit === null) return;
    const limited = split([bytes], limit);
    if ('error' in limited.end && isOversized(limited.end.error)) return;
    assert.deepStrictEqual(comparable(limited.end), comparable(whole.end));
  },
});

/** A list as a server writes it: the kind first, and objects as items. */
const serverList = fc
  .tuple(fc.constantFrom('PodList', 'ThingList', 'Table', 'Status', 'List'), fc.array(itemText, { maxLength: 5 }), gap)
  .map(([kind, items, space]) => {
    const list = kind === 'Table' ? 'rows' : 'items';
    const columns = kind === 'Table' ? '"columnDefinitions":[{"name":"Name","format":"name"}],' : '';
    return `{"kind":"${kind}","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},${columns}"${list}":[${items.join(`,${space}`)}]}`;
  });

export const listBodies = fuzzTarget({
  name: 'list-bodies',
  inputs: fc.tuple(damaged(fc.oneof(serverList, listText)), chunkLengths, fc.boolean(), fc.boolean(), fc.boolean()),
  check: async ([bytes, lengths, table, dropManagedFields, isCustom]) => {
    const gvr = { group: isCustom ? 'example.com' : '', version: 'v1', resource: 'things' };
    const read = (chunks: readonly Buffer[]) =>
      settled(() => readList<object>(body(chunks), { gvr, table, dropManagedFields }));
    const whole = await read([bytes]);
    assert.deepStrictEqual(comparable(await read(chunksOf(bytes, lengths))), comparable(whole));
    if ('error' in whole) return;
    const expected = parsedObject(bytes.toString('utf8'));
    assert.ok(expected, 'a body that is not a JSON object was accepted');
    const list = expected.items ?? expected.rows;
    if (!table) assert.equal(whole.value.items.length, Array.isArray(list) ? list.length : 0);
    if (!dropManagedFields) return;
    for (const item of whole.value.items)
      assert.equal((item as { metadata?: { managedFields?: unknown } | null }).metadata?.managedFields, undefined);
  },
});

async function* body(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
