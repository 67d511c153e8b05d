import { expect, test } from 'vitest';
import { LiveLayout } from '../../../src/output/live/live-layout.ts';

const plain = (text: string) => text;
const widthsOf = (cells: readonly string[]) => cells.map((cell) => cell.length);
const lineOf = (cells: readonly string[], columns: number, { fixed = 1, shift = 0 } = {}) =>
  new LiveLayout(widthsOf(cells), { columns, fixed, shift }).line(cells, plain);

const POD = ['api-dwgm5pvpx4-2xq4l', '1/1', 'Running', '0', '4s'];
const EVENT = [
  '12s',
  'Warning',
  'FailedScheduling',
  'pod/checkout-jw2pn47ms4-gp94f',
  'Back-off restarting failed container',
];

test('has all columns three places apart where there is room', () => {
  expect(lineOf(POD, 80)).toBe('api-dwgm5pvpx4-2xq4l   1/1   Running   0   4s');
});

test('has smaller gaps before it cuts anything', () => {
  const layout = new LiveLayout(widthsOf(POD), { columns: 43, fixed: 1, shift: 0 });
  expect(layout.line(POD, plain)).toBe('api-dwgm5pvpx4-2xq4l  1/1  Running  0  4s');
  expect([layout.isNarrowed, layout.hasRight]).toEqual([false, false]);
});

test('cuts names in the middle, where they differ least, and texts of several words at the end', () => {
  expect(lineOf(POD, 38)).toBe('api-dwg…4-2xq4l  1/1  Running  0  4s');
  expect(lineOf(EVENT, 80)).toBe('12s  Warning  FailedScheduling  pod/checko…ms4-gp94f  Back-off restarting fai…');
});

test('leaves a message 24 places of 80 however long the other cells are', () => {
  const line = lineOf(['12s', 'Warning', 'a'.repeat(60), 'b'.repeat(60), 'm '.repeat(60)], 80);
  expect(line.length).toBeLessThanOrEqual(78);
  expect(line.split('  ').at(-1)?.length).toBeGreaterThanOrEqual(24);
});

test('leaves out the columns after the fixed ones one by one, and says at which edge something is missing', () => {
  const cells = ['name', 'b'.repeat(12), 'c'.repeat(12), 'd'.repeat(12)];
  const at = (shift: number) => new LiveLayout(widthsOf(cells), { columns: 34, fixed: 1, shift });
  expect(at(0).line(cells, plain)).toBe('name  bbbbbbbbbbbb  cccccccccccc');
  expect([at(0).hasLeft, at(0).hasRight]).toEqual([false, true]);
  expect(at(1).line(cells, plain)).toBe('name  cccccccccccc  dddddddddddd');
  expect([at(1).hasLeft, at(1).hasRight]).toEqual([true, false]);
});

test('never makes a line longer than the terminal', () => {
  for (let columns = 0; columns < 100; columns++)
    for (const shift of [0, 1, 3]) {
      expect(lineOf(EVENT, columns, { shift }).length).toBeLessThanOrEqual(Math.max(0, columns - 2));
    }
});
