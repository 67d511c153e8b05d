import { describe, expect, test } from 'vitest';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import { compileSameBut } from '../../../src/stream/changes/path-mask.ts';

const object = (rest: object, metadata: object = {}): UnknownObject => ({
  metadata: { name: 'a', ...metadata },
  ...rest,
});
const items = (...all: unknown[]) => object({ spec: { items: all } });

describe('two states are the same except in', () => {
  test.each<[string, UnknownObject, UnknownObject, boolean]>([
    ['.spec.replicas', object({ spec: { replicas: 1 } }), object({ spec: { replicas: 2 } }), true],
    ['spec.replicas', object({ spec: { replicas: 1 } }), object({ spec: { replicas: 2 } }), true],
    ['.spec.replicas', object({ spec: { replicas: 1, a: 1 } }), object({ spec: { replicas: 2, a: 2 } }), false],
    ['.spec', object({ spec: { replicas: 1 } }), object({ spec: { replicas: 2 } }), true],
    ['{.spec.a}{.spec.b}', object({}), object({}), true],
    [".metadata.annotations['a.b/c']", object({}), object({}, { annotations: { 'a.b/c': '1' } }), true],
    ['.metadata.annotations.a\\.b', object({}), object({}, { annotations: { 'a.b': '1', d: '' } }), false],
    ['.spec.items[*].at', items({ n: 1, at: 1 }, { n: 2, at: 1 }), items({ n: 1, at: 3 }, { n: 2, at: 4 }), true],
    ['.spec.items[*].at', items({ n: 1, at: 1 }), items({ n: 2, at: 1 }), false],
    ['.spec.items[?(@.n==1)]', items({ n: 1, at: 1 }, { n: 2 }), items({ n: 1, at: 3 }, { n: 1 }, { n: 2 }), true],
    [
      '.spec.items[?(@.n==1)].at',
      items({ n: 1, at: 1 }, { n: 2, at: 1 }),
      items({ n: 1, at: 3 }, { n: 2, at: 2 }),
      false,
    ],
    ['.spec.items[n=1]', items({ n: 1, at: 1 }, { n: 2 }), items({ n: 1, at: 3 }, { n: 1 }, { n: 2 }), true],
    ['.spec.items[0]', items(1, 2), items(3, 2), true],
    ['.spec.items[-1:]', items(1, 1), items(1, 3), true],
    ['.spec.items[0,1]', items(1, 2, 3), items(3, 4, 3), true],
    ['.spec.items[0,1]', items(1, 2, 3), items(1, 2, 4), false],
    ['..at', items({ at: 1, n: { at: 2 } }), items({ at: 3, n: { at: 4 } }), true],
    ['.status.*', object({ status: { a: 1, b: [] } }), object({ status: { a: 2 } }), true],
    ['.status.*.x', object({ status: { a: { x: 1, y: 1 } } }), object({ status: { a: { x: 2, y: 1 } } }), true],
    ['.status.*.x', object({ status: { a: { x: 1, y: 1 } } }), object({ status: { a: { x: 2, y: 2 } } }), false],
    ['..at', object({ at: 1, n: { at: 2, x: 1 } }), object({ at: 1, n: { at: 2, x: 2 } }), false],
    [".spec['a.b']", object({ spec: { a: { b: 1 }, c: 1 } }), object({ spec: { a: { b: 2 }, c: 1 } }), true],
    [".spec['a.b']", object({ spec: { 'a.b': 1, c: 1 } }), object({ spec: { 'a.b': 2, c: 1 } }), true],
    [".spec['a.b']", object({ spec: { a: { b: 1 }, c: 1 } }), object({ spec: { a: { b: 1 }, c: 2 } }), false],
    ['{.}', object({}), object({}), true],
  ])('%s', (path, before, after, expected) => {
    if (path.startsWith('{')) return expect(() => compileSameBut([path])).toThrow('is not the path of a field');
    expect(compileSameBut([path])(before, after)).toBe(expected);
    expect(compileSameBut([path])(after, before)).toBe(expected);
  });
});

test.each(['.spec.items[0]', '.spec.items[*].a.b', '.spec.items[?(@.n==1)]', '.spec.items[0,1]', '.spec.items[n=1].a'])(
  '%s leaves a value that has no such items as it is',
  (path) => {
    const at = (value: unknown) => object({ spec: { items: value } });
    for (const [before, after] of [
      [1, 2],
      ['a', 'b'],
      [
        { n: 2, at: 1 },
        { n: 2, at: 2 },
      ],
      [[], null],
      [true, undefined],
    ]) {
      if (!path.includes('*') || !Array.isArray(before))
        expect(compileSameBut([path])(at(before), at(after))).toBe(false);
    }
  },
);

test('fields that every write changes do not count', () => {
  const at = (n: number) => object({}, { resourceVersion: `${n}`, generation: n, managedFields: [n] });
  expect(compileSameBut([])(at(1), at(2))).toBe(true);
});

test('several paths are all masked, and the objects are left as they are', () => {
  const [before, after] = [object({ spec: { a: 1, b: { c: 1 } } }), object({ spec: { a: 2, b: { c: 2 } } })];
  expect(compileSameBut(['.spec.a', '.spec.b.c'])(before, after)).toBe(true);
  expect(before).toEqual(object({ spec: { a: 1, b: { c: 1 } } }));
});

test.each(['$.spec', '', 'text {.a}', '{.a', "{'x'}x"])('refuses %j', (path) => {
  expect(() => compileSameBut([path])).toThrow();
});

const withList = (list: readonly unknown[]) =>
  ({ metadata: { name: 'a' }, spec: { list } }) as unknown as ReadonlyObject;
const same = (paths: string[], before: readonly unknown[], after: readonly unknown[]) =>
  compileSameBut(paths)(withList(before), withList(after));

describe('several paths into one list', () => {
  test('each mean the index in the original list, whatever the other paths remove', () => {
    expect(same(['.spec.list[0]', '.spec.list[1]'], ['a', 'b', 'c'], ['x', 'y', 'c'])).toBe(true);
    expect(same(['.spec.list[0]', '.spec.list[1]'], ['a', 'b', 'c'], ['a', 'b', 'z'])).toBe(false);
    expect(
      same(['.spec.list[0]', '.spec.list[1].a'], [1, { a: 1, b: 1 }, { a: 1 }], [2, { a: 2, b: 1 }, { a: 1 }]),
    ).toBe(true);
    expect(
      same(['.spec.list[0]', '.spec.list[1].a'], [1, { a: 1, b: 1 }, { a: 1 }], [1, { a: 1, b: 1 }, { a: 2 }]),
    ).toBe(false);
    expect(same(['.spec.list[-1]', '.spec.list[-2]'], ['a', 'b', 'c'], ['a', 'y', 'z'])).toBe(true);
    expect(same(['.spec.list[-1]', '.spec.list[-2]'], ['a', 'b', 'c'], ['x', 'b', 'c'])).toBe(false);
  });

  test('leave out the items they find, so that their number does not matter', () => {
    const [keep, drop] = [{ name: 'keep' }, { name: 'drop' }];
    expect(same(['.spec.list[?(@.name=="drop")]', '.spec.list[5]'], [drop, keep], [keep, drop, drop])).toBe(true);
    expect(same(['.spec.list[*]', '.spec.list[0].a'], [{ a: 1 }], [])).toBe(true);
    expect(same(['.spec.list[0][0]', '.spec.list[0][1]'], [[1, 2, 3]], [[4, 5, 3]])).toBe(true);
    expect(same(['..name', '.spec.list[0]'], [{ name: 1 }, { name: 2, a: 1 }], [{ name: 3 }, { name: 4, a: 1 }])).toBe(
      true,
    );
  });
});
