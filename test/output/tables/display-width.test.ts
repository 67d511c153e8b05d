import { describe, expect, test } from 'vitest';
import { cutToWidth, displayWidth, withoutMiddle } from '../../../src/output/tables/display-width.ts';

describe('the width on a terminal', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['한', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['😀', 2],
    ['a\u200bb', 2],
    ['→', 1],
  ])('%s: %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('is respected by a cut', () => {
    expect(cutToWidth('日本語', 3)).toBe('日');
    expect(cutToWidth('e\u0301x', 1)).toBe('e\u0301');
    expect(cutToWidth('abc', 3)).toBe('abc');
    expect(cutToWidth('abc', 0)).toBe('');
  });
});

test('a long text loses its middle', () => {
  expect(withoutMiddle('registry.example.com/team/web:1.2.3', 15, false)).toBe('registr…b:1.2.3');
  expect(withoutMiddle('registry.example.com/team/web:1.2.3', 15, true)).toBe('regist...:1.2.3');
  expect(withoutMiddle('short', 15, false)).toBe('short');
  expect(displayWidth(withoutMiddle('漢字漢字漢字漢字', 7, false))).toBeLessThanOrEqual(7);
});
