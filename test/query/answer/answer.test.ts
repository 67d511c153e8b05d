import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { type AnswerPart, answer } from '../../../src/query/answer/answer.ts';
import type { CachedObjects } from '../../../src/query/answer/cached-objects.ts';
import { measuresOf } from '../../../src/query/answer/measure-flags.ts';
import type { Query, ScopedQuery } from '../../../src/query/answer/query.ts';
import { clusterIndex, OF_CLUSTERS } from '../../../src/query/index/cluster-index.ts';
import { parseLookup } from '../../../src/query/index/lookup.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { pod, storeOf } from '../../support/query.ts';

const PLAIN: Query = {
  declared: [],
  lookups: [],
  values: undefined,
  count: false,
  tree: undefined,
  groupBy: undefined,
  measures: [],
  groupOrder: undefined,
  sortBy: undefined,
  sortsDescending: false,
  limit: undefined,
  explain: false,
  freshness: { freshMs: undefined, atLeastRv: undefined },
  selector: undefined,
  part: undefined,
  fieldSelector: undefined,
  keepManagedFields: false,
  showManagedFields: false,
  showSecrets: false,
  ignoreNotFound: false,
  shows: { object: true, cells: false },
  filters: [],
  wheres: [],
  conditions: [],
  name: undefined,
  excludeName: undefined,
  filtersNeedObject: false,
};

/** The caches of a cluster with these pods. `notices` gets the lines about it. */
function partOf(query: Query, pods: UnknownObject[], cluster?: string, notices: string[] = []): AnswerPart {
  const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true, cluster };
  const informer = { lister: storeOf(pods, []), name: 'pods', continuity: [] };
  const declared = cluster === undefined ? query.declared : [...query.declared, clusterIndex(cluster)];
  const scope = { selections: [{ type, names: [], versioned: false }], namespaces: [''], declared };
  return {
    query: { ...query, ...scope } as unknown as ScopedQuery,
    allCached: [{ type: type as ResourceType, informer, forbidden: [] } as unknown as CachedObjects],
    client: {} as Client, // nothing is asked of it
    signal: new AbortController().signal,
    notice: (text) => void notices.push(text),
  };
}

const EAST = [pod('a-1', 'n1', 'Running', 2), pod('a-2', 'n2', 'Running', 3)];
const WEST = [pod('a-1', 'n1', 'Running', 5), pod('b-1', 'n1', 'Pending', 1)];

async function askBoth(more: Partial<Query>) {
  const query = { ...PLAIN, ...more };
  const context = { clock: new FakeClock(), notice: () => {}, redactor: new Redactor() };
  return answer(query, [partOf(query, EAST, 'east'), partOf(query, WEST, 'west')], context);
}

const named = ({ metadata: { name } }: ReadonlyObject, { cluster }: ResourceType) => `${cluster} ${name}`;

describe('an answer from several clusters', () => {
  it('has the objects of each cluster in turn, sorted and limited as one list', async () => {
    const plain = await askBoth({});
    expect(
      plain.result.kind === 'objects' && plain.result.objects.map((each) => named(each.object, each.type)),
    ).toEqual(['east a-1', 'east a-2', 'west a-1', 'west b-1']);
    const [measure] = await measuresOf({ sum: ['.status.restarts'] }, () => {});
    const sorted = await askBoth({ sortBy: measure?.expression, sortsDescending: true, limit: 2 });
    expect(sorted.count).toBe(4);
    expect(
      sorted.result.kind === 'objects' && sorted.result.objects.map((each) => named(each.object, each.type)),
    ).toEqual(['west a-1', 'east a-2']);
  });

  it('counts objects, values and groups of all clusters together', async () => {
    expect((await askBoth({ count: true })).result).toEqual({ kind: 'count', count: 4 });
    const values = await askBoth({ values: 'node' });
    expect(values.result).toMatchObject({
      kind: 'rows',
      rows: [
        { value: 'n1', count: 3 },
        { value: 'n2', count: 1 },
      ],
    });
  });

  it('sums up in each cluster where it groups by cluster', async () => {
    const measures = await measuresOf({ sum: ['.status.restarts'] }, () => {});
    const { result } = await askBoth({
      groupBy: OF_CLUSTERS.expression,
      measures,
      groupOrder: { by: 0, isDescending: true },
    });
    expect(result.kind === 'rows' && result.rows.map(({ value, amounts }) => [value, amounts[0]?.exact])).toEqual([
      ['west', 6],
      ['east', 5],
    ]);
  });

  it('looks each lookup up in the indexes of each cluster', async () => {
    const { result } = await askBoth({ lookups: [parseLookup('eq', 'cluster=west'), parseLookup('eq', 'node=n1')] });
    expect(result.kind === 'objects' && result.objects.map((each) => named(each.object, each.type))).toEqual([
      'west a-1',
      'west b-1',
    ]);
  });
});

it('says how each cluster was searched to that part, with the samples for advice', async () => {
  const query = { ...PLAIN, explain: true };
  const [east, west]: string[][] = [[], []];
  const parts = [partOf(query, EAST, 'east', east), partOf(query, WEST, 'west', west)];
  const { parts: searched } = await answer(query, parts, {
    clock: new FakeClock(),
    notice: () => {},
    redactor: new Redactor(),
  });
  expect([east?.length, west?.length]).toEqual([1, 1]);
  expect(searched.map(({ samples }) => samples.map(({ objects }) => objects.length))).toEqual([[2], [2]]);
});
