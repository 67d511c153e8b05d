import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfValue, fieldPartOf, picked, pickedFrom } from '../../../src/informer/compact/field-part.ts';
import { jsonText, parseJson } from '../../../src/kit/exact-json.ts';
import { type Address, EACH } from '../../../src/model/field-path.ts';

const NAMES = ['a', 'b', 'status', 'a"b', 'c\\', 'é', '__proto__', '1', ''];
const key = fc.oneof(fc.constantFrom(...NAMES), fc.string());
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -1.5e-7, 9007199254740993n, '', '"', '\\', '}{][,:', 'é\u2028😀'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const address = fc.array(fc.oneof(fc.constantFrom(...NAMES), fc.constant(EACH)), { minLength: 1, maxLength: 4 });

/** With blanks where JSON may have them. */
const spaced = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|([{}[\],:])/g, (all, quoted) => quoted ?? ` ${all}\n`);
/** With names and texts written as escapes. */
const escaped = (text: string) => text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);

describe('the part of a JSON text', () => {
  it('is that of the parsed value, also with blanks, escapes and large numbers', () => {
    fc.assert(
      fc.property(value, fc.array(address as fc.Arbitrary<Address>, { maxLength: 4 }), (json, addresses) => {
        const part = fieldPartOf(addresses);
        const text = jsonText(json);
        const strings = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) =>
          quoted.includes('\\') ? quoted : escaped(quoted),
        );
        for (const each of [text, spaced(text).trimStart(), spaced(text), strings]) {
          const bytes = Buffer.from(`[${each},"behind"]`);
          const expected = jsonText(picked(parseJson(each), part));
          expect(jsonText(picked(pickedFrom(bytes, 1, part), part))).toBe(expected);
        }
        const bytes = Buffer.from(`[${text},"behind"]`);
        const end = 1 + Buffer.byteLength(text);
        expect(jsonText(picked(pickedFrom(bytes, 1, part, end), part))).toBe(jsonText(picked(json, part)));
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['{"kind":"Pod","a":{"status":{"b":1}},"status":{"b":2}}', { status: { b: 2 } }],
    ['{"kind":"Pod","status":{"b":2},"a":{"x":[1],"status":{"b":1}}}', { status: { b: 2 } }],
    ['{"kind":"Pod","x":",\\"status\\":{","status":{"b":2},"a":"\\",\\"status\\":1"}', { status: { b: 2 } }],
    ['{"kind":"Pod","a":{"x":1,"status":{"b":1}}}', {}],
    ['{"status":{"b":2},"a":{"x":1,"status":{"b":1}}}', { status: { b: 2 } }],
    ['{"kind":"Pod","status":{"a":1,"c":[{}]}}', { status: {} }],
  ])('of %s that is found from its end is a member of the map itself', (text, expected) => {
    const bytes = Buffer.from(`[1,${text}]`);
    expect(pickedFrom(bytes, 3, fieldPartOf([['status', 'b']]), bytes.length - 1)).toEqual(expected);
  });

  it.each<[string, Address[], unknown]>([
    ['{"a":[[[,"status":{"b":2}}', [['status', 'b']], { status: { b: 2 } }],
    ['{"a":[[[,"status":{"b":2,"c":3},"x":1,"y":{"z":[1,{}]}}', [['status', 'b']], { status: { b: 2 } }],
    ['{"x":0,"a":1,"a":2}', [['a']], { a: 1 }],
    ['{"a":{"b":1,"b":2},"c":3}', [['a', 'b']], { a: { b: 1 } }],
    ['{"a":{"b":1,"b":2},"c":3}', [['a', 'b'], ['c']], { a: { b: 2 }, c: 3 }], // biome-ignore format: one row
  ])(
    'of %s, whose end is known, is found without a look at what is before its status, or behind its end',
    (text, addresses, expected) => {
      expect(pickedFrom(Buffer.from(text), 0, fieldPartOf(addresses), text.length)).toEqual(expected);
    },
  );

  it('has nothing more than that, also with blanks before each value', () => {
    const text = Buffer.from(' { "a" : { "b" : 1, "c" : 2 }, "d" : [ { "b" : 1, "c" : 2 } ], "e" : 3 }');
    const part = fieldPartOf([
      ['a', 'b'],
      ['d', EACH, 'c'],
    ]);
    expect(pickedFrom(text, 0, part)).toEqual({ a: { b: 1 }, d: [{ c: 2 }] });
  });

  it.each([
    ['{"a":1,"a":{"b":2}}', ['a', 'b'], { a: { b: 2 } }],
    ['{"a":{"b":1},"a":null}', ['a', 'b'], { a: null }],
    ['{"x":"{\\"a\\":1}","a":[{"b":1,"c":2},[],3]}', ['a', EACH, 'b'], { a: [{ b: 1 }, [], 3] }],
    ['{}', ['a'], {}],
    ['[]', ['a'], []],
  ])('of %s at %j is that of the last member of a name', (text, path, expected) => {
    expect(pickedFrom(Buffer.from(text), 0, fieldPartOf([path as Address]))).toEqual(expected);
  });
});

it.each<[string, unknown, Address[], unknown]>([
  ['the whole value of a field', { a: { b: 1, c: [2] }, d: 3 }, [['a']], { a: { b: 1, c: [2] } }],
  [
    'the part of each item of a list',
    { a: [{ b: 1, c: 2 }, { c: 3 }, 4] },
    [['a', EACH, 'b']],
    { a: [{ b: 1 }, {}, 4] },
  ],
  [
    'the part of each member of a map',
    { a: { x: { b: 1, c: 2 }, y: 3 } },
    [['a', EACH, 'b']],
    { a: { x: { b: 1 }, y: 3 } },
  ],
  ['a list without a part of its items as it is', { a: [{ c: 3 }] }, [['a', 'b']], { a: [{ c: 3 }] }],
  [
    'the status beside another field',
    { a: 1, status: { b: 2, c: 3 } },
    [['a'], ['status', 'b']],
    { a: 1, status: { b: 2 } },
  ],
  [
    'all of a member that an address names, and that is one of each',
    { x: { c: 1, d: 2 }, status: { b: 2, c: 3 } },
    [['status', 'b'], [EACH, 'c']], // biome-ignore format: one row
    { x: { c: 1 }, status: { b: 2, c: 3 } },
  ],
  ['the status before another field', { a: 1, status: { b: 2 } }, [['status', 'b'], ['a']], { a: 1, status: { b: 2 } }], // biome-ignore format: one row
  ['a field beside a status', { a: { b: 1 }, status: { b: 2 } }, [['a', 'b']], { a: { b: 1 } }],
  ['what two addresses name of each item', { a: [{ b: 1, c: 2, d: 3 }] }, [['a', EACH, 'b'], ['a', EACH, 'c']], { a: [{ b: 1, c: 2 }] }], // biome-ignore format: one row
  ['all of an object that is named itself', { a: 1, status: { b: 2 } }, [['status', 'b'], []], { a: 1, status: { b: 2 } }], // biome-ignore format: one row
  ['what two addresses name together', { a: { b: 1, c: 2, d: 3 } }, [['a', 'b'], ['a', 'c']], { a: { b: 1, c: 2 } }], // biome-ignore format: one row
])('of an object is picked: %s', (_, object, addresses, expected) => {
  expect(picked(object, fieldPartOf(addresses))).toEqual(expected);
  const text = Buffer.from(jsonText(object));
  for (const end of [undefined, text.length])
    expect(pickedFrom(text, 0, fieldPartOf(addresses), end)).toEqual(expected);
});

it('a member with the name __proto__ is one like others, and the last of a name counts', () => {
  const part = fieldPartOf([['__proto__', 'a'], ['b']]);
  const text = '{"__proto__":{"a":1},"b":1,"__proto__":{"a":2,"c":3},"b":2}';
  expect(jsonText(pickedFrom(Buffer.from(text), 0, part))).toBe('{"__proto__":{"a":2},"b":2}');
  expect(jsonText(picked(parseJson(text), part))).toBe('{"__proto__":{"a":2},"b":2}');
});

it('a value ends before what is behind it', () => {
  fc.assert(
    fc.property(value, (json) => {
      const text = Buffer.from(jsonText(json));
      for (const behind of [',1', ']', '}', ''])
        expect(endOfValue(Buffer.concat([text, Buffer.from(behind)]), 0)).toBe(text.length);
    }),
  );
});
