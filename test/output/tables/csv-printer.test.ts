import { expect, test } from 'vitest';
import { CsvPrinter } from '../../../src/output/tables/csv-printer.ts';

const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', singular: 'pod', namespaced: true };

test('an answer as CSV is read object by object: a row is written before the next object is made', () => {
  let made = 0;
  const answer = {
    *[Symbol.iterator]() {
      for (const name of ['a', 'b', 'c']) {
        made++;
        yield { object: { metadata: { name } }, type };
      }
    },
  };
  const rows: [string, number][] = [];
  for (const piece of new CsvPrinter({ clock: { now: () => 0 } }).objects(answer as never))
    rows.push([piece.split(',')[0]?.trim() ?? '', made - 3]);
  expect(rows).toEqual([
    ['NAME', 0],
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
});
