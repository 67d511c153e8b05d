import { expect, it } from 'vitest';
import { emptySnapshots } from '../../../src/cli/hints/empty-snapshots.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' } } as ResourceType;

it('names each snapshot without objects, with its selector or its names', async () => {
  const empty = [
    { name: 'y', selector: 'app=y', selection: { type, names: [] } },
    { name: 'z', selector: undefined, selection: { type, names: ['c'] } },
    { name: 'all', selector: undefined, selection: { type, names: [] } },
  ];
  expect(await emptySnapshots({ empty })).toEqual([
    '--with y: there are no pods that app=y selects',
    '--with z: there are no pods named c',
    '--with all: there are no pods',
  ]);
});
