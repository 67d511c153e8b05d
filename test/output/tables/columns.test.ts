import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/output/tables/columns.ts';

test('--show-kind marks the first name column alone: another one names objects of another type', () => {
  const column = (name: string, format = '') => ({ name, type: 'string', format, priority: 0 });
  const server = [column('Name', 'name'), column('Attacher', 'name'), column('PV')];
  const type = {
    gvr: { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattachments' },
    kind: 'VolumeAttachment',
    singular: 'volumeattachment',
  };
  const object = { metadata: { name: 'csi-1' } };
  const cells = { columns: server, cells: ['csi-1', 'ebs.csi.aws.com', 'pv-1'] };
  const shown = columnsOf(server, type, { showKind: true }).map(({ cell }) => cell({ object, type, cells, now: 0 }));
  expect(shown).toEqual(['volumeattachment.storage.k8s.io/csi-1', 'ebs.csi.aws.com', 'pv-1']);
});
