import { describe, expect, it } from 'vitest';
import { canHaveMatches, clusterIndex } from '../../../src/query/index/cluster-index.ts';
import { type LookupFlag, parseLookup } from '../../../src/query/index/lookup.ts';

const asks = (...lookups: [LookupFlag, string][]) => lookups.map(([flag, text]) => parseLookup(flag, text));

describe('the index cluster', () => {
  it('has the name of the cluster as the value of each object', () => {
    expect(clusterIndex('east').valuesOf({ metadata: {} })).toEqual(['east']);
    expect(clusterIndex('east').key).not.toBe(clusterIndex('west').key);
  });

  it.each([
    [asks(), true],
    [asks(['eq', 'node=w1']), true],
    [asks(['eq', 'cluster=east']), true],
    [asks(['eq', 'cluster=west']), false],
    [asks(['in', 'cluster=west,east']), true],
    [asks(['prefix', 'cluster=ea']), true],
    [asks(['prefix', 'cluster=we']), false],
    [asks(['eq', 'cluster=east'], ['prefix', 'cluster=we']), false],
    [asks(['eq', 'node=w1'], ['eq', 'cluster=west']), false],
  ])('leaves a cluster out that cannot match: %j', (lookups, isAsked) => {
    expect(canHaveMatches('east', lookups)).toBe(isAsked);
  });
});
