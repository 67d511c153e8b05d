import { expect, it } from 'vitest';
import { emptyResult, emptyText, nothingFound } from '../../../src/cli/hints/nothing-found.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { factsOf } from '../../support/hints.ts';

const POD = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true, singular: 'pod' } as ResourceType;
const selections = [{ type: POD, names: [] }] as never;
const some = [{ type: POD, objects: [{ metadata: { name: 'a' } }] }];
const query = (more: object = {}) =>
  ({
    namespaces: ['shop'],
    selections,
    reads: [],
    lookups: [],
    conditions: [],
    format: parseOutputFormat(''),
    ...more,
  }) as never;

it('nothing is found in the words of kubectl', () => {
  expect(nothingFound({ namespaces: ['a', 'b'], selections })).toBe('No resources found in a, b namespaces.');
  expect(nothingFound({ namespaces: [''], selections })).toBe('No resources found');
  expect(nothingFound({ namespaces: ['a'], selections, part: { text: 'shard 1/2 by uid' } })).toBe(
    'No resources found in a namespace (shard 1/2 by uid).',
  );
});

it.each<[string, object, typeof some, string | undefined]>([
  ['without objects', {}, [], 'No resources found in shop namespace.'],
  ['without objects, as data', { format: parseOutputFormat('json') }, [], undefined],
  ['without objects, with --ignore-not-found', { ignoreNotFound: true }, [], undefined],
  ['of objects of which none matches', { name: /x/ }, some, 'none of 1 pod matches'],
  ['of objects without a value', { values: 'node' }, some, 'none of 1 pod has a value in the index node'],
])('an empty answer %s has its reason', (_, more, samples, text) => {
  expect(emptyText(query(more), samples)).toBe(text);
});

it('an empty result of a query that goes on says what comes', async () => {
  const facts = { ...factsOf([], {}, { isEmpty: true }), plan: query() };
  expect(await emptyResult(facts)).toEqual(['No resources found in shop namespace; what comes is shown']);
  expect(await emptyResult({ ...facts, isEmpty: false })).toEqual([]);
  expect(await emptyResult({ ...facts, isReportedElsewhere: true })).toEqual([]);
});
