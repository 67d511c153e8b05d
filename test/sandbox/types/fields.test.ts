import { describe, expect, it } from 'vitest';
import { isJsonMap } from '../../../src/kit/exact-json.ts';
import { appliedFieldsOf, compare, itemKey, partsOf } from '../../../src/sandbox/types/fields.ts';
import type { Shape } from '../../../src/sandbox/types/merge-rules.ts';

const byName: Shape = { keys: ['name'], items: { fields: { tags: { set: true } } } };
const shape: Shape = { fields: { list: byName, set: { set: true }, whole: { atomic: true } } };

it('takes JSON objects for field maps, and nothing else', () => {
  expect([{}, [], null, 'x', 5, undefined].map(isJsonMap)).toEqual([true, false, false, false, false, false]);
});

describe('the key of a list item', () => {
  it.each<[item: object, keys: string[], key: string]>([
    [{ name: 'a', x: 1 }, ['name'], '{"name":"a"}'],
    [{}, ['name'], '{"name":null}'],
    [{ port: 80, protocol: 'UDP' }, ['protocol', 'port'], '{"port":80,"protocol":"UDP"}'],
    [{ port: 80 }, ['port', 'protocol'], '{"port":80,"protocol":"TCP"}'],
  ])('of %j by %j is %s', (item, keys, key) => {
    expect(itemKey(item as Record<string, unknown>, keys)).toBe(key);
  });
});

describe('the parts of a value that can have different owners', () => {
  const keys = (value: unknown, of: Shape | undefined) => {
    const parts = partsOf(value, of);
    return parts && [...parts.keys()];
  };

  it('are fields, items by key, and values of a set', () => {
    expect(keys({ a: 1, b: 2 }, undefined)).toEqual(['f:a', 'f:b']);
    expect(keys([{ name: 'a' }, { name: 'b' }], byName)).toEqual(['k:{"name":"a"}', 'k:{"name":"b"}']);
    expect(keys(['a', 5], { set: true })).toEqual(['v:"a"', 'v:5']);
  });

  it('do not exist in a scalar, a list without keys, or an atomic map', () => {
    expect([keys('x', undefined), keys([1], undefined), keys({ a: 1 }, { atomic: true })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('comparing two states', () => {
  const paths = (before: object, after: object) => {
    const { changed, removed } = compare(before, after, shape);
    return { changed: changed.paths(), removed: removed.paths() };
  };

  it('finds fields that changed, that are new, and that are gone', () => {
    expect(paths({ a: 1, b: 1, c: 1 }, { a: 2, c: 1, d: { e: 1 } })).toEqual({
      changed: ['.a', '.d', '.d.e'],
      removed: ['.b'],
    });
  });

  it('compares list items by key, wherever they are in the list', () => {
    const before = { list: [{ name: 'a', v: 1 }, { name: 'b' }, { name: 'c' }] };
    const after = { list: [{ name: 'c' }, { name: 'a', v: 2 }, { name: 'd' }] };
    expect(paths(before, after)).toEqual({
      changed: ['.list[name="a"].v', '.list[name="d"]', '.list[name="d"].name'],
      removed: ['.list[name="b"]', '.list[name="b"].name'],
    });
  });

  it('compares the values of a set, and atomic values as a whole', () => {
    expect(paths({ set: ['a', 'b'] }, { set: ['b', 'c'] })).toEqual({
      changed: ['.set[="c"]'],
      removed: ['.set[="a"]'],
    });
    expect(paths({ whole: { a: 1 } }, { whole: { a: 1, b: 2 } })).toEqual({ changed: ['.whole'], removed: [] });
  });

  it('finds nothing in equal states', () => {
    expect(paths({ a: { b: [1] } }, { a: { b: [1] } })).toEqual({ changed: [], removed: [] });
  });
});

it('names the leaves and items of an applied configuration, not the maps around them', () => {
  const applied = {
    a: { b: 1, empty: {} },
    list: [{ name: 'x', tags: ['t'] }],
    set: ['s'],
    whole: { c: 1 },
    plain: [1],
  };
  expect(appliedFieldsOf(applied, shape).paths()).toEqual([
    '.a.b',
    '.a.empty',
    '.list[name="x"]',
    '.list[name="x"].name',
    '.list[name="x"].tags[="t"]',
    '.plain',
    '.set[="s"]',
    '.whole',
  ]);
});
