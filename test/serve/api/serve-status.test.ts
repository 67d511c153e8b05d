import { expect, it } from 'vitest';
import { typeStatus } from '../../../src/serve/api/serve-status.ts';
import type { ServedCache } from '../../../src/serve/hold/served-cache.ts';

const source = (more: object = {}) => ({
  connection: { state: 'connected', since: 0 },
  stretches: [],
  gaps: [],
  ...more,
});

function statusOf(continuity: readonly object[], hasSynced = true) {
  const type = { gvr: { group: 'apps', version: 'v1', resource: 'deployments' }, kind: 'Deployment', namespaced: true };
  const informer = { continuity, hasSynced, lister: { size: 3 } };
  return typeStatus({ type, namespaces: ['a', 'b'], informer } as unknown as ServedCache, 100_000);
}

it('the status of a type has what is cached, and the age of its oldest source', () => {
  expect(statusOf([source({ ageMs: 20 }), source({ ageMs: 50 }), source()])).toEqual({
    type: 'apps/v1/deployments',
    namespaces: ['a', 'b'],
    objects: 3,
    synced: true,
    ageMs: 50,
    disconnected: undefined,
  });
  expect(statusOf([source()], false)).toMatchObject({ synced: false, ageMs: undefined });
});

it('the status of a type without a connection says since when, and why', () => {
  const connection = { state: 'disconnected', since: 50_000, why: 'connection', error: new Error('no route') };
  expect(statusOf([source(), source({ connection })]).disconnected).toEqual({
    since: '1970-01-01T00:00:50.000Z',
    reason: 'no route',
  });
});
