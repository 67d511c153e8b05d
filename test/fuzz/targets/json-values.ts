import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findManagedFields, OF_OBJECT, splicedText, stringAt } from '../../../src/client/decode/managed-fields.ts';
import { decodeTrimmed } from '../../../src/client/decode/object-decoder.ts';
import { HugeNumber, jsonText, parseJson, parseManyJson } from '../../../src/kit/exact-json.ts';
import { objectText } from '../../client/decode/json-text.ts';
import { damaged, itemText, numberText, oddJson } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

type Json = { metadata?: unknown } | null;

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The value without the managed fields of its metadata, removed after parsing. */
function trimmed(value: unknown): unknown {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  if (typeof metadata === 'object' && metadata !== null) delete (metadata as { managedFields?: unknown }).managedFields;
  return value;
}

export const managedFields = fuzzTarget({
  name: 'managed-fields',
  inputs: damaged(fc.oneof(objectText, objectText, itemText)),
  check: (bytes) => {
    const expected = parsed(bytes.toString('utf8'));
    const cut = findManagedFields(bytes, OF_OBJECT);
    for (const key of ['name', 'kind', 'managedFields'])
      outcomeOf(() => stringAt(bytes.subarray(0, bytes.length - 1), [], key));
    const decoded = outcomeOf(() => decodeTrimmed<Json>(bytes, 0, OF_OBJECT));
    if (expected === undefined) return void assert.ok('error' in decoded, 'broken JSON was accepted');
    assert.ok('value' in decoded);
    assert.deepStrictEqual(trimmed(decoded.value), trimmed(expected));
    if (cut) assert.deepStrictEqual(trimmed(parseJson(splicedText(bytes, { cut }))), trimmed(expected));
  },
});

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** The value with exact numbers, from the source of each number that V8 gives. */
const exactly = (text: string) =>
  parseWith(text, (_, value, { source }) => (typeof value === 'number' ? numberFrom(source as string) : value));

function numberFrom(source: string): unknown {
  const value = Number(source);
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source);
  return Number.isFinite(value) ? value : new HugeNumber(source);
}

function assertSame(value: unknown, expected: unknown): void {
  assert.equal(dump(value), dump(expected));
}

/** All of a value as a text, with the class of each number. JSON of JavaScript has no -0. */
function dump(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof HugeNumber) return `huge ${value.text}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(dump).join()}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}:${dump(each)}`)
    .join()}}`;
}

export const exactNumbers = fuzzTarget({
  name: 'exact-numbers',
  inputs: damaged(
    fc.oneof(
      numberText,
      oddJson,
      fc.tuple(numberText, numberText).map(([a, b]) => `{"a":${a},"b":["${b}",${b}]}`),
      fc.tuple(numberText, numberText).map(([a, b]) => `[ ${a} ,\n${b}\t,"\\"${a}"]`),
    ),
  ),
  check: (bytes) => {
    const text = bytes.toString('utf8');
    let expected: unknown;
    try {
      expected = exactly(text);
    } catch {
      assert.throws(() => parseJson(text), SyntaxError);
      assert.throws(() => parseManyJson(Buffer.from(text), text), SyntaxError);
      return;
    }
    const value = parseJson(text);
    assertSame(value, expected);
    assert.equal(jsonText(parseJson(jsonText(value))), jsonText(value));
    // a field of this name takes the place of the one that lets JSON.stringify write bigints
    if (typeof value === 'object' && !text.includes('toJSON')) assert.doesNotThrow(() => JSON.stringify(value));
    if (!/\d[eE]/.test(text)) assertSame(parseManyJson(Buffer.from(text), text), expected);
  },
});
