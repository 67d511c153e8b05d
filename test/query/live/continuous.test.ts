import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import {
  type ContinuousOptions,
  ContinuousResult,
  type RowChange,
  type RowEvent,
} from '../../../src/query/live/continuous.ts';

interface Row {
  readonly id: string;
  readonly look: number;
}

const ADDED: RowEvent = { kind: 'added', cause: 'watch' };
const UPDATED: RowEvent = { kind: 'updated', cause: 'watch' };
const DELETED: RowEvent = { kind: 'deleted', cause: 'watch' };

const result = (window?: ContinuousOptions<Row>['window']) =>
  new ContinuousResult<Row>({ looksSame: (a, b) => a.look === b.look, window });

const texts = (changes: readonly RowChange<Row>[]) =>
  changes.map(({ op, row, cause }) => `${op}${row.id}=${row.look} ${cause}`);

const smallest = (count: number) => (rows: readonly Row[]) =>
  rows.toSorted((a, b) => a.look - b.look || (a.id < b.id ? -1 : 1)).slice(0, count);

describe('ContinuousResult', () => {
  it('gives rows that enter, change and leave, each with its cause', () => {
    const rows = result();
    rows.put({ id: 'a', look: 1 }, true, { kind: 'added', cause: 'initial' });
    rows.put({ id: 'b', look: 1 }, false, { kind: 'added', cause: 'initial' });
    expect(texts(rows.take())).toEqual(['+a=1 initial']);
    rows.put({ id: 'a', look: 2 }, true, UPDATED);
    rows.put({ id: 'b', look: 2 }, true, UPDATED);
    expect(texts(rows.take())).toEqual(['~a=2 watch', '+b=2 filter']);
    rows.put({ id: 'a', look: 3 }, false, UPDATED);
    rows.put({ id: 'b', look: 2 }, false, { kind: 'deleted', cause: 'relist' });
    expect(texts(rows.take())).toEqual(['-a=3 filter', '-b=2 relist']);
    expect(rows.shown).toBe(0);
  });

  it('gives nothing for a change that is not printed', () => {
    const rows = result();
    rows.put({ id: 'a', look: 1 }, true, ADDED);
    rows.take();
    rows.put({ id: 'a', look: 1 }, true, UPDATED);
    expect(rows.take()).toEqual([]);
  });

  it('merges what happens to a row between two calls, and counts what was merged', () => {
    const rows = result();
    rows.put({ id: 'short', look: 1 }, true, ADDED);
    rows.put({ id: 'short', look: 1 }, false, DELETED);
    rows.put({ id: 'new', look: 1 }, true, ADDED);
    rows.put({ id: 'new', look: 5 }, true, UPDATED);
    expect(rows).toMatchObject({ waiting: 2, merged: 2 });
    expect(texts(rows.take())).toEqual(['+new=5 watch']);
    expect(rows).toMatchObject({ waiting: 0, merged: 0, shown: 1 });
  });

  it('keeps nothing of objects that never belong to the result', () => {
    const rows = result();
    rows.put({ id: 'a', look: 1 }, false, ADDED);
    rows.put({ id: 'a', look: 2 }, false, UPDATED);
    expect(rows.waiting).toBe(0);
  });

  it('moves rows in and out of the first N when ranks change, those that leave first', () => {
    const rows = result(smallest(2));
    for (const [id, look] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      rows.put({ id, look }, true, ADDED);
    expect(texts(rows.take())).toEqual(['+a=1 watch', '+b=2 watch']);
    rows.put({ id: 'c', look: 0 }, true, UPDATED);
    expect(texts(rows.take())).toEqual(['-b=2 limit', '+c=0 filter']);
    rows.put({ id: 'a', look: 1 }, false, DELETED);
    expect(texts(rows.take())).toEqual(['-a=1 watch', '+b=2 limit']);
    rows.put({ id: 'c', look: 9 }, true, UPDATED);
    expect(texts(rows.take())).toEqual(['~c=9 watch']);
  });

  it('says of a row that its own change moved out of the first N that its rank changed', () => {
    const rows = result(smallest(1));
    rows.put({ id: 'a', look: 1 }, true, ADDED);
    rows.put({ id: 'b', look: 2 }, true, ADDED);
    rows.take();
    rows.put({ id: 'a', look: 7 }, true, UPDATED);
    expect(texts(rows.take())).toEqual(['-a=7 limit', '+b=2 limit']);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('adds up to the present result whatever happens (seed %i)', (seed) => {
    const random = seededRandom(seed);
    const below = (n: number) => Math.floor(random() * n);
    const window = seed % 2 === 0 ? smallest(3) : undefined;
    const rows = result(window);
    const truth = new Map<string, Row>();
    const printed = new Map<string, number>();
    for (let step = 0; step < 400; step++) {
      const id = `r${below(8)}`;
      const before = truth.get(id);
      const row = { id, look: below(4) };
      const isIn = random() < 0.7;
      rows.put(row, isIn, isIn ? (before ? UPDATED : ADDED) : DELETED);
      if (isIn) truth.set(id, row);
      else truth.delete(id);
      if (random() < 0.5) continue;
      for (const { op, row: changed } of rows.take()) {
        expect(printed.has(changed.id), `${op}${changed.id}`).toBe(op !== '+');
        if (op === '-') printed.delete(changed.id);
        else printed.set(changed.id, changed.look);
      }
      const all = [...truth.values()];
      const present = (window?.(all) ?? all).map(({ id: each, look }) => [each, look] as const);
      expect(printed).toEqual(new Map(present));
    }
  });
});
