import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { indexTexts, parseIndex } from '../../src/query/index-definition.ts';
import { pod } from '../support/query.ts';

describe('a declared index', () => {
  test('has each value that its path finds, without repetitions', async () => {
    const index = await parseIndex('i=.spec.containers[*].image');
    expect(index.valuesOf(pod('x', 'n', 'p', 0, ['a', 'b', 'a']))).toEqual(['a', 'b']);
  });

  test.each([
    ['n=.status.restarts', ['7']],
    ['n=.nope', []],
    ['n=.spec.containers[9].image', []],
    ['n=$.spec.containers[?(@.image && @.image != "b")].image', ['a']],
    ['n={.metadata.labels}', ['{"app":"x","x.y/z":"w"}']],
  ])('%s', async (text, expected) => {
    expect((await parseIndex(text)).valuesOf(pod('x', 'n', 'p', 7, ['a']))).toEqual(expected);
  });

  test('leaves null out', async () => {
    expect((await parseIndex('n=.x')).valuesOf({ metadata: {}, x: null } as UnknownObject)).toEqual([]);
  });

  test.each([
    ['.spec.nodeName', 'invalid index ".spec.nodeName": expected NAME=JSONPATH'],
    ['=.spec', 'invalid index "=.spec": expected NAME=JSONPATH'],
    ['a b=.spec', 'invalid index "a b=.spec": expected NAME=JSONPATH'],
    ['n=', 'the JSONPath is empty'],
    ['n={.a', 'unclosed action at position 3'],
  ])('that cannot be parsed is refused: %s', async (text, message) => {
    await expect(parseIndex(text)).rejects.toThrow(message);
  });
});

test('reports each different failure of CEL once, and names the fields that it reads', async () => {
  const failures: string[] = [];
  const index = await parseIndex('n=object.status.restarts + "x"', ({ message }) => failures.push(message));
  const objects = [pod('a', 'n', 'p', 1), pod('b', 'n', 'p', 2)];
  expect(objects.map((object) => index.valuesOf(object))).toEqual([[], []]);
  expect(failures).toEqual([expect.stringContaining('--index: cannot add int and string')]);
  expect(index).toMatchObject({
    name: 'n',
    from: 'object.status.restarts + "x"',
    stable: true,
    reads: [['status', 'restarts']],
  });
});

test('values become strings without repetitions; null and undefined are left out', () => {
  expect(indexTexts([1, '1', null, undefined, true, { b: 1, a: 2 }])).toEqual(['1', 'true', '{"a":2,"b":1}']);
  expect(indexTexts([null])).toEqual([]);
});
