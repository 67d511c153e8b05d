import { describe, expect, test } from 'vitest';
import type { JsonPathStep } from '../../../src/expr/jsonpath/ast.ts';
import { compileSteps } from '../../../src/expr/jsonpath/compile.ts';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { object } from '../../support/jsonpath.ts';

describe('what kubectl refuses while printing throws from print and is nothing to values', () => {
  test.each([
    ['{.spec.nums[9]}', 'array index out of bounds: index 9, length 5'],
    ['{.spec.nums[-7]}', 'array index out of bounds: index -2, length 5'],
    ['{.spec.empty[0]}', 'array index out of bounds: index 0, length 0'],
    ['{.spec.nums[3:1]}', 'starting index 3 is greater than ending index 1'],
    ['{.spec.n[0]}', 'number is not array or slice'],
    ['{[0]}', 'map is not array or slice'],
    ['{.spec.m[?(@.x)]}', 'map is not array or slice and cannot be filtered'],
    ['{.spec.list[?(@.x==1)].k}', 'invalid type for comparison'],
    ['{.spec.list[?(@.k==1)].k}', 'incompatible types for comparison'],
    ['{.spec.holes[?(@.l[*]==2)]}', 'can only compare one element at a time'],
  ])('%s', (template, problem) => {
    const path = compileJsonPath(template);
    expect(() => path.print(object)).toThrow(problem);
    expect(path.values(object)).toEqual([]);
  });

  test('a slice that reaches past the end throws from print and is cut by values', () => {
    const path = compileJsonPath('{.spec.nums[3:9]}');
    expect(() => path.print(object)).toThrow('array index out of bounds: index 8, length 5');
    expect(path.values(object)).toEqual([4, 5]);
  });
});

test.each<[string, JsonPathStep[], unknown[]]>([
  ['a missing field', [{ kind: 'field', name: 'nope' }], []],
  [
    'null',
    [
      { kind: 'field', name: 'spec' },
      { kind: 'field', name: 'nul' },
    ],
    [null],
  ],
  [
    'the items of null',
    [
      { kind: 'field', name: 'spec' },
      { kind: 'field', name: 'nul' },
      { kind: 'slice', step: 1, single: false },
    ],
    [],
  ],
  ['a literal', [{ kind: 'literal', value: 3 }], [3]],
])('%s is no error, strict or lenient', (_, steps, values) => {
  expect(compileSteps(steps, 'strict')(object)).toEqual(values);
  expect(compileSteps(steps, 'lenient')(object)).toEqual(values);
});

test('a search everywhere reaches objects of any depth', () => {
  let deep: object = { k: 'found' };
  for (let i = 0; i < 20_000; i++) deep = { child: deep };
  expect(compileSteps([{ kind: 'recurse' }, { kind: 'field', name: 'k' }], 'lenient')(deep)).toEqual(['found']);
});
