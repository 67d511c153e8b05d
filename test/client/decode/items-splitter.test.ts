import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemsSplitter } from '../../../src/client/decode/items-splitter.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { cut } from '../../support/scripted-bytes.ts';

function split(text: string, lengths: readonly number[], keys?: string[]) {
  const splitter = new ItemsSplitter<unknown>(keys ? { keys } : {});
  const items = cut(text, lengths).flatMap((chunk) => splitter.push(chunk));
  items.push(...splitter.finish());
  return { items, fields: splitter.fields, arrayKey: splitter.arrayKey };
}

const chunking = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const list = fc.record({
  kind: fc.string(),
  metadata: fc.dictionary(fc.string(), fc.jsonValue()),
  items: fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 }),
  extra: fc.jsonValue(),
});

describe('ItemsSplitter', () => {
  it('gives what JSON.parse gives, for any chunks, whitespace and order of keys', () => {
    const order = fc.shuffledSubarray(['kind', 'metadata', 'items', 'extra'] as const, { minLength: 4 });
    fc.assert(
      fc.property(list, order, fc.constantFrom(undefined, 1, '\t'), chunking, (value, keys, indent, lengths) => {
        const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, value[key]])), null, indent);
        const { items, fields } = split(text, lengths);
        const { items: expected, ...rest } = parseJson(text) as { items: unknown[] };
        expect(items).toEqual(expected);
        expect(fields).toEqual(rest);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '{"items":[{"a":"é\\"}]\\\\"}]}',
    '{"a":"\\\\","items":["]","\\"",[[],{}],-1.5e3,true,null]}',
    ' { "items" : [ ] } \n',
  ])('reads %s one byte at a time', (text) => {
    expect(split(text, [1]).items).toEqual(JSON.parse(text).items);
  });

  it('returns items with the chunk that completes them', () => {
    const splitter = new ItemsSplitter();
    expect(splitter.push(Buffer.from('{"kind":"PodList","items":[{"n":1},{"n":2},{"n"'))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(splitter.fields).toEqual({ kind: 'PodList' });
    expect(splitter.push(Buffer.from(':3}]}'))).toEqual([{ n: 3 }]);
  });

  it('returns an item when the next similar one begins, and the last one at the end', () => {
    const splitter = new ItemsSplitter();
    const item = (n: number) => `{"metadata":{"n":${n}}}`;
    expect(splitter.push(Buffer.from(`{"items":[${item(1)},${item(2)}`))).toHaveLength(1);
    expect(splitter.push(Buffer.from(`,${item(3)}`))).toEqual([JSON.parse(item(2))]);
    expect(splitter.push(Buffer.from(']}'))).toEqual([]);
    expect(splitter.finish()).toEqual([JSON.parse(item(3))]);
  });

  it('reads items that are null, and a field `items` in an item', () => {
    expect(split('{"items":null}', [3])).toEqual({ items: [], fields: { items: null }, arrayKey: undefined });
    expect(split('{"items":[{"items":[1]}]}', [3]).items).toEqual([{ items: [1] }]);
    expect(split('{"metadata":{"items":[1]},"items":[]}', [3]).fields).toEqual({ metadata: { items: [1] } });
  });

  it('splits the given keys and names the one that arrived', () => {
    expect(split('{"rows":[{"cells":[1]}],"kind":"Table"}', [5], ['items', 'rows'])).toEqual({
      items: [{ cells: [1] }],
      fields: { kind: 'Table' },
      arrayKey: 'rows',
    });
  });

  it('never gives a cut body as a list', () => {
    fc.assert(
      fc.property(
        list,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        chunking,
        (value, share, lengths) => {
          const whole = Buffer.from(JSON.stringify(value));
          const part = whole.subarray(0, Math.floor(whole.length * share)).toString('latin1');
          expect(() => split(part, lengths)).toThrow(/^broken JSON at byte \d+ of the response/);
        },
      ),
    );
  });

  it.each([
    ['<html>', 0],
    ['[]', 0],
    ['{"items":[{} {}]}', 13],
    ['{"items":[1,]}', 12],
    ['{"items":[,1]}', 10],
    ['{"items":[{"a":tru}]}', 10],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{"items":[]}x', 12],
    ['{"items":[]]}', 11],
    ['{"a":}', 5],
    ['', 0],
  ])('refuses %s and names byte %i', (text, offset) => {
    for (const length of [1, 3, 100]) {
      const error = thrownBy(() => split(text, [length]));
      expect(isInformerError(error, 'decode')).toBe(true);
      expect((error as Error).message).toContain(`at byte ${offset} `);
    }
  });

  it.each([
    ['{"items":[]}x', 'unexpected "x"'],
    ['{"items":[]}!', 'unexpected "!"'],
    ['{"items":[]}~', 'unexpected "~"'],
    ['{"items":[]}\u007f', 'unexpected byte 0x7f'],
    ['{"items":[]}\u0001', 'unexpected byte 0x01'],
    ['{"items":[]}é', 'unexpected byte 0xc3'],
  ])('names an unexpected byte by its character if it can be read, else by its number: %j', (text, named) => {
    expect((thrownBy(() => split(text, [100])) as Error).message).toContain(named);
  });

  it('quotes no part of the bytes that it could not read', () => {
    const error = thrownBy(() => split('{"items":[{"password":hunter2}]}', [100])) as Error;
    expect(error.message).not.toContain('hunter2');
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
