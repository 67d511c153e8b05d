import { describe, expect, it } from 'vitest';
import { columnsIn, isTable, objectOfRow, rowFrom, rowsIn, TableEvents } from '../../../src/client/decode/table.ts';
import { cellsOf } from '../../../src/model/cells.ts';
import type { WatchEvent } from '../../../src/model/watch-event.ts';

const column = (name: string, format = '') => ({ name, type: 'string', format, description: '', priority: 0 });
const COLUMNS = [column('Name', 'name'), column('Age')];
const object = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { name: 'web', namespace: 'shop' },
};

describe('isTable', () => {
  it.each([
    [{ kind: 'Table', apiVersion: 'meta.k8s.io/v1' }, true],
    [{ kind: 'Table', apiVersion: 'meta.k8s.io/v1beta1' }, true],
    [{ kind: 'Table', apiVersion: 'furniture.example.com/v1' }, false],
    [{ kind: 'PodList', apiVersion: 'v1' }, false],
    [null, false],
    [undefined, false],
  ])('%j: %s', (value, expected) => {
    expect(isTable(value)).toBe(expected);
  });
});

describe('objectOfRow', () => {
  it('is the object of the row with its cells', () => {
    const result = objectOfRow({ object: { ...object }, cells: ['web', '1d'] }, COLUMNS);
    expect(JSON.parse(JSON.stringify(result))).toEqual(object);
    expect(cellsOf(result)).toMatchObject({ cells: ['web', '1d'], columns: COLUMNS });
  });

  it('has only the name of its cells and the given version if the row has no object', () => {
    expect(JSON.parse(JSON.stringify(objectOfRow({ cells: ['web', '1d'] }, COLUMNS, { version: '7' })))).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'web', resourceVersion: '7' },
    });
  });

  it('notes when a row arrived whose cells say how long ago something was', () => {
    const row = { object: { ...object }, cells: ['web', '3 (1s ago)'] };
    const columns = [column('Name'), column('Restarts')];
    expect(cellsOf(objectOfRow(row, columns, { now: () => 42 }))).toEqual({ columns, cells: row.cells, at: 42 });
    expect(cellsOf(objectOfRow(row, columns))).toEqual({ columns, cells: row.cells });
  });

  it('has no name without a column of names', () => {
    expect(objectOfRow({ cells: ['web'], object: null }, [column('Name')])).toMatchObject({ metadata: {} });
  });
});

describe('columnsIn', () => {
  it.each([undefined, null, {}])('%s has no columns', (definitions) => {
    expect(columnsIn(definitions)).toEqual([]);
  });

  it.each([[[column('a'), {}]], [[null]], [[{ name: 7 }]]])('refuses a column without a name: %j', (definitions) => {
    expect(() => columnsIn(definitions)).toThrow(
      expect.objectContaining({ code: 'decode', message: 'the server sent a table with a column that has no name' }),
    );
  });
});

describe('rowsIn', () => {
  it.each([undefined, null, []])('%s has no rows', (rows) => {
    expect(rowsIn(rows)).toEqual([]);
  });

  it.each([[{}], ['rows'], [0], [false]])('refuses %j, which is not a list', (rows) => {
    expect(() => rowsIn(rows)).toThrow('the server sent a table whose rows are not a list');
  });
});

describe('rowFrom', () => {
  it.each([{}, { object: null }, { cells: [], object: { metadata: {} } }])('accepts %j', (row) => {
    expect(rowFrom(row)).toBe(row);
  });

  it.each([
    [null, 'a row that is not an object but null'],
    [7, 'a row that is not an object but a number'],
    [{ object: 'web' }, 'a row about a string and not an object'],
  ])('refuses %j', (row, problem) => {
    expect(() => rowFrom(row)).toThrow(problem);
  });
});

describe('TableEvents', () => {
  const table = (more: object) => ({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', ...more });

  it('gives a bookmark without rows an object with the metadata of the table, empty where it has none', () => {
    const bookmark = (more: object) =>
      new TableEvents().objectsOf([{ type: 'BOOKMARK', object: table(more) } as unknown as WatchEvent<object>]);
    expect(bookmark({ metadata: { resourceVersion: '7' } })).toEqual([
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } },
    ]);
    expect(bookmark({})).toEqual([{ type: 'BOOKMARK', object: { metadata: {} } }]);
  });
  const event = (type: string, value: object) => ({ type, object: value }) as WatchEvent<unknown>;
  const row = (name: string) => ({ cells: [name, '1d'], object: { ...object, metadata: { name } } });

  it('uses the columns of the first event for all later ones', () => {
    const events = new TableEvents<typeof object>();
    const [first] = events.objectsOf([event('ADDED', table({ columnDefinitions: COLUMNS, rows: [row('a')] }))]);
    const [second] = events.objectsOf([event('MODIFIED', table({ columnDefinitions: null, rows: [row('b')] }))]);
    expect([first?.type, second?.type]).toEqual(['ADDED', 'MODIFIED']);
    expect(cellsOf(second?.object as object)?.columns).toEqual(COLUMNS);
  });

  it('makes an event of each row', () => {
    const events = new TableEvents().objectsOf([
      event('ADDED', table({ rows: [row('a'), row('b')] })),
      event('ADDED', table({ rows: null })),
    ]);
    expect(events.map(({ object }) => object)).toMatchObject([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
    ]);
  });

  it('gives a bookmark without cells, with the object of its row or the metadata of the table', () => {
    const metadata = { resourceVersion: '9' };
    const [ofRow, ofTable] = new TableEvents().objectsOf([
      event('BOOKMARK', table({ rows: [{ cells: ['', '<unknown>'], object: { kind: 'Pod', metadata } }] })),
      event('BOOKMARK', table({ metadata, rows: [] })),
    ]);
    expect([ofRow?.object, ofTable?.object]).toEqual([{ kind: 'Pod', metadata }, { metadata }]);
    expect(cellsOf(ofRow?.object as object)).toBeUndefined();
  });

  it('notes when a row came that says how long ago something was', () => {
    const columnDefinitions = [column('Name', 'name'), column('Restarts')];
    const rows = ['3 (5m ago)', '3'].map((restarts) => ({ cells: ['a', restarts], object: { ...object } }));
    const events = new TableEvents(() => 42).objectsOf([event('ADDED', table({ columnDefinitions, rows }))]);
    expect(events.map((each) => cellsOf(each.object)?.at)).toEqual([42, undefined]);
  });

  it('passes on events that are not tables', () => {
    const error = event('ERROR', { kind: 'Status', code: 410 });
    expect(new TableEvents().objectsOf([error])).toEqual([error]);
  });
});
