import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { compileSameBut } from '../../../src/stream/changes/path-mask.ts';

const object = (rest: object, metadata: object = {}): UnknownObject => ({ metadata: { name: 'a', ...metadata }, ...rest });
const items = (...all: unknown[]) => object({ spec: { items: all } });

describe('two states are the same but for', () => {
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
    ['.spec.items[?(@.n==1)].at', items({ n: 1, at: 1 }, { n: 2, at: 1 }), items({ n: 1, at: 3 }, { n: 2, at: 2 }), false],
    ['.spec.items[n=1]', items({ n: 1, at: 1 }, { n: 2 }), items({ n: 1, at: 3 }, { n: 1 }, { n: 2 }), true],
    ['.spec.items[0]', items(1, 2), items(3, 2), true],
    ['.spec.items[-1:]', items(1, 1), items(1, 3), true],
    ['.spec.items[0,1]', items(1, 2, 3), items(3, 4, 3), true],
    ['.spec.items[0,1]', items(1, 2, 3), items(1, 2, 4), false],
    ['..at', items({ at: 1, n: { at: 2 } }), items({ at: 3, n: { at: 4 } }), true],
    ['.status.*', object({ status: { a: 1, b: [] } }), object({ status: { a: 2 } }), true],
  ])('%s', (path, before, after, expected) => {
    if (path.startsWith('{')) return expect(() => compileSameBut([path])).toThrow('is not the path of a field');
    expect(compileSameBut([path])(before, after)).toBe(expected);
    expect(compileSameBut([path])(after, before)).toBe(expected);
  });
});

test('what follows from the rest does not count', () => {
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
