import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ColumnLists } from '../../../src/informer/compact/column-lists.ts';
import { fieldPartOf } from '../../../src/informer/compact/field-part.ts';
import { ObjectTexts } from '../../../src/informer/compact/object-text.ts';
import { HugeNumber, jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { cellsOf, type TableColumn, withCells } from '../../../src/model/cells.ts';
import { markReadIn } from '../../../src/model/gvr.ts';
import { withManagedFieldsText } from '../../../src/model/managed-fields-text.ts';

const fromServer = () => new ObjectTexts(() => true, new ColumnLists());
const fromAnywhere = () => new ObjectTexts(() => false, new ColumnLists());

/** The object after the way through its text; undefined if it stays an object. */
function roundTrip(texts: ObjectTexts, object: object): object | undefined {
  const text = texts.textOf(object);
  return text === undefined ? undefined : texts.objectOf(Buffer.from(text).toString('utf8'));
}

/** Any JSON with what is hard in it: any UTF-16, names that are special in JavaScript, numbers of any size. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'hasOwnProperty', '', '[', '\ue000', '\ue0000', '\u2028'),
);
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.bigInt().map(String),
  fc.constantFrom('-0', '0', '1e400', '-1E+999', '12345678901234567890', '0.1', '9007199254740993', '1e-400'),
);
const { value: anyJson } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    anyNumber,
    anyText.map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false', '{}', '[]'),
    fc.array(tie('value'), { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
    fc
      .array(fc.tuple(anyText, tie('value')), { maxLength: 4 })
      .map((parts) => `{${parts.map(([name, part]) => `${JSON.stringify(name)}:${part}`).join(',')}}`),
  ),
}));

describe('the head of a text', () => {
  const columns: readonly TableColumn[] = [{ name: 'Name', type: 'string', format: '', priority: 0 }];
  const headOf = (object: object) => {
    const texts = fromServer();
    return texts.headOf(Buffer.from(texts.textOf(object) as string));
  };

  it('has the cells and the time of creation, for any cells', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), fc.option(anyText, { nil: undefined }), (cells, created) => {
        const object = withCells({ metadata: { name: 'a', creationTimestamp: created } }, { columns, cells });
        const head = headOf(object);
        if (head) expect(head).toEqual({ creationTimestamp: created, cells: { columns, cells } });
        else expect(jsonText([created, cells])).toMatch(/\\|.{800}/);
      }),
      { numRuns: 500 },
    );
  });

  it('is not known of an object without a row, nor of one with long cells', () => {
    expect(headOf({ metadata: { name: 'a' } })).toBeUndefined();
    expect(headOf(withCells({ metadata: { name: 'a' } }, { columns, cells: ['ü'.repeat(2000)] }))).toBeUndefined();
  });
});

describe('the text of an object of a server', () => {
  it('is the same object again, for any JSON', () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        const object = parseJson(`{"metadata":{"name":"a"},"rest":${json}}`) as object;
        const again = roundTrip(fromServer(), object);
        expect(jsonText(again)).toBe(jsonText(object));
        // a zero has a sign in JavaScript alone
        if (!/-0(?![.\d])/.test(json)) expect(isDeepStrictEqual(again, object)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of any number of levels is the same object again, or there is none and the object stays', () => {
    for (const levels of [1_000, 5_000, 100_000]) {
      const json = `{"metadata":{},"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
      const text = fromServer().textOf(JSON.parse(json));
      expect([json, undefined]).toContain(text);
      if (levels === 1_000) expect(text).toBe(json);
    }
  });
});

describe('a part of a text', () => {
  const columns = (...names: string[]): TableColumn[] =>
    names.map((name) => ({ name, type: 'string', format: '', priority: 0 }));

  it('is read without the rest, from a row with its cells where they are asked for', () => {
    const texts = fromServer();
    const part = fieldPartOf([['spec', 'a']]);
    const object = { metadata: { name: 'web' }, spec: { a: [1], b: 2 }, status: { a: 3 } };
    for (let i = 0; i < 12; i++) {
      const row = { columns: columns(`Column-${i}`, 'Age'), cells: ['],["\\', { deep: [i] }] };
      const read = (from: object, hasCells: boolean) =>
        texts.partOf(Buffer.from(texts.textOf(from) as string), { part, hasCells });
      for (const hasCells of [false, true]) {
        expect([read(object, hasCells), cellsOf(read(object, hasCells))]).toEqual([{ spec: { a: [1] } }, undefined]);
        const ofRow = read(withCells({ ...object }, row), hasCells);
        expect([jsonText(ofRow), cellsOf(ofRow)]).toEqual(['{"spec":{"a":[1]}}', hasCells ? row : undefined]);
      }
    }
  });
});

describe('the bytes that an object was parsed from', () => {
  const bytes = Buffer.from('{ "metadata": {} }');

  it('are its text where a server sent it without a row, and it keeps no text of its managedFields', () => {
    expect(fromServer().textOf({ metadata: {} }, bytes)).toBe(bytes);
    expect(fromAnywhere().textOf({ metadata: {} }, bytes)).toBe('{"metadata":{}}');
    const row = withCells({ metadata: {} }, { columns: [], cells: [] });
    expect(fromServer().textOf(row, bytes)).toBe('[0,null,2,[],{"metadata":{}}]');
    const managed = withManagedFieldsText({ metadata: {} }, '[{"manager":"a"}]');
    expect(fromServer().textOf(managed, bytes)).toBe('{"metadata":{"managedFields":[{"manager":"a"}]}}');
  });
});

describe('an object of an API version that is retired now', () => {
  it('stays an object, which alone knows the version in which it came', () => {
    const object = { apiVersion: 'example.com/v1beta1', metadata: { name: 'web' } };
    expect(roundTrip(fromServer(), object)).toEqual(object);
    markReadIn(object, { group: 'example.com', version: 'v1beta1', resource: 'webs' });
    expect(fromServer().textOf(object)).toBeUndefined();
  });
});

describe('the text of an object that code has made', () => {
  it('is the same object again, for all that JSON can express', () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        const object = parseJson(`{"metadata":{"name":"a"},"rest":${json}}`) as object;
        const again = roundTrip(fromAnywhere(), object);
        if (again === undefined) expect(json).toMatch(/-0(?![.\d])|\d[eE]/);
        else expect(isDeepStrictEqual(again, object)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  class Quantity {
    value = 5;
  }
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each<[string, unknown]>([
    ['a Date', new Date(5)],
    ['an invalid Date', new Date(Number.NaN)],
    ['a Map', new Map([[1, 2]])],
    ['a Set', new Set([1])],
    ['bytes', new Uint8Array([1])],
    ['a Buffer', Buffer.from('a')],
    ['an instance of a class', new Quantity()],
    ['a number without an end', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
    ['minus zero', -0],
    ['a function', () => 5],
    ['a symbol', Symbol('a')],
    ['undefined in a list', [1, undefined]],
    ['a small bigint', 5n],
    ['a number beyond doubles', new HugeNumber('1e400')],
    ['a cycle', cyclic],
  ])('is not made of one with a part that JSON cannot express, however deep: %s', (_, part) => {
    expect(fromAnywhere().textOf({ metadata: {}, part })).toBeUndefined();
    expect(fromAnywhere().textOf({ metadata: {}, list: [{ deep: [part] }] })).toBeUndefined();
  });

  it('is not made of an instance of a class, also as it came from a source', () => {
    expect(fromServer().textOf(new Quantity())).toBeUndefined();
    expect(fromAnywhere().textOf(new Quantity())).toBeUndefined();
  });

  it('has large whole numbers in full', () => {
    const object = { metadata: {}, count: 12345678901234567890n };
    expect(roundTrip(fromAnywhere(), object)).toMatchObject(object);
  });

  it('leaves out a member that is undefined', () => {
    expect(roundTrip(fromAnywhere(), { metadata: {}, none: undefined })).toStrictEqual({ metadata: {} });
  });
});

describe('the cells of a table', () => {
  const column = (name: string): TableColumn => ({ name, type: 'string', format: '', priority: 0 });

  it('come back with the object, with the columns of its own table', () => {
    const texts = fromServer();
    const [one, two] = [[column('Name')], [column('Name'), column('Age')]];
    const rows = [
      withCells({ metadata: { name: 'a' } }, { columns: one, cells: ['a'] }),
      withCells({ metadata: { name: 'b' } }, { columns: two, cells: ['b', null] }),
      withCells({ metadata: { name: 'c' } }, { columns: [column('Name')], cells: [{ deep: [1, 'x'] }] }),
    ];
    const made = rows.map((row) => texts.textOf(row) as string);
    for (const [i, text] of made.entries()) {
      const again = texts.objectOf(text);
      expect(again).toStrictEqual(rows[i]);
      expect(cellsOf(again)).toEqual(cellsOf(rows[i] as object));
    }
    expect(cellsOf(texts.objectOf(made[2] as string))?.columns, 'equal columns are kept once').toBe(one);
  });

  it('that JSON cannot express keep the object as it is', () => {
    const row = withCells({ metadata: {} }, { columns: [column('Age')], cells: [new Date(5)] });
    expect(fromServer().textOf(row)).toBeUndefined();
  });
});

it('the status of a row is found without a look at what is before it', () => {
  const part = fieldPartOf([['status', 'b']]);
  const text = Buffer.from('[0,null,4,[1,2],{"a":[[[,"status":{"b":1}}]');
  expect(fromServer().partOf(text, { part, hasCells: false })).toEqual({ status: { b: 1 } });
});
