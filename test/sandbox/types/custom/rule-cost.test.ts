import { describe, expect, it } from 'vitest';
import { causesOf, THINGS, useThings } from '../../../support/custom-things.ts';
import { ask } from '../../../support/sandbox-requests.ts';

const things = useThings();

describe('a rule that would need too much time or memory', () => {
  const list = { type: 'array', items: { type: 'integer' } };
  const numbers = Array.from({ length: 300 }, (_, i) => i);
  const many = Array.from({ length: 3000 }, (_, i) => i);

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
      'a slow pattern in a loop',
      'self.l.all(x, x.matches("(a{1,1000})$"))',
      { l: { type: 'array', items: { type: 'string' } } },
      { l: numbers.map(() => 'a'.repeat(6000)) },
    ],
    ['searches in lists', 'self.b.all(x, !(x + 5000 in self.b))', { b: list }, { b: many }],
    ['lists compared', 'self.b.all(x, self.b == self.c)', { b: list, c: list }, { b: many, c: many }],
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
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  it('does not affect the next one: each evaluation has the whole limit', async () => {
    things.serve({ a: list }, { 'x-kubernetes-validations': [{ rule: 'self.a.all(x, self.a.all(y, x + y >= 0))' }] });
    for (let i = 0; i < 12; i++) expect((await things.post({ a: numbers }, `a${i}`)).status).toBe(201);
    expect(causesOf(await things.post({ a: [...numbers, -400] }, 'b'))).toHaveLength(1);
  });
});

describe('the rules of one object', () => {
  const digits = '[1, 2, 3, 4, 5, 6, 7, 8, 9]';
  const loops = `${digits}.all(x, ${digits}.all(y, ${digits}.all(z, x + y + z + self > 0)))`;

  it('together have a limit too: beyond it no further rule is evaluated, as on the real server', async () => {
    const items = { type: 'integer', 'x-kubernetes-validations': [{ rule: loops }, { rule: 'self != 0' }] };
    things.serve({ a: { type: 'array', items } });
    const causes = causesOf(await things.post({ a: [0, ...Array(20_000).fill(1)] }));
    expect(causes).toEqual([
      'spec.a[0]: Invalid value: 0: failed rule: self != 0',
      expect.stringMatching(
        /^spec\.a\[\d+\]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run$/,
      ),
    ]);
    expect((await things.post({ a: Array(100).fill(1) })).status).toBe(201);
  });

  it('see a list of many items with keys as it was before, without a search for each', async () => {
    const items = {
      type: 'object',
      required: ['k'],
      properties: {
        k: { type: 'integer' },
        v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
      },
    };
    things.serve({
      l: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items },
    });
    const list = (v: number) => Array.from({ length: 20_000 }, (_, k) => ({ k, v }));
    expect((await things.post({ l: list(2) })).status).toBe(201);
    const { status, body } = await ask(things.sandbox, 'PATCH', `${THINGS}/a`, {
      spec: { l: [...list(3).slice(0, -1), { k: 19_999, v: 1 }] },
    });
    expect([status, causesOf({ body })]).toEqual([
      422,
      ['spec.l[19999].v: Invalid value: 1: failed rule: self >= oldSelf'],
    ]);
  });
});
