import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Screen } from '../../../src/output/live/screen.ts';
import { Terminal } from '../terminal.ts';

const size = { columns: 20, rows: 5 };

describe('a screen', () => {
  test('shows its lines below what was there', () => {
    const terminal = new Terminal(20, 5, ['$ watch']);
    terminal.write(new Screen().draw(['a', 'b'], size));
    expect(terminal.screen).toEqual(['$ watch', 'a', 'b']);
    expect(terminal.isCursorVisible).toBe(false);
  });

  test('writes only the lines that differ, and nothing when none does', () => {
    const screen = new Screen();
    screen.draw(['a', 'b', 'c'], size);
    const text = screen.draw(['a', 'B', 'c'], size);
    expect(text).toContain('B');
    expect(text).not.toMatch(/[ac]/);
    expect(screen.draw(['a', 'B', 'c'], size)).toBe('');
  });

  test('clears the terminal when its size changes', () => {
    const screen = new Screen();
    screen.draw(['a', 'b'], size);
    const resized = new Terminal(10, 4, ['half of', 'what was']);
    resized.write(screen.draw(['a', 'b'], { columns: 10, rows: 4 }));
    expect(resized.screen).toEqual(['a', 'b']);
  });

  test('leaves its last lines when it ends, with the cursor visible below them', () => {
    const screen = new Screen();
    const terminal = new Terminal(20, 5);
    terminal.write(screen.draw(['a', 'b'], size) + screen.draw(['c'], size) + screen.end());
    expect(terminal.screen).toEqual(['c']);
    expect(terminal.isCursorVisible).toBe(true);
    expect(terminal.cursor).toEqual([1, 0]);
    expect(screen.end()).toBe('');
  });

  test('makes room for other text, and goes on below it, also when the size changed meanwhile', () => {
    const screen = new Screen();
    const terminal = new Terminal(20, 6, ['$ watch']);
    terminal.write(screen.draw(['a', 'b', 'c'], size));
    terminal.write(`${screen.clear()}a notice\r\n`);
    expect(terminal.screen).toEqual(['$ watch', 'a notice']);
    terminal.write(screen.draw(['a', 'b'], { columns: 20, rows: 6 }));
    expect(terminal.screen).toEqual(['$ watch', 'a notice', 'a', 'b']);
    expect(new Screen().clear()).toBe('');
  });

  test('goes on below its end when it is drawn again', () => {
    const screen = new Screen();
    const terminal = new Terminal(20, 6);
    terminal.write(`${screen.draw(['a'], size)}${screen.end()}text\r\n${screen.draw(['b'], { columns: 20, rows: 6 })}`);
    expect(terminal.screen).toEqual(['a', 'text', 'b']);
    expect(terminal.isCursorVisible).toBe(false);
  });

  test('that was never drawn ends without a word', () => {
    expect(new Screen().end()).toBe('');
  });

  test('shows just the last of any frames, and what stood above them scrolls but never changes', () => {
    const line = fc.stringMatching(/^[a-c]{0,3}$/);
    const frames = fc.array(fc.array(line, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(frames, fc.nat({ max: 5 }), (drawn, above) => {
        const screen = new Screen();
        const before = Array.from({ length: above }, (_, i) => `above ${i}`);
        const terminal = new Terminal(20, 5, before);
        for (const frame of drawn) terminal.write(screen.draw(frame, size));
        const last = drawn.at(-1) ?? [];
        const all = [...terminal.scrolled, ...terminal.screen];
        expect(all.slice(0, above)).toEqual(before);
        expect(withoutEmptyEnd(all.slice(above))).toEqual(withoutEmptyEnd(last));
      }),
    );
  });
});

const withoutEmptyEnd = (lines: readonly string[]) => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
