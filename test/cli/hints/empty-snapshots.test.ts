import { expect, it } from 'vitest';
import { emptySnapshots } from '../../../src/cli/hints/empty-snapshots.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' } } as ResourceType;

it('names each snapshot without objects, with its selector or its names', async () => {
  const snapshots = [
    { name: 'x', selector: 'app=x', selection: { type, names: [] }, isEmpty: false },
    { name: 'y', selector: 'app=y', selection: { type, names: [] }, isEmpty: true },
    { name: 'z', selector: undefined, selection: { type, names: ['c'] }, isEmpty: true },
    { name: 'all', selector: undefined, selection: { type, names: [] }, isEmpty: true },
  ];
  expect(await emptySnapshots({ snapshots })).toEqual([
    '--with y: there are no pods that app=y selects',
    '--with z: there are no pods named c',
    '--with all: there are no pods',
  ]);
});
