import { describe, expect, it } from 'vitest';
import { PriorityLine } from '../../src/workqueue/priority-line.ts';

const ageing = { agedAfterMs: 1000, agedShare: 3 };

/** Takes `count` keys at one moment. */
function take(line: PriorityLine, now: number, count = line.size): (string | undefined)[] {
  return Array.from({ length: count }, () => line.shift(now)?.key);
}

it('serves any number of priorities from the highest down, each in order of arrival', () => {
  const line = new PriorityLine(ageing);
  const keys = Array.from({ length: 20 }, (_, priority) =>
    [0, 1, 2].map((n) => ({ key: `p${priority}-${n}`, priority })),
  ).flat();
  const shuffled = keys.map((each, i) => keys[(i * 7) % keys.length] ?? each);
  for (const { key, priority } of shuffled) line.push(key, priority, 0);
  expect(line.size).toBe(60);
  const wanted = [...shuffled].sort((a, b) => b.priority - a.priority).map(({ key }) => key);
  expect(take(line, 0)).toEqual(wanted);
  for (const { key, priority } of shuffled) line.push(key, priority, 0);
  expect(take(line, 0)).toEqual(wanted);
  expect([line.size, line.shift(0)]).toEqual([0, undefined]);
});

it('a key that moves to a higher priority keeps its time of arrival, and is served once', () => {
  const line = new PriorityLine(ageing);
  line.push('a', 0, 5);
  line.push('b', 0, 6);
  line.push('b', 1, 7);
  line.push('b', 1, 8);
  line.push('b', 0, 9);
  expect([...line].sort((x, y) => x.key.localeCompare(y.key))).toEqual([
    { key: 'a', priority: 0, since: 5 },
    { key: 'b', priority: 1, since: 6 },
  ]);
  expect(take(line, 10, 3)).toEqual(['b', 'a', undefined]);
});

it('a key is passed over in a row: as soon as none is passed over, counting begins again', () => {
  const line = new PriorityLine(ageing);
  line.push('old', -1, 0);
  for (let i = 0; i < 9; i++) line.push(`high${i}`, 0, 100);
  expect(take(line, 1000, 2)).toEqual(['high0', 'high1']);
  expect(take(line, 500, 1)).toEqual(['high2']); // a moment at which no key is old
  expect(take(line, 1000, 3)).toEqual(['high3', 'high4', 'old']);
});

it('counting begins again, too, where only one priority was left meanwhile', () => {
  const line = new PriorityLine(ageing);
  line.push('old', -1, 0);
  for (let i = 0; i < 4; i++) line.push(`high${i}`, 0, 100);
  expect(take(line, 1000, 2)).toEqual(['high0', 'high1']);
  line.delete('old');
  expect(take(line, 1000, 1)).toEqual(['high2']);
  line.push('other', -1, 0);
  for (let i = 4; i < 9; i++) line.push(`high${i}`, 0, 100);
  expect(take(line, 1000, 3)).toEqual(['high3', 'high4', 'other']);
});

it('knows whether a key is in line', () => {
  const line = new PriorityLine(ageing);
  line.push('a', 0, 0);
  expect([line.has('a'), line.has('b'), line.delete('b'), line.delete('a'), line.has('a')]).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
});

it('after an old key was served, counting begins again for the next one', () => {
  const line = new PriorityLine(ageing);
  for (const key of ['old0', 'old1']) line.push(key, -1, 0);
  for (let i = 0; i < 9; i++) line.push(`high${i}`, 0, 100);
  expect(take(line, 1000, 6)).toEqual(['high0', 'high1', 'old0', 'high2', 'high3', 'old1']);
});

describe('ageing', () => {
  /** A low key that came in at 100, behind high ones. */
  function behind(): PriorityLine {
    const line = new PriorityLine(ageing);
    line.push('low', -1, 100);
    for (let i = 0; i < 9; i++) line.push(`high${i}`, 0, 1000);
    return line;
  }

  it('begins when a key has waited for agedAfterMs since its arrival', () => {
    expect(take(behind(), 1099, 10).indexOf('low')).toBe(9);
    expect(take(behind(), 1100, 10).indexOf('low')).toBe(2);
  });

  it('counts only the takes while there is an aged key', () => {
    const line = behind();
    expect(take(line, 1100, 2)).toEqual(['high0', 'high1']);
    line.push('low', 0, 1100); // no key of a lower priority remains
    line.push('other', -1, 50);
    expect(take(line, 1000, 1)).toEqual(['high2']);
    expect(take(line, 1100, 3)).toEqual(['high3', 'high4', 'other']);
  });

  it('does not move a key before others of its own priority', () => {
    const line = new PriorityLine(ageing);
    for (const key of ['a', 'b', 'c', 'd']) line.push(key, 0, 0);
    line.push('low', -1, 5000);
    expect(take(line, 5000)).toEqual(['a', 'b', 'c', 'd', 'low']);
  });

  it('serves the key that has waited longest, and of equally old keys the one with the higher priority', () => {
    const line = new PriorityLine({ ...ageing, agedShare: 1 });
    line.push('top', 9, 2000);
    line.push('middle', 1, 10);
    line.push('low', 0, 10);
    line.push('oldest', -1, 5);
    expect(take(line, 3000)).toEqual(['oldest', 'middle', 'low', 'top']);
  });
});

it('is empty after clear', () => {
  const line = new PriorityLine(ageing);
  line.push('a', 0, 0);
  line.push('b', 1, 0);
  line.clear();
  expect([line.size, [...line], line.shift(0)]).toEqual([0, [], undefined]);
  line.push('a', 0, 1);
  expect(take(line, 1)).toEqual(['a']);
});
