import { describe, expect, it } from 'vitest';
import { type Cells, cellsOf, withCells } from '../../src/model/cells.ts';

const cells: Cells = { columns: [{ name: 'Ready', type: 'string', format: '', priority: 0 }], cells: ['1/1'] };

describe('the table row of an object', () => {
  it('is attached to the object itself, and is absent on any other', () => {
    const object = { metadata: { name: 'a' } };
    expect(withCells(object, cells)).toBe(object);
    expect(cellsOf(object)).toBe(cells);
    expect(cellsOf({ metadata: { name: 'a' } })).toBeUndefined();
  });

  it('is copied by a spread, dropped by a structured clone, and not part of JSON', () => {
    const object = withCells({ metadata: { name: 'a' } }, cells);
    expect(cellsOf({ ...object })).toBe(cells);
    expect(cellsOf(structuredClone(object))).toBeUndefined();
    expect(JSON.stringify(object)).toBe('{"metadata":{"name":"a"}}');
  });
});
