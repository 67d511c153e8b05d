import { describe, expect, it } from 'vitest';
import { jsonText, parseJson } from '../../src/kit/exact-json.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { sameValue } from '../../src/kit/same-value.ts';
import { applyDelta, deltaOf, type MapDelta } from '../../src/record/delta.ts';

type Fields = Record<string, unknown>;

/** The map after a difference that went through a file. */
const through = (before: Fields, after: Fields) =>
  applyDelta(before, parseJson(jsonText(deltaOf(before, after) ?? {})) as MapDelta);

describe('a difference', () => {
  it.each<[string, Fields, Fields, unknown]>([
    ['nothing', { a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, undefined],
    ['a member that is new', { a: 1 }, { a: 1, b: null }, { '+': { b: null } }],
    ['a member that is gone', { a: 1, b: 2 }, { a: 1 }, { '-': ['b'] }],
    ['a member within', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { '~': { a: { '+': { c: 3 } } } }],
    ['another kind of value', { a: { b: 1 } }, { a: [1] }, { '+': { a: [1] } }],
    ['an item at the end', { a: ['x'] }, { a: ['x', 'y'] }, { '~': { a: { l: [0, { v: 'y' }] } } }],
    [
      'an entry that a server moves to the end',
      {
        a: [
          { manager: 'x', time: 1, f: 1 },
          { manager: 'y', time: 1 },
        ],
      },
      {
        a: [
          { manager: 'y', time: 1 },
          { manager: 'x', time: 2, f: 1 },
        ],
      },
      { '~': { a: { l: [1, [0, { '+': { time: 2 } }]] } } },
    ],
    ['a shorter list', { a: ['x', 'y'] }, { a: ['y'] }, { '~': { a: { l: [1] } } }],
    ['numbers beyond 2^53', { a: 1n }, { a: 9007199254740993n }, { '+': { a: 9007199254740993n } }],
  ])('says %s', (_, before, after, delta) => {
    expect(deltaOf(before, after)).toEqual(delta);
    expect(through(before, after)).toEqual(after);
  });

  it('knows names that every map inherits, and shares what has not changed', () => {
    const before = parseJson('{"a":{"x":1},"constructor":1,"b":{}}') as Fields;
    const after = parseJson('{"a":{"x":1},"toString":{"__proto__":1},"b":{"__proto__":2,"toJSON":1}}') as Fields;
    expect(sameValue(through(before, after), after)).toBe(true);
    expect(through(before, after).a).toBe(before.a);
  });

  it('leads from any map to any other', () => {
    const random = seededRandom(3);
    for (let i = 0; i < 2_000; i++) {
      const before = mapOf(random, 3);
      const after = random() < 0.7 ? edited(random, before) : mapOf(random, 3);
      expect(through(before, after)).toEqual(after);
    }
  });
});

const NAMES = ['a', 'b', 'name', 'manager', 'type', 'toJSON', 'l', 'v', '+'];
const nameOf = (random: () => number) => NAMES[Math.floor(random() * NAMES.length)] as string;

function anyValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  if (kind === 4) return mapOf(random, depth - 1);
  if (kind === 5) return Array.from({ length: Math.floor(random() * 4) }, () => anyValue(random, depth - 1));
  return [null, Math.floor(random() * 3), 'x', true][kind];
}

function mapOf(random: () => number, depth: number): Fields {
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 5) }, () => [nameOf(random), anyValue(random, depth)]),
  );
}

function edited(random: () => number, value: Fields): Fields {
  const after = structuredClone(value);
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) {
      if (random() < 0.3) part.push(anyValue(random, 1));
      if (random() < 0.3) part.reverse();
      part.forEach(visit);
    } else if (typeof part === 'object' && part !== null) {
      const map = part as Fields;
      if (random() < 0.3) map[nameOf(random)] = anyValue(random, 1);
      if (random() < 0.2) delete map[nameOf(random)];
      Object.values(map).forEach(visit);
    }
  };
  visit(after);
  return after;
}
