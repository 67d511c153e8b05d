import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { InformerError, isInformerError } from '../../../src/kit/error.ts';
import { anyExpression, composedExpression, OBJECTS } from './random-expressions.ts';

test('any text is refused with an InformerError, or gives true, false or an InformerError, and never throws', () => {
  fc.assert(
    fc.property(anyExpression, (source) => {
      const program = compiled(source);
      if (!program) return;
      for (const object of OBJECTS) {
        const answer = program.test({ object, oldObject: null, event: 'ADDED', now: new Date(0) });
        expect(typeof answer === 'boolean' || answer instanceof InformerError).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});

test('an expression that is composed from valid parts never throws', () => {
  let evaluated = 0;
  fc.assert(
    fc.property(composedExpression, (source) => {
      const program = compiled(source);
      if (!program) return;
      for (const object of OBJECTS) {
        const answer = program.test({ object, oldObject: null, event: 'ADDED', now: new Date(0) });
        expect(typeof answer === 'boolean' || answer instanceof InformerError).toBe(true);
        if (typeof answer === 'boolean') evaluated++;
      }
    }),
    { numRuns: 2000 },
  );
  expect(evaluated).toBeGreaterThan(500);
});

function compiled(source: string) {
  try {
    return compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
  } catch (error) {
    if (isInformerError(error, 'argument')) return undefined;
    throw error;
  }
}
