import { describe, expect, test } from 'vitest';
import { lazyList } from '../../../src/kit/lazy-list.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { mergedCounts, sortedBy } from '../../../src/query/answer/arrange.ts';
import { valueCounts } from '../../../src/query/answer/counts.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { parseIndex } from '../../../src/query/index/index-definition.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { runLookups } from '../../../src/query/index/lookup-plan.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { names, PODS, storeOf } from '../../support/query.ts';

describe.each([
  ['kept by the store', ['image']],
  ['computed during a scan', []],
])('with an index %s', (_, kept: string[]) => {
  const catalog = new IndexCatalog();
  const store = storeOf(PODS, kept.map((name) => catalog.get(name))); // biome-ignore format: short

  test('every value with its count, most frequent first', () => {
    expect(valueCounts(catalog.get('image'), store)).toEqual([
      { value: 'app:1', count: 4 },
      { value: 'app:2', count: 1 },
      { value: 'side:2', count: 1 },
    ]);
  });
});

test('values of Secrets are counted redacted: none is shown, equal ones count together, and a lookup still finds the real one', async () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const secret = (name: string, text: string): UnknownObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: { password: encoded(text) },
  });
  const password = await parseIndex('password=.data.password');
  const store = storeOf([secret('a', 'one'), secret('b', 'one'), secret('c', 'two')], [password]);
  const redactor = new Redactor();
  expect(valueCounts(password, store, { redact: (object) => redactor.redact(object) })).toEqual([
    { value: redactor.value('one'), count: 2 },
    { value: redactor.value('two'), count: 1 },
  ]);
  const lookups = [parseLookup('eq', `password=${encoded('two')}`)];
  expect(names(runLookups({ store, catalog: new IndexCatalog([password]), lookups }).objects)).toEqual(['c']);
});

test('counts of several stores are added up', () => {
  const one = { value: 'n1', count: 3 };
  expect(mergedCounts([[one, { value: 'n2', count: 1 }], [{ value: 'n2', count: 9 }]])).toEqual([
    { value: 'n2', count: 10 },
    one,
  ]);
});

describe('sorting', () => {
  const item = (...found: unknown[]) => found;
  const same = (found: unknown[]) => found;

  test.each([
    ['numbers by size', [item(10), item(9), item(-1)], [item(-1), item(9), item(10)]],
    ['text by bytes', [item('b'), item('a'), item('B')], [item('B'), item('a'), item('b')]],
    [
      'text by bytes of UTF-8',
      [item('\u{1f600}'), item('\uffee'), item('z')],
      [item('z'), item('\uffee'), item('\u{1f600}')],
    ],
    ['names by bytes', [item('web-10'), item('web-9'), item('web-7d4b9'), item('web-745f9')], [item('web-10'), item('web-745f9'), item('web-7d4b9'), item('web-9')]], // biome-ignore format: short
    ['addresses by bytes', [item('10.96.7.251'), item('10.96.183.86')], [item('10.96.183.86'), item('10.96.7.251')]],
    ['quantities by size', [item('5Gi'), item('1536Mi'), item('10'), item('9'), item('1500m')], [item('1500m'), item('9'), item('10'), item('1536Mi'), item('5Gi')]], // biome-ignore format: short
    ['a quantity and other text by bytes', [item('9x'), item('10Gi')], [item('10Gi'), item('9x')]],
    ['values of equal size in their first order', [item('1Gi'), item('1024Mi')], [item('1Gi'), item('1024Mi')]],
    ['items without a value first', [item('b'), item(), item('a')], [item(), item('a'), item('b')]],
    ['null after items without a value', [item('b'), item(null), item()], [item(), item(null), item('b')]],
    ['equal items in their first order', [item('a', 1), item('a', 2)], [item('a', 1), item('a', 2)]],
    ['booleans, numbers, strings', [item('1'), item(2), item(true)], [item(true), item(2), item('1')]],
  ])('%s', (_, given, expected) => {
    expect(sortedBy<unknown[]>(given, same, { expression: '.x' })).toEqual(expected);
  });

  test('in descending order the largest is first, items without a value are last, and equal items keep their order', () => {
    const given = [item('1Gi', 1), item(), item('5Gi'), item('1024Mi', 2)];
    const expected = [item('5Gi'), item('1Gi', 1), item('1024Mi', 2), item()];
    expect(sortedBy<unknown[]>(given, same, { expression: '.x', isDescending: true })).toEqual(expected);
  });

  test("a field that no object has is refused with kubectl's message", () => {
    expect(() => sortedBy([item(), item()], same, { expression: '.x' })).toThrow(
      `couldn't find any field with path ".x" in the list of objects`,
    );
    expect(sortedBy([], same, { expression: '.x' })).toEqual([]);
  });

  test.each([
    [{ a: 1 }, 'map'],
    [[1], 'list'],
  ])('%j has no order, and is refused', (value, kind) => {
    expect(() => sortedBy([item('a'), item(value)], same, { expression: '.x' })).toThrow(
      `--sort-by: ".x" is a ${kind}, which has no order`,
    );
  });
});

describe('sorting items that are made when they are read', () => {
  const items = lazyList(4, (i) => ({ n: [3, 1, 2, 1][i], i }));
  const read = ({ n }: { n: number | undefined }) => [n];

  test.each([
    [false, [1, 3, 2, 0]],
    [true, [0, 2, 1, 3]],
  ])('gives them in order, and keeps none (descending: %s)', (isDescending, expected) => {
    const sorted = sortedBy(items, read, { expression: '.n', isDescending });
    expect(sorted.map(({ i }) => i)).toEqual(expected);
    expect(sorted[0]).toEqual(sorted[0]);
    expect(sorted[0]).not.toBe(sorted[0]);
  });
});
