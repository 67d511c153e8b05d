import { describe, expect, it } from 'vitest';
import { type LinePlace, PriorityLine } from '../../src/workqueue/priority-line.ts';

const ageing = { agedAfterMs: 1000, agedShare: 3 };

interface Named extends LinePlace {
  readonly key: string;
}

/** A line of keys: who adds a key keeps its place. */
class Line extends PriorityLine<Named> {
  readonly places = new Map<string, Named>();

  add(key: string, priority: number, since: number): void {
    const place = { key, priority, since, isInLine: false };
    this.places.set(key, place);
    this.push(place);
  }

  /** Gives the place of a key up. */
  leave(key: string): void {
    this.delete(this.places.get(key) as Named);
  }

  /** What a queue does with a key that is asked for with a higher priority. */
  raise(key: string, priority: number): void {
    const { since } = this.places.get(key) as Named;
    this.leave(key);
    this.add(key, priority, since);
  }
}

/** Takes `count` keys at one moment. */
function take(line: Line, now: number, count = line.size): (string | undefined)[] {
  return Array.from({ length: count }, () => line.shift(now)?.key);
}

it('serves any number of priorities from the highest down, each in order of arrival', () => {
  const line = new Line(ageing);
  const keys = Array.from({ length: 20 }, (_, priority) =>
    [0, 1, 2].map((n) => ({ key: `p${priority}-${n}`, priority })),
  ).flat();
  const shuffled = keys.map((each, i) => keys[(i * 7) % keys.length] ?? each);
  for (const { key, priority } of shuffled) line.add(key, priority, 0);
  expect(line.size).toBe(60);
  const wanted = [...shuffled].sort((a, b) => b.priority - a.priority).map(({ key }) => key);
  expect(take(line, 0)).toEqual(wanted);
  for (const { key, priority } of shuffled) line.add(key, priority, 0);
  expect(take(line, 0)).toEqual(wanted);
  expect([line.size, line.shift(0)]).toEqual([0, undefined]);
});

it('a key whose place was given up for a higher one is served once, in the order of the new one', () => {
  const line = new Line(ageing);
  line.add('a', 0, 5);
  line.add('b', 0, 6);
  line.raise('b', 1);
  expect([...line]).toEqual([
    { key: 'b', priority: 1, since: 6, isInLine: true },
    { key: 'a', priority: 0, since: 5, isInLine: true },
  ]);
  expect(take(line, 10, 3)).toEqual(['b', 'a', undefined]);
});

it('a key is passed over in a row: as soon as none is passed over, counting begins again', () => {
  const line = new Line(ageing);
  line.add('old', -1, 0);
  for (let i = 0; i < 9; i++) line.add(`high${i}`, 0, 100);
  expect(take(line, 1000, 2)).toEqual(['high0', 'high1']);
  expect(take(line, 500, 1)).toEqual(['high2']); // a moment at which no key is old
  expect(take(line, 1000, 3)).toEqual(['high3', 'high4', 'old']);
});

it('counting begins again, too, where only one priority was left meanwhile', () => {
  const line = new Line(ageing);
  line.add('old', -1, 0);
  for (let i = 0; i < 4; i++) line.add(`high${i}`, 0, 100);
  expect(take(line, 1000, 2)).toEqual(['high0', 'high1']);
  line.leave('old');
  expect(take(line, 1000, 1)).toEqual(['high2']);
  line.add('other', -1, 0);
  for (let i = 4; i < 9; i++) line.add(`high${i}`, 0, 100);
  expect(take(line, 1000, 3)).toEqual(['high3', 'high4', 'other']);
});

it('a place knows whether it is in line, and is given up once', () => {
  const line = new Line(ageing);
  for (const key of ['a', 'b', 'c']) line.add(key, 0, 0);
  line.leave('b');
  line.leave('b');
  expect([line.size, line.shift(0)?.key]).toEqual([2, 'a']);
  line.leave('a');
  expect([line.size, ...[...line.places.values()].map(({ isInLine }) => isInLine)]).toEqual([1, false, false, true]);
  line.clear();
  expect([line.size, line.places.get('c')?.isInLine]).toEqual([0, false]);
});

it('after an old key was served, counting begins again for the next one', () => {
  const line = new Line(ageing);
  for (const key of ['old0', 'old1']) line.add(key, -1, 0);
  for (let i = 0; i < 9; i++) line.add(`high${i}`, 0, 100);
  expect(take(line, 1000, 6)).toEqual(['high0', 'high1', 'old0', 'high2', 'high3', 'old1']);
});

describe('ageing', () => {
  /** A low key that came in at 100, behind high ones. */
  function behind(): Line {
    const line = new Line(ageing);
    line.add('low', -1, 100);
    for (let i = 0; i < 9; i++) line.add(`high${i}`, 0, 1000);
    return line;
  }

  it('begins when a key has waited for agedAfterMs since its arrival', () => {
    expect(take(behind(), 1099, 10).indexOf('low')).toBe(9);
    expect(take(behind(), 1100, 10).indexOf('low')).toBe(2);
  });

  it('counts only the takes while there is an aged key', () => {
    const line = behind();
    expect(take(line, 1100, 2)).toEqual(['high0', 'high1']);
    line.raise('low', 0); // no key of a lower priority remains
    line.add('other', -1, 50);
    expect(take(line, 1000, 1)).toEqual(['high2']);
    expect(take(line, 1100, 3)).toEqual(['high3', 'high4', 'other']);
  });

  it('does not move a key before others of its own priority', () => {
    const line = new Line(ageing);
    for (const key of ['a', 'b', 'c', 'd']) line.add(key, 0, 0);
    line.add('low', -1, 5000);
    expect(take(line, 5000)).toEqual(['a', 'b', 'c', 'd', 'low']);
  });

  it('serves the key that has waited longest, and of equally old keys the one with the higher priority', () => {
    const line = new Line({ ...ageing, agedShare: 1 });
    line.add('top', 9, 2000);
    line.add('middle', 1, 10);
    line.add('low', 0, 10);
    line.add('oldest', -1, 5);
    expect(take(line, 3000)).toEqual(['oldest', 'middle', 'low', 'top']);
  });
});

it('is empty after clear', () => {
  const line = new Line(ageing);
  line.add('a', 0, 0);
  line.add('b', 1, 0);
  line.clear();
  expect([line.size, [...line], line.shift(0)]).toEqual([0, [], undefined]);
  line.add('a', 0, 1);
  expect(take(line, 1)).toEqual(['a']);
});

it('a priority that ageing empties leaves the keys of all others in line', () => {
  const line = new Line({ agedAfterMs: 1000, agedShare: 1 });
  const priorities = Array.from({ length: 12 }, (_, i) => i);
  line.add('oldest', 5.5, 0);
  for (const priority of priorities) line.add(`p${priority}`, priority, 500);
  expect(take(line, 1200, 1)).toEqual(['oldest']);
  expect(take(line, 1200)).toEqual(priorities.toReversed().map((priority) => `p${priority}`));
});
