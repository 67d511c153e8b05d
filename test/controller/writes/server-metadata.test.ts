import { expect, it } from 'vitest';
import { withoutServerMetadata } from '../../../src/controller/writes/server-metadata.ts';

it('metadata without what only the server writes has the fields that a program writes', () => {
  const own = {
    name: 'a',
    generateName: 'a-',
    namespace: 'n',
    labels: { a: 'b' },
    annotations: {},
    finalizers: ['x'],
    ownerReferences: [],
    other: 1,
  };
  const servers = {
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    managedFields: [],
    resourceVersion: '1',
    selfLink: '/a',
    uid: 'u',
  };
  expect(withoutServerMetadata({ ...servers, ...own })).toEqual(own);
});
