import fc from 'fast-check';

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

/** A text of tokens of CEL in any order: few are valid. */
export const anyExpression: fc.Arbitrary<string> = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(' '));

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
/** An expression that is composed from valid parts. */
export const composedExpression: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
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
})).expression;

/** Objects with values of every type in the fields that the expressions read. */
export const OBJECTS: unknown[] = [
  { a: { b: [1, 2, { a: 'x' }] }, b: 'text', c: null },
  { a: [{ a: 1 }, { b: 2 }], b: 0.5, c: { a: 'x' } },
  { a: '5m', b: true },
  {},
];
