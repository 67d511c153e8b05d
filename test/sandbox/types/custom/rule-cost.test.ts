import { describe, expect, it } from 'vitest';
import { causesOf, useThings } from '../../../support/custom-things.ts';

const things = useThings();

describe('a rule that would need too much time or memory', () => {
  const list = { type: 'array', items: { type: 'integer' } };
  const numbers = Array.from({ length: 300 }, (_, i) => i);

  it.each<[string, string, object, object]>([
    ['loops in loops', 'self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0)))', { a: list }, { a: numbers }],
    [
      'loops that continue after an error',
      'self.a.exists(x, self.a.exists(y, self.a.exists(z, x / 0 > z)))',
      { a: list },
      { a: numbers },
    ],
    [
      'a loop over many keys',
      'self.m.all(k, self.m.all(l, self.m.all(n, k != "")))',
      { m: { type: 'object', additionalProperties: { type: 'integer' } } },
      { m: Object.fromEntries(numbers.map((n) => [`k${n}`, n])) },
    ],
    ['lists made in loops', 'self.a.map(x, self.a.map(y, self.a.map(z, z))).size() > 0', { a: list }, { a: numbers }],
    [
      'texts joined',
      'self.a.map(x, self.s).join("").size() > 0',
      { a: list, s: { type: 'string' } },
      { a: numbers, s: 'x'.repeat(1_000_000) },
    ],
    [
      'a text doubled again and again',
      `${'cel.bind(v, v + v, '.repeat(40).replace('v + v', 'self.s + self.s')}v.size() > 0${')'.repeat(40)}`,
      { s: { type: 'string' } },
      { s: 'x' },
    ],
    [
      'a list doubled again and again',
      `${'cel.bind(v, v + v, '.repeat(40).replace('v + v', 'self.a + self.a')}v.size() > 0${')'.repeat(40)}`,
      { a: list },
      { a: [1] },
    ],
  ])('%s: is refused by its cost, as the real server does', async (_, rule, properties, spec) => {
    things.serve(properties, { 'x-kubernetes-validations': [{ rule }] });
    expect(causesOf(await things.post(spec))).toEqual([
      `spec: Invalid value: "object": call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  it('does not affect the next one: each evaluation has the whole limit', async () => {
    things.serve({ a: list }, { 'x-kubernetes-validations': [{ rule: 'self.a.all(x, self.a.all(y, x + y >= 0))' }] });
    for (let i = 0; i < 12; i++) expect((await things.post({ a: numbers }, `a${i}`)).status).toBe(201);
    expect(causesOf(await things.post({ a: [...numbers, -400] }, 'b'))).toHaveLength(1);
  });
});
