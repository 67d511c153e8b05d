import { expect, it } from 'vitest';
import { environmentFor } from '../../../src/expr/cel/environment.ts';

const typeOf = (source: string, unlisted = false) => {
  const environment = environmentFor({ object: 'dyn', now: 'timestamp', size1: 'int' }, unlisted);
  const { valid, type } = environment.parse(source).check();
  return valid ? type : 'refused';
};

it.each([
  ['object.a', 'dyn'],
  ['now', 'google.protobuf.Timestamp'],
  ['now - now', 'google.protobuf.Duration'],
  ['size1 + 1.5', 'double'],
  ['1 == 1.0', 'bool'],
  ['quantity("1") < quantity("2")', 'bool'],
  ['ip("::1") == ip("::1")', 'bool'],
  ['sets.contains([1], [1])', 'bool'],
  ['["a"].indexOf("a")', 'int'],
  ['[1, "a"]', 'list'],
  ['other', 'refused'],
  ['size1 + "a"', 'refused'],
  ['now > 3', 'refused'],
])('%s has the type %s', (source, type) => {
  expect(typeOf(source)).toBe(type);
});

it('with unlisted, other names are variables too', () => {
  expect(typeOf('other', true)).toBe('dyn');
  expect(typeOf('other', false)).toBe('refused');
});
