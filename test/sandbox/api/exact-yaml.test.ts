import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { expect, it } from 'vitest';
import { EXACT_DUMP_SCHEMA, EXACT_INT_11, EXACT_SCHEMA } from '../../../src/sandbox/api/exact-yaml.ts';

const YAML_11 = CORE_SCHEMA.withTags(EXACT_INT_11);

it.each([
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
  ['0o17', 15],
  ['1.5', 1.5],
  ['1e3', 1000],
  ['text', 'text'],
])('reads %s exactly', (text, value) => {
  expect(load(text, { schema: EXACT_SCHEMA })).toBe(value);
});

it('reads octal numbers of YAML 1.1 and large ones exactly', () => {
  expect(load('mode: 0644\nlarge: 9007199254740993', { schema: YAML_11 })).toEqual({
    mode: 0o644,
    large: 9_007_199_254_740_993n,
  });
});

it.each([
  ['12', "'12'\n"],
  ['0644', "'0644'\n"],
  ['0o17', "'0o17'\n"],
  ['1_000', "'1_000'\n"],
  [12, '12\n'],
  [9_007_199_254_740_993n, '9007199254740993\n'],
  ['plain', 'plain\n'],
])('writes %s as %j: a string that YAML 1.1 or 1.2 reads as a number is quoted', (value, text) => {
  expect(dump(value, { schema: EXACT_DUMP_SCHEMA })).toBe(text);
});
