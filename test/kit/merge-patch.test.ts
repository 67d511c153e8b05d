import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatchOf } from '../../src/kit/merge-patch.ts';
import { sameValue } from '../../src/kit/same-value.ts';

describe('the merge patch from one map to another', () => {
  it.each<[string, object, object, object | undefined]>([
    ['nothing', { a: { b: [1] } }, { a: { b: [1] } }, undefined],
    ['only what differs', { a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1, c: 4 }, d: 3 }, { a: { c: 4 } }],
    ['null for what is removed, or undefined', { a: 1, b: 2 }, { b: undefined }, { a: null, b: null }],
    ['what is new', {}, { a: { b: 1 } }, { a: { b: 1 } }],
    ['a list as a whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['a map in place of a list, and the other way round', { a: [1], b: {} }, { a: {}, b: [] }, { a: {}, b: [] }],
    ['exact numbers', { a: 2n ** 60n }, { a: 2n ** 60n + 1n }, { a: 2n ** 60n + 1n }],
  ])('contains %s', (_, before, after, patch) => {
    expect(mergePatchOf(before, after)).toEqual(patch);
  });

  it('has a member named __proto__', () => {
    const after = JSON.parse('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(mergePatchOf({}, after))).toBe('{"__proto__":{"a":1}}');
  });

  it('gives the second map, if it is applied to the first, for maps without null', () => {
    const map = fc.object({ withNullPrototype: false, values: [fc.integer(), fc.string(), fc.boolean()], maxDepth: 3 });
    fc.assert(
      fc.property(map, map, (before, after) => {
        const patch = mergePatchOf(before, after);
        expect(sameValue(applied(before, patch ?? {}), after)).toBe(true);
        expect(patch === undefined).toBe(sameValue(before, after));
      }),
    );
  });
});

/** RFC 7386, as its text has it. */
function applied(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else {
      const inner = applied(Object.hasOwn(result, name) ? result[name] : undefined, value);
      Object.defineProperty(result, name, { value: inner, writable: true, enumerable: true, configurable: true });
    }
  }
  return result;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
