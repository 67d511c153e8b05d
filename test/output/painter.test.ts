import { expect, test } from 'vitest';
import { loadPainter, plainPainter } from '../../src/output/painter.ts';

test('events are coloured by what they are: ADDED green, MODIFIED yellow, DELETED red', async () => {
  const painter = await loadPainter(1);
  expect(painter.event('ADDED', 'x')).toBe('\x1b[32mx\x1b[39m');
  expect(painter.event('MODIFIED', 'x')).toBe('\x1b[33mx\x1b[39m');
  expect(painter.event('DELETED', 'x')).toBe('\x1b[31mx\x1b[39m');
  expect(painter.heading('X')).toBe('\x1b[1mX\x1b[22m');
});

test('at level 0 text stays as it is', async () => {
  expect(await loadPainter(0)).toBe(plainPainter);
  expect(plainPainter.event('ADDED', 'x') + plainPainter.heading('y')).toBe('xy');
});
