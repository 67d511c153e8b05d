import { describe, expect, it } from 'vitest';
import {
  AGGREGATED_ACCEPT,
  isAggregated,
  typesOfAggregated,
} from '../../../src/client/discovery/discovery-aggregated.ts';

const listOf = (items: unknown) =>
  ({ kind: 'APIGroupDiscoveryList', items }) as Parameters<typeof typesOfAggregated>[0];
const group = (name: string | undefined, versions: unknown) => ({
  metadata: { ...(name === undefined ? {} : { name }) },
  versions,
});
const version = (name: string, resources: unknown, more: object = {}) => ({ version: name, resources, ...more });

it('asks for the stable version, then the beta, then the plain lists', () => {
  expect(AGGREGATED_ACCEPT.split(',').map((type) => /v=(\w+)/.exec(type)?.[1])).toEqual(['v2', 'v2beta1', undefined]);
});

it.each([
  [{ kind: 'APIGroupDiscoveryList' }, true],
  [{ kind: 'APIGroupList' }, false],
  [null, false],
  [undefined, false],
])('%j is aggregated: %s', (value, expected) => {
  expect(isAggregated(value)).toBe(expected);
});

describe('typesOfAggregated', () => {
  it('gives each type with its scope and subresources, and prefers the first version that has it', () => {
    const webs = {
      resource: 'webs',
      responseKind: { kind: 'Web' },
      scope: 'Namespaced',
      singularResource: 'web',
      verbs: ['get'],
      subresources: [{ subresource: 'scale' }],
    };
    const { types, failures } = typesOfAggregated(
      listOf([
        group('x', [version('v2', [webs]), version('v1', [webs, { resource: 'olds', responseKind: { kind: 'Old' } }])]),
      ]),
    );
    expect(failures).toEqual([]);
    expect(types[0]).toEqual({
      gvr: { group: 'x', version: 'v2', resource: 'webs' },
      kind: 'Web',
      singular: 'web',
      shortNames: [],
      categories: [],
      namespaced: true,
      verbs: ['get'],
      subresources: ['scale'],
      preferred: true,
    });
    expect(types.map(({ gvr, preferred, namespaced }) => [gvr.version, gvr.resource, preferred, namespaced])).toEqual([
      ['v2', 'webs', true, true],
      ['v1', 'webs', false, true],
      ['v1', 'olds', true, false],
    ]);
    expect(types[2]?.singular).toBe('old');
  });

  it('keeps the types of a stale version, and counts it as a failure', () => {
    const { types, failures } = typesOfAggregated(
      listOf([group('x', [version('v1', [{ resource: 'webs' }], { freshness: 'Stale' })])]),
    );
    expect(types).toHaveLength(1);
    expect(failures).toEqual([{ group: 'x/v1', message: 'stale: its server does not answer' }]);
  });

  it('counts a damaged list as a failure of its group', () => {
    const damaged = (list: unknown) => typesOfAggregated(listOf(list)).failures.map((failure) => failure.group);
    expect(damaged({ a: 1 })).toEqual(['apis']);
    expect(damaged([group('x', [null])])).toEqual(['x']);
    expect(damaged([group(undefined, [null])])).toEqual(['core']);
    expect(damaged([group(undefined, [version('v1', [null])])])).toEqual(['core']);
    expect(damaged([group('x', null)])).toEqual([]);
  });
});
