import { expect, test } from 'vitest';
import type { JsonPathStep } from '../../../src/expr/jsonpath/ast.ts';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { failAt, PathParser } from '../../../src/expr/jsonpath/path-parser.ts';

const bare = (text: string) => new PathParser(text, 0, text.length).bare();
const field = (name: string): JsonPathStep => ({ kind: 'field', name });

test.each<[string, JsonPathStep[]]>([
  ['.a.b', [field('a'), field('b')]],
  ['a.b', [field('a'), field('b')]],
  ['.a\\.b', [field('a.b')]],
  ['.*', [{ kind: 'wildcard' }]],
  ['..a', [{ kind: 'recurse' }, field('a')]],
  ["['a']", [field('a')]],
  ["['a.b']", [{ kind: 'key', path: [field('a'), field('b')], literal: 'a.b' }]],
  ["['a','b']", [{ kind: 'union', members: [[field('a')], [field('b')]] }]],
  ['[*]', [{ kind: 'slice', step: 1, single: false }]],
  ['[2]', [{ kind: 'slice', start: 2, step: 1, single: true }]],
  ['[-1]', [{ kind: 'slice', start: -1, step: 1, single: true }]],
  ['[1:5:2]', [{ kind: 'slice', start: 1, end: 5, step: 2, single: false }]],
  ['[:3]', [{ kind: 'slice', end: 3, step: 1, single: false }]],
  [
    '[type=Ready,n="a b"]',
    [
      {
        kind: 'item',
        fields: [
          ['type', 'Ready'],
          ['n', 'a b'],
        ],
      },
    ],
  ],
  ['[?(@.a)]', [{ kind: 'filter', anyOf: [[{ left: [field('a')] }]] }]],
  [
    '[?(@.a==1 && @.b || @.c!="x")]',
    [
      {
        kind: 'filter',
        anyOf: [
          [{ left: [field('a')], comparator: '==', right: [{ kind: 'literal', value: 1 }] }, { left: [field('b')] }],
          [{ left: [field('c')], comparator: '!=', right: [{ kind: 'literal', value: 'x' }] }],
        ],
      },
    ],
  ],
  [
    '[?(@.a==9007199254740993)]',
    [
      {
        kind: 'filter',
        anyOf: [[{ left: [field('a')], comparator: '==', right: [{ kind: 'literal', value: 9007199254740993n }] }]],
      },
    ],
  ],
])('%s', (text, steps) => {
  expect(bare(text)).toEqual(steps);
});

test('an action ends after its brace', () => {
  const parser = new PathParser('x{.a}y', 2, 6);
  expect(parser.action()).toEqual([field('a')]);
  expect(parser.at).toBe(5);
});

test('a fault names the text, the problem and the position', () => {
  expect(() => failAt('{.a', 3, 'unclosed action', 'close it')).toThrow(
    expect.objectContaining({
      code: 'argument',
      message: 'error parsing jsonpath {.a, unclosed action at position 3',
      hint: 'close it',
    }),
  );
});

test.each([
  ['{.a', 'each { [ ( and quote needs its end, as in {.items[?(@.kind=="Pod")].metadata.name}'],
  ['{.a[}', 'each { [ ( and quote needs its end, as in {.items[?(@.kind=="Pod")].metadata.name}'],
  ['{"a}', 'each { [ ( and quote needs its end, as in {.items[?(@.kind=="Pod")].metadata.name}'],
  ['{.a[1:2:3:4]}', 'for example {.metadata.name}, or {.spec.containers[0].image}'],
  ['{end}', 'for example {.metadata.name}, or {.spec.containers[0].image}'],
  ['{.a[?(@.x=1)]}', 'use one of == != <= >= < >'],
])('%s is refused with a next step', (template, hint) => {
  expect(() => compileJsonPath(template)).toThrow(expect.objectContaining({ hint }));
});
