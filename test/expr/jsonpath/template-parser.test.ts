import { describe, expect, test } from 'vitest';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { parseTemplate } from '../../../src/expr/jsonpath/template-parser.ts';
import { object } from '../../support/jsonpath.ts';

test('a template is text, values and ranges in order', () => {
  const name = (field: string) => ({ kind: 'print', path: [{ kind: 'field', name: field }] });
  const items = [
    { kind: 'field', name: 'items' },
    { kind: 'slice', step: 1, single: false },
  ];
  expect(parseTemplate('a{.b}c')).toEqual([{ kind: 'text', text: 'a' }, name('b'), { kind: 'text', text: 'c' }]);
  expect(parseTemplate('{range .items[*]}{.k}{"\\n"}{end}x')).toEqual([
    { kind: 'range', path: items, body: [name('k'), { kind: 'text', text: '\n' }] },
    { kind: 'text', text: 'x' },
  ]);
});

test('a range without an end reaches to the end of the template', () => {
  expect(parseTemplate('{range .a[*]}{.k}x')).toEqual(parseTemplate('{range .a[*]}{.k}x{end}'));
});

describe('what kubectl refuses while parsing is refused when compiled, with the position', () => {
  test.each([
    ['{.spec.list[0].k', 'unclosed action at position 16'],
    ['{.spec.list[0}', 'unterminated array at position 11'],
    ['{.spec.list[a]}', 'invalid array index a at position 12'],
    ['{.spec.nums[+1]}', 'invalid array index +1 at position 12'],
    ['{.spec.nums[-]}', 'invalid array index - at position 12'],
    ['{.spec.nums[1:2:0]}', 'step must be > 0 at position 12'],
    ['{.spec.list[?(@.n==1 % 2)]}', "unrecognized character in action: U+0025 '%' at position 21"],
    ['{.spec.list[?(@.k=~"a")]}', 'unrecognized filter operator =~ at position 17'],
    ['{.spec.list[?(@.k=="a"]}', "unrecognized character in action: U+005D ']' at position 22"],
    ['{.spec.list[?(@.k=="a")', 'unclosed array expect ] at position 23'],
    ['{.spec.list[?(@.k', 'unterminated filter at position 11'],
    ['{.spec.list[?(@.k==)]}', 'empty operand in filter at position 19'],
    ['a{end}', 'not in range, nothing to end at position 2'],
    ['a{foo}', 'unrecognized identifier foo at position 2'],
    ['{.a}{"b}', 'unterminated quoted string at position 5'],
    ['{.a\n}', 'unclosed action at position 3'],
    ['{.a....b}', 'invalid multiple recursive descent at position 5'],
    ['{.a #}', "unrecognized character in action: U+0023 '#' at position 4"],
  ])('%s', (template, problem) => {
    expect(() => compileJsonPath(template)).toThrow(`error parsing jsonpath ${template}, ${problem}`);
  });
});

describe('an expression without braces is read as one action', () => {
  test.each([
    '.metadata.name',
    'metadata.name',
    '{metadata.name}',
    '{.metadata.name}',
    "['metadata'].name",
    '@.metadata.name',
    ' .metadata.name',
  ])('%s', (text) => {
    expect(compileJsonPath(text).values(object)).toEqual(['cm']);
    expect(compileJsonPath(text).print(object)).toBe('cm');
  });
});
