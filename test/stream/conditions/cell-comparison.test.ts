import { describe, expect, it } from 'vitest';
import { Duration } from '../../../src/expr/cel/cel-values.ts';
import { CellComparison, DurationCell } from '../../../src/stream/conditions/cell-comparison.ts';

const MINUTE = 60_000;
const five = new DurationCell(5 * MINUTE, '5m');

describe('equal', () => {
  it.each<[unknown, unknown, boolean]>([
    [true, 'true', true],
    [true, 'false', false],
    [3, '3', true],
    ['3', 3, true],
    [3, 'three', false],
    [five, '5m', true],
    [five, '300s', true],
    [five, '6m', false],
    [new Duration(5 * MINUTE), '5m', true],
    [new Duration(100 * MINUTE + 5000), '100m', true],
    [new DurationCell(5 * MINUTE, '5m ago'), '5m ago', true],
    ['Running', 'Running', true],
    ['Running', 'Pending', false],
    ['', '', true],
  ])('%j and %j: %s', (a, b, expected) => {
    const { equal } = new CellComparison('x');
    expect([equal(a, b), equal(b, a)]).toEqual([expected, expected]);
  });
});

describe('order', () => {
  it.each<[unknown, unknown, number]>([
    [2, '10', -1],
    ['10', 2, 1],
    ['b', 'a', 1],
    ['10', '9', -1],
    [five, '10m', -1],
    [five, new Duration(6 * MINUTE), -1],
    [five, 'x', -1],
  ])('of %j and %j has the sign %i', (a, b, sign) => {
    expect(Math.sign(new CellComparison('x').order(a, b))).toBe(sign);
  });

  it.each(['', '<none>', '<unknown>', '<invalid>'])('does not exist for %j', (nothing) => {
    const { order } = new CellComparison('x');
    for (const value of [3, 'x', '~', five]) {
      expect([order(nothing, value), order(value, nothing)]).toEqual([Number.NaN, Number.NaN]);
    }
  });

  it('is an error for a number and a text that is none, or for a time and a number', () => {
    const { order } = new CellComparison('x');
    expect(() => order('three', 2)).toThrow('cannot compare string with int');
    expect(() => order(2, 'three')).toThrow('cannot compare int with string');
  });
});

it('a function gets the text of a duration cell', () => {
  const { argument } = new CellComparison('x');
  expect([argument(five), argument(3)]).toEqual(['5m', 3]);
});

describe('the remark', () => {
  const remarkAfter = (a: unknown, b: unknown) => {
    const comparison = new CellComparison('A > B');
    comparison.order(a, b);
    return [comparison.remark(), comparison.remark()];
  };

  it('comes once, after two texts that look like sizes were compared', () => {
    expect(remarkAfter('10Gi', '9Gi')).toEqual([expect.stringContaining('--where: A > B compares as text'), undefined]);
    expect(remarkAfter('50%', '9%')[0]).toBeDefined();
    const comparison = new CellComparison('A > B');
    comparison.order('10Gi', '9Gi');
    comparison.order('a', 'b');
    expect(comparison.remark()).toBeDefined();
  });

  it.each([
    ['web-1', 'web-2'],
    [10, '9'],
    ['10Gi', '<none>'],
    ['10Gi', 'web'],
    ['web', '10Gi'],
  ])('does not come after %j and %j', (a, b) => {
    expect(remarkAfter(a, b)).toEqual([undefined, undefined]);
  });
});
