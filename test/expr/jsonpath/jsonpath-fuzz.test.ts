import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonPath, type JsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { anyTemplate } from './random-templates.ts';

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
    fc.property(anyTemplate, (text) => void compiled(text)),
    { numRuns: 3000 },
  );
});

test('a compiled path never throws from values, and from print only as an invalid argument', () => {
  fc.assert(
    fc.property(anyTemplate, fc.jsonValue(), (text, object) => {
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
