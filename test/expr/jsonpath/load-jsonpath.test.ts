import { describe, expect, test } from 'vitest';
import { loadJsonPath } from '../../../src/expr/jsonpath/load-jsonpath.ts';
import { object } from '../../support/jsonpath.ts';

describe('an expression that begins with $', () => {
  test.each([
    ['$.metadata.name', ['cm']],
    ['$.spec.list[?(@.n > 1 && @.k)].k', ['b', 'c']],
    ['$.spec.list[?(@.v.a.b.c)].k', []],
    ['$.spec.nums[-1:]', [5]],
    ["$.metadata.labels['app.kubernetes.io/name']", ['web']],
    ['$.nope', []],
  ])('%s', async (text, expected) => {
    const path = await loadJsonPath(text);
    expect(path.values(object)).toEqual(expected);
    expect(path.print(object)).toBe(expected.join(' '));
  });

  test('a script that cannot be parsed is refused when it is loaded', async () => {
    await expect(loadJsonPath('$.a[?(@.b ==)]')).rejects.toThrow('error parsing jsonpath $.a[?(@.b ==)]');
  });

  test('a number that the library would round is refused, but not in a quoted text', async () => {
    await expect(loadJsonPath('$.items[?(@.id == 9007199254740993)]')).rejects.toMatchObject({
      message: expect.stringContaining('9007199254740993 is too large for an expression that begins with $'),
      hint: expect.stringContaining('{.items[?(@.spec.id==…)]}'),
    });
    const path = await loadJsonPath('$.items[?(@.id == "9007199254740993")].id');
    expect(path.values({ items: [{ id: '9007199254740993' }, { id: '1' }] })).toEqual(['9007199254740993']);
  });

  test('it expects a List if it begins at .items', async () => {
    expect((await loadJsonPath('$.items[*].kind')).wantsList).toBe(true);
    expect((await loadJsonPath('$.metadata.items')).wantsList).toBe(false);
  });

  test('scripts reach nothing but the object', async () => {
    const path = await loadJsonPath('$.spec.list[?(@.constructor.constructor("return process")().exit(7))]');
    expect(path.values(object)).toEqual([]);
  });

  test('the dialect of kubectl is compiled too', async () => {
    expect((await loadJsonPath('{.metadata.name}')).values(object)).toEqual(['cm']);
  });
});
