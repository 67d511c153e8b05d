import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonPath, type JsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { isInformerError } from '../../../src/kit/error.ts';

const token = fc.constantFrom(
  ...[
    '{',
    '}',
    '.',
    '..',
    '*',
    '[',
    ']',
    '[*]',
    '[?(',
    ')]',
    '@',
    '$',
    '==',
    '!=',
    '<',
    '&&',
    '||',
    '(',
    ')',
    ',',
    ':',
    '-',
    '1',
    ' ',
    '\n',
  ],
  ...[
    'a',
    'items',
    'range ',
    '{end}',
    '{range .a[*]}',
    'true',
    "'",
    '"',
    '\\',
    '\\U',
    "['a.b','c']",
    '[0:2]',
    '[-1]',
    'é',
    '😀',
  ],
);
const template = fc.array(token, { maxLength: 14 }).map((tokens) => tokens.join(''));

function compiled(text: string): JsonPath | undefined {
  try {
    return compileJsonPath(text);
  } catch (error) {
    expect(isInformerError(error, 'argument')).toBe(true);
    return undefined;
  }
}

test('any text compiles, or is refused as an invalid argument', () => {
  fc.assert(
    fc.property(template, (text) => void compiled(text)),
    { numRuns: 3000 },
  );
});

test('a compiled path never throws from values, and from print only as an invalid argument', () => {
  fc.assert(
    fc.property(template, fc.jsonValue(), (text, object) => {
      const path = compiled(text);
      fc.pre(path !== undefined);
      path?.values({ a: object, items: [object] });
      try {
        path?.print({ a: object, items: [object] });
      } catch (error) {
        expect(isInformerError(error, 'argument')).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});
