import { expect, it } from 'vitest';
import { mayShow, type ReadCache } from '../../../src/controller/consistency/read-cache.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import { type ServedTypes, withServedTypes } from '../../../src/model/served-types.ts';

const CACHE = { isStarted: true, isStopped: false, resource: parseGvr('apps/v1/deployments'), sourceOf: () => ({}) };
const WRITE = { gvr: parseGvr('apps/v1/deployments'), key: 'shop/a', server: undefined as unknown };

interface Case {
  cache?: object;
  write?: object;
  /** The server of the cache. */
  of?: string | undefined;
  shows: boolean;
}

it.each<[string, Case]>([
  ['of its type that runs', { shows: true }],
  ['that has not started', { cache: { isStarted: false }, shows: false }],
  ['that has ended', { cache: { isStopped: true }, shows: false }],
  ['of no type', { cache: { resource: undefined }, shows: false }],
  ['of another type', { write: { gvr: parseGvr('apps/v1/daemonsets') }, shows: false }],
  ['of another group', { write: { gvr: parseGvr('example.com/v1/deployments') }, shows: false }],
  ['of another version', { write: { gvr: parseGvr('apps/v1beta1/deployments') }, shows: true }],
  ['of the group to which the type moved', { write: { gvr: parseGvr('extensions/v1beta1/deployments') }, shows: true }],
  ['without the namespace', { cache: { sourceOf: () => undefined }, shows: false }],
  ['of the same server', { write: { server: 'x' }, of: 'x', shows: true }],
  ['of another server', { write: { server: 'x' }, of: 'y', shows: false }],
  ['of a server that is not known', { write: { server: 'x' }, shows: true }],
  ['of a server, for a write to one that is not known', { of: 'y', shows: true }],
])('a cache %s may show a write, or not', (_, { cache, write, of, shows }) => {
  const made = { ...CACHE, ...cache } as unknown as ReadCache;
  withServedTypes(made, of === undefined ? undefined : ({ server: of } as unknown as ServedTypes));
  expect(mayShow(made, { ...WRITE, ...write })).toBe(shows);
});
