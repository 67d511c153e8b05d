import { describe, expect, it } from 'vitest';
import { InformerError } from '../../../src/kit/error.ts';
import { compile } from '../../support/cel.ts';

const MESSAGE = 'it needs more than 1000000 steps for an object of this size';
const numbers = (length: number) => Array.from({ length }, (_, i) => i);

describe('an expression that would need too much time or memory for an object fails', () => {
  it.each<[string, string, object]>([
    ['loops in loops', 'object.a.all(x, object.a.all(y, x + y >= 0))', { a: numbers(2000) }],
    [
      'loops over the keys of a map',
      'object.a.all(x, object.m.exists(k, true))',
      { a: numbers(3000), m: Object.fromEntries(numbers(4000).map((n) => [`k${n}`, n])) },
    ],
    ['a pattern with many instructions', 'object.s.matches("(a{1,1000})$")', { s: 'a'.repeat(100_000) }],
    ['a pattern of the object', 'object.s.matches(object.p)', { s: 'a'.repeat(100_000), p: '(a{1,1000})$' }],
    ['a pattern that looks far ahead again and again', 'object.s.findAll("a(.*b)?") != []', { s: 'a'.repeat(30_000) }],
    ['the same, on wide characters', 'object.s.findAll("😀(.*b)?") != []', { s: `x${'😀'.repeat(20_000)}` }],
    ['many short matches', 'object.a.all(x, object.s.findAll("a") != [])', { a: numbers(100), s: 'a'.repeat(20_000) }],
    [
      'replacements that are large',
      'object.a.all(x, object.s.replace("a", object.s) != "")',
      { a: numbers(10), s: 'a'.repeat(4000) },
    ],
    [
      'joins of joins',
      'object.a.map(y, object.a.map(z, object.s).join("")).join("") != ""',
      { a: numbers(500), s: 'a'.repeat(1000) },
    ],
    ['a list doubled again and again', `[object.a]${'.map(v, v + v)'.repeat(40)} != []`, { a: [1] }],
    ['a text doubled again and again', `[object.s]${'.map(v, v + v)'.repeat(40)} != []`, { s: 'ab' }],
    [
      'a text read again and again',
      'object.a.all(x, object.s.contains("b"))',
      { a: numbers(10_000), s: `${'a'.repeat(30_000)}b` },
    ],
    ['items compared with all others', 'object.a.distinct() != []', { a: numbers(20_000) }],
    [
      'items searched in a list',
      'object.a.all(x, !(x in object.b))',
      { a: numbers(10_000), b: numbers(10_000).map(String) },
    ],
    [
      'large values compared',
      'object.a.all(x, object.b == object.c)',
      { a: numbers(10_000), b: numbers(10_000), c: numbers(10_000) },
    ],
    ['lists whose order is checked', 'object.a.all(x, object.a.isSorted())', { a: numbers(10_000) }],
    [
      'JSON that is parsed',
      'object.a.all(x, bytes(object.s).json().size() > 0)',
      { a: numbers(10_000), s: JSON.stringify(numbers(1000)) },
    ],
  ])('%s', (_, source, object) => {
    const answer = compile(source).test({ object });
    expect(answer).toBeInstanceOf(InformerError);
    expect((answer as InformerError).message).toContain(MESSAGE);
  });

  it('a value that has the same part in it more often than there is memory for', () => {
    const nested = `[object.a]${'.map(v, [v, v])'.repeat(60)}`;
    expect(() => compile(nested).evaluate({ object: { a: 1 } })).toThrow(MESSAGE);
    expect(() => compile(`"%s".format([${nested}])`).evaluate({ object: { a: 1 } })).toThrow(MESSAGE);
  });
});

it('each evaluation has the whole limit', () => {
  const program = compile('object.a.all(x, object.a.all(y, x + y >= 0))');
  const object = { a: numbers(900) };
  expect([1, 2, 3].map(() => program.test({ object }))).toEqual([true, true, true]);
});

it('common conditions on a large object need far less than the limit', () => {
  const text = 'password'.repeat(130_000);
  expect(compile('object.s.matches("pass(word|phrase)x")').test({ object: { s: text } })).toBe(false);
  const containers = numbers(1000).map((n) => ({ image: `registry.local/app-${n}:1.0.${n}` }));
  const source = 'object.c.all(c, c.image.matches("^[a-z./0-9-]+:[0-9.]+$") && !c.image.endsWith(":latest"))';
  expect(compile(source).test({ object: { c: containers } })).toBe(true);
});
