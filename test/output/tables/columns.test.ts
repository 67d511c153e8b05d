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

const EVENT_COLUMNS = [
  ...['Last Seen', 'Type'].map((name) => ({ name, type: 'string', format: '', priority: 0 })),
  { name: 'First Seen', type: 'string', format: '', priority: 1 },
  { name: 'Count', type: 'integer', format: '', priority: 1 },
];
const EVENT = { gvr: { group: '', version: 'v1', resource: 'events' }, kind: 'Event', singular: 'event' };
const lastSeen = (cells: readonly unknown[], options = {}, columns = EVENT_COLUMNS) => {
  const row = { object: { metadata: { name: 'e' } }, type: EVENT, cells: { columns, cells }, now: 0 };
  const [first] = columnsOf(columns, EVENT, options);
  return [first?.cell(row as never), (first?.data ?? first?.cell)?.(row as never)];
};

test.each<[string, unknown, string]>([
  ['a series', 17, '31m (x17 over 47m)'],
  ['two', 2, '31m (x2 over 47m)'],
  ['a single one', 1, '31m'],
  ['one without a count', null, '31m'],
])(
  'the time of %s of Events has its count beside it, as in kubectl events; data has the cell',
  (_, count, expected) => {
    expect(lastSeen(['31m', 'Warning', '47m', count])).toEqual([expected, '31m']);
  },
);

test('a table of Events that has a column for the count has it there alone, and one without is as it is', () => {
  expect(lastSeen(['31m', 'Warning', '47m', 17], { wide: true })).toEqual(['31m', '31m']);
  expect(lastSeen(['31m', 'Warning'], {}, EVENT_COLUMNS.slice(0, 2))).toEqual(['31m', '31m']);
  expect(lastSeen(['31m', 'Warning', 17], {}, [...EVENT_COLUMNS.slice(0, 2), EVENT_COLUMNS[3] as never])).toEqual([
    '31m',
    '31m',
  ]);
});
