import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { InformerError, isInformerError } from '../../../src/kit/error.ts';

const token = fc.constantFrom(
  ...[
    'object',
    'oldObject',
    'now',
    'event',
    '.a',
    '.b',
    '.?c',
    '[0]',
    '["a"]',
    '[?1]',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '?',
    '!',
    '-',
  ],
  ...[
    '==',
    '!=',
    '<',
    '>=',
    'in',
    '&&',
    '||',
    '+',
    '*',
    '/',
    '%',
    '1',
    '2.5',
    '3u',
    '"x"',
    "'5m'",
    'r"\\d"',
    'b"z"',
    'null',
    'true',
    'false',
  ],
  ...[
    '.exists(x, x == 1)',
    '.all(x, x)',
    '.map(x, x.a)',
    '.filter(x, has(x.a))',
    'has(object.a)',
    'size(',
    '.size()',
    'duration("5m")',
    'timestamp(',
  ],
  ...[
    '.matches("a+")',
    '.find(',
    'quantity("1Gi")',
    '.orValue(1)',
    'cel.bind(y, 1, y + 1)',
    '.sum()',
    '.max()',
    'int(',
    'string(',
    'type(',
    'and',
    '=',
    '"',
  ],
);

const VALUES: unknown[] = [
  { a: { b: [1, 2, { a: 'x' }] }, b: 'text', c: null },
  { a: [{ a: 1 }, { b: 2 }], b: 0.5, c: { a: 'x' } },
  { a: '5m', b: true },
  {},
];

test('any text is refused with an InformerError, or gives true, false or an InformerError, and never throws', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const program = compiled(tokens.join(' '));
      if (!program) return;
      for (const object of VALUES) {
        const answer = program.test({ object, oldObject: null, event: 'ADDED', now: new Date(0) });
        expect(typeof answer === 'boolean' || answer instanceof InformerError).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});

test('an expression that is composed from valid parts never throws', () => {
  const leaf = fc.constantFrom(
    'object.a',
    'object.b',
    'object.c',
    'object.?a',
    'object["b"]',
    '1',
    '2.5',
    '"x"',
    'null',
    'now',
    'duration("1h")',
    '[1, 2]',
    'true',
    'event',
  );
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('==', '!=', '<', '>', '+', '-', '*', '/', '%', 'in', '&&', '||'),
          tie('expression'),
        )
        .map(([a, op, b]) => `(dyn(${a}) ${op} dyn(${b}))`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom(
            '.a',
            '.b[0]',
            '.size()',
            '.exists(x, x == 1)',
            '.map(x, x)',
            '.orValue(1)',
            '.startsWith("a")',
            '.sum()',
            '.matches("x")',
          ),
        )
        .map(([a, method]) => `dyn(${a})${method}`),
      fc
        .tuple(
          fc.constantFrom('!', '-', 'size', 'string', 'int', 'type', 'quantity', 'timestamp', 'duration'),
          tie('expression'),
        )
        .map(([call, a]) => `${call}(dyn(${a}))`),
    ),
  }));
  let evaluated = 0;
  fc.assert(
    fc.property(expression, (source) => {
      const program = compiled(source);
      if (!program) return;
      for (const object of VALUES) {
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
