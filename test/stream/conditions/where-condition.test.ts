import { describe, expect, it } from 'vitest';
import { compileCel } from '../../../src/expr/cel/cel.ts';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { CellComparison } from '../../../src/stream/conditions/cell-comparison.ts';
import { whereConditionOf } from '../../../src/stream/conditions/where-condition.ts';

const column = (name: string): TableColumn => ({
  name,
  type: 'string',
  format: name === 'Name' ? 'name' : '',
  priority: 0,
});
const NOW = new Date('2026-01-01T12:00:00Z');

function where(source: string) {
  const comparison = new CellComparison(source);
  const program = compileCel(source, { flag: '--where', wants: 'bool', variables: {}, unlisted: true, comparison });
  return whereConditionOf(program, comparison);
}

function row(columns: readonly TableColumn[], cells: readonly unknown[], metadata: object = {}): UnknownObject {
  return withCells(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: String(cells[0]), ...metadata } },
    { columns, cells },
  );
}

const about = (object: UnknownObject, event = 'ADDED') => ({ object, oldObject: null, event, now: NOW });

describe('whereConditionOf', () => {
  it('evaluates the expression over the cells of each row', () => {
    const columns = [column('Name'), column('Status')];
    const condition = where('STATUS == "Running"');
    expect(condition.test(about(row(columns, ['a', 'Running'])))).toBe(true);
    expect(condition.test(about(row(columns, ['b', 'Pending'])))).toBe(false);
    expect(condition.source).toBe('STATUS == "Running"');
  });

  it('reads the columns of each type once, though rows of several types take turns', () => {
    let reads = 0;
    const counted = (...names: string[]) =>
      names.map((name) => ({
        ...column(name),
        get name() {
          reads++;
          return name;
        },
      }));
    const [pods, jobs] = [counted('Name', 'Status'), counted('Name', 'Completions', 'Status')];
    const condition = where('STATUS == "x"');
    const both = [row(pods, ['a', 'x']), row(jobs, ['b', '1/1', 'x'])];
    const answers = () => both.map((object) => condition.test(about(object)));
    expect(answers()).toEqual([true, true]);
    const readsOfFirst = reads;
    expect([answers(), reads]).toEqual([[true, true], readsOfFirst]);
  });

  it('finds a column in rows of several types that take turns, wherever the column is', () => {
    const pods = [column('Name'), column('Ready'), column('Status')];
    const jobs = [column('Name'), column('Status')];
    const condition = where('STATUS == "Failed"');
    const rows = [row(pods, ['a', 'Failed', 'Running']), row(jobs, ['b', 'Failed']), row(pods, ['c', '1/1', 'Failed'])];
    expect([...rows, ...rows].map((object) => condition.test(about(object)))).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  it('answers for more lists of columns than it remembers, and for the first of them again', () => {
    const condition = where('STATUS == "Running"');
    const lists = Array.from({ length: 200 }, () => [column('Name'), column('Status')]);
    const first = row(lists[0] ?? [], ['a', 'Running']);
    expect(lists.every((columns) => condition.test(about(row(columns, ['a', 'Running']))) === true)).toBe(true);
    expect(condition.test(about(first))).toBe(true);
  });

  it('reads AGE as of the time of the event, and EVENT from the event', () => {
    const object = row([column('Name'), column('Age')], ['a', '5m'], { creationTimestamp: '2026-01-01T11:00:00Z' });
    expect(where('AGE > duration("59m")').test(about(object))).toBe(true);
    expect(where('AGE > duration("61m")').test(about(object))).toBe(false);
    expect(where('EVENT == "DELETED"').test(about(object, 'DELETED'))).toBe(true);
  });

  it('depends on the event only when it names EVENT', () => {
    expect(where('EVENT != "DELETED"').readsEvent).toBe(true);
    expect(where('NAME != "DELETED"').readsEvent).toBe(false);
  });

  it('answers for an object without a row by its name', () => {
    const object: UnknownObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    expect(where('NAME == "web"').test(about(object))).toBe(true);
  });

  it('returns an evaluation error instead of throwing it', () => {
    const object = row([column('Name'), column('Status')], ['a', '[']);
    expect(where('NAME.matches(STATUS)').test(about(object))).toBeInstanceOf(Error);
  });

  it('has the remark of its comparison, once', () => {
    const condition = where('CAPACITY > "9Gi"');
    expect(condition.remark?.()).toBeUndefined();
    condition.test(about(row([column('Name'), column('Capacity')], ['a', '10Gi'])));
    expect(condition.remark?.()).toMatch(/^--where: CAPACITY > "9Gi" compares as text/);
    expect(condition.remark?.()).toBeUndefined();
  });
});
