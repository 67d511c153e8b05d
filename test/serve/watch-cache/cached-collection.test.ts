import { expect, it } from 'vitest';
import { CachedCollection, type CachedTypeOptions } from '../../../src/serve/watch-cache/cached-collection.ts';

const gvr = { group: '', version: 'v1', resource: 'pods' };

/** The version that a collection has after the initial sync of an informer whose source had these stretches. */
function versionAfter(stretches: readonly { by: string; to: string }[] | undefined): string | undefined {
  let synced = () => {};
  const informer = {
    continuity: [stretches && { stretches }],
    isCaughtUp: true,
    addHandler: (handler: { synced: () => void }) => {
      synced = handler.synced;
      return { depth: 0, remove: () => {} };
    },
  };
  const options = { type: { gvr, kind: 'Pod', namespaced: true }, informer, as: 'object', keepsManagedFields: false };
  const collection = new CachedCollection(options as unknown as CachedTypeOptions);
  synced();
  // Only a source whose continuity is known is a part.
  informer.continuity = [{ stretches: [] }];
  return collection.partFor(undefined)?.source.version;
}

it.each([
  ['the initial list', [{ by: 'initial', to: '10' }], '10'],
  [
    'the last relist',
    [
      { by: 'initial', to: '10' },
      { by: 'relist', to: '20' },
    ],
    '20',
  ],
  [
    'that list, also when a watch was resumed since',
    [
      { by: 'relist', to: '20' },
      { by: 'resume', to: '30' },
    ],
    '20',
  ],
  ['nothing known where no list is recorded', [{ by: 'resume', to: '30' }], ''],
  ['nothing known of a source without a record', undefined, ''],
])('a collection begins with the version of %s', (_, stretches, version) => {
  expect(versionAfter(stretches)).toBe(version);
});

it.each([true, false])(
  'a collection says of which type it is, in which form, and whether it has managedFields: %s',
  (keepsManagedFields) => {
    const informer = { continuity: [], addHandler: () => ({ depth: 0, remove: () => {} }) };
    const type = { gvr, kind: 'Pod', namespaced: true };
    const options = { type, informer, as: 'metadata', keepsManagedFields };
    expect(new CachedCollection(options as unknown as CachedTypeOptions)).toMatchObject({
      type,
      as: 'metadata',
      keepsManagedFields,
    });
  },
);
