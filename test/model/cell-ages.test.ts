import { describe, expect, it } from 'vitest';
import { cellAt, cellsAt, printedRow, rowOfStored, SINCE_VARIABLES, storedCells } from '../../src/model/cell-ages.ts';
import type { TableColumn } from '../../src/model/cells.ts';

const column = (name: string, type = 'string'): TableColumn => ({ name, type, format: '', priority: 0 });
const AT = Date.parse('2026-11-30T06:00:00Z');
const HOUR = 3_600_000;

/** A cell so long after it was printed. */
function later(name: string, cell: unknown, ms: number, type = 'string'): unknown {
  const row = printedRow([column('Name'), column(name, type)], ['a', cell], () => AT);
  return cellAt(row, 1, AT + ms);
}

describe('a cell that says how long ago something was', () => {
  it.each([
    ['Restarts', '3 (1s ago)', HOUR, '3 (60m ago)'],
    ['Restarts', '12 (5d3h ago)', 24 * HOUR, '12 (6d3h ago)'],
    ['Last Seen', '0s', 90_000, '90s'],
    ['First Seen', '5m30s', 2 * 60_000, '7m30s'],
    ['Last Schedule', '59s', HOUR, '60m'],
  ])('is older when it is shown: %s %s after %i ms is %s', (name, cell, ms, expected) => {
    expect(later(name, cell, ms)).toBe(expected);
  });

  it('is also one of a column of a custom resource that has times', () => {
    expect(later('Expires', '5d', 24 * HOUR, 'date')).toBe('6d');
    expect(later('Ready', '5d', 24 * HOUR, 'string')).toBe('5d');
  });

  it('is as the server printed it for a second', () => {
    expect(later('Restarts', '3 (1s ago)', 999)).toBe('3 (1s ago)');
    expect(later('Restarts', '3 (1s ago)', 1000)).toBe('3 (2s ago)');
    expect(later('Restarts', '3 (1s ago)', -HOUR)).toBe('3 (1s ago)'); // the clock was set back
  });
});

describe('a cell that no time changes stays', () => {
  it.each([
    ['Restarts', '3'],
    ['Restarts', 3],
    ['Restarts', '3 (soon ago)'],
    ['Message', 'pulled the image (x ago)'],
    ['Message', '3 (5m ago)'],
    ['Duration', '5m'],
    ['Last Schedule', '<none>'],
    ['Last Seen', '<unknown>'],
    ['Last Seen', null],
    ['Created At', '2026-01-02T03:04:05Z'],
  ])('%s %j', (name, cell) => {
    expect(later(name, cell, 24 * HOUR, name === 'Created At' ? 'date' : 'string')).toBe(cell);
  });

  it('AGE, which is made of the object', () => {
    expect(later('Age', '5m', HOUR, 'date')).toBe('5m');
  });
});

describe('the time of a row', () => {
  it('is read only when a cell depends on it', () => {
    let reads = 0;
    const now = () => {
      reads++;
      return AT;
    };
    expect(printedRow([column('Name'), column('Restarts')], ['a', '0'], now)).not.toHaveProperty('at');
    expect(printedRow([column('Name'), column('Age', 'date')], ['a', '5m'], now)).not.toHaveProperty('at');
    expect(reads).toBe(0);
    expect(printedRow([column('Name'), column('Restarts')], ['a', '3 (1s ago)'], now).at).toBe(AT);
    expect(reads).toBe(1);
    expect(printedRow([column('Name'), column('Message')], ['a', '3 (1s ago)'], now)).not.toHaveProperty('at');
    expect(reads).toBe(1);
    expect(printedRow([column('Last Seen')], ['0s'])).not.toHaveProperty('at'); // nothing says what time it is
  });

  it('is kept beside the cells that are stored, and only there', () => {
    const columns = [column('Name'), column('Restarts')];
    for (const row of [
      { columns, cells: ['a', '3 (1s ago)'], at: AT },
      { columns, cells: ['a', '3'] },
      { columns, cells: ['a'] },
      { columns, cells: ['a', '3', 'more'] },
      { columns, cells: ['a', '3', 7] },
    ])
      expect(rowOfStored(columns, storedCells(row))).toEqual(row);
  });

  it('makes all cells of a row older', () => {
    const columns = [column('Last Seen'), column('Reason'), column('First Seen')];
    expect(cellsAt({ columns, cells: ['0s', 'BackOff', '5m'], at: AT }, AT + HOUR)).toEqual(['60m', 'BackOff', '65m']);
    expect(cellsAt({ columns, cells: ['0s', 'BackOff', '5m'] }, AT + HOUR)).toEqual(['0s', 'BackOff', '5m']);
  });
});

it('the variables whose values change with the time alone are those of columns whose cells grow older', () => {
  expect(SINCE_VARIABLES).toEqual(['LAST_SEEN', 'FIRST_SEEN', 'LAST_SCHEDULE']);
  for (const name of SINCE_VARIABLES) expect(later(name.replace('_', ' '), '0s', HOUR)).toBe('60m');
});
