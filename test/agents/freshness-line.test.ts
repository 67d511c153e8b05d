import { expect, it } from 'vitest';
import { freshnessLines } from '../../src/agents/freshness-line.ts';

const targetOf = (error: unknown) => {
  const connection = { state: 'disconnected', since: 0, from: '1', why: 'closed', error };
  const informer = { continuity: [{ connection, stretches: [], gaps: [] }] };
  return { type: { gvr: { group: '', version: 'v1', resource: 'pods' } }, informer } as never;
};

it.each([
  [new Error('refused'), ' (refused)'],
  [undefined, ''],
])('a cache without connection after %s says so, with the error if there is one', (error, shown) => {
  expect(freshnessLines([targetOf(error)], 60_000)).toEqual([
    `NOT CURRENT: pods has had no connection since 1970-01-01T00:00:00Z${shown}`,
  ]);
});
