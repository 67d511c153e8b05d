import { describe, expect, it } from 'vitest';
import { ageDuration, humanDuration, parseDuration, parseLongDuration, shortDuration } from '../../src/kit/duration.ts';

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
    ['-1s', -1000],
    ['0', 0],
    ['2h45m10s', 9_910_000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '5', '1d', 's', '1h 30m', '--1s', '1hx'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(`invalid duration "${text}"`);
  });

  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [190, '3m10s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [5 * 3600 + 120, '5h2m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [52 * 3600, '2d4h'],
    [8 * 24 * 3600, '8d'],
    [729 * 24 * 3600, '729d'],
    [740 * 24 * 3600, '2y10d'],
    [9 * 365 * 24 * 3600, '9y'],
    [-1.5, '0s'],
    [-3, '<invalid>'],
  ])('prints %d s as %s', (seconds, text) => expect(humanDuration(seconds * 1000)).toBe(text));

  it.each([
    ['1d', 86_400_000],
    ['3d4h', 273_600_000],
    ['2y10d', 63_936_000_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
  ])('reads an age of %s', (text, ms) => expect(parseLongDuration(text)).toBe(ms));

  it.each(['', '4h3d', 'd', '1w'])('refuses %j as an age', (text) => {
    expect(() => parseLongDuration(text)).toThrow(
      expect.objectContaining({ code: 'argument', hint: 'write it as 30s, 5m or 1h30m' }),
    );
  });
});

it('a short duration has milliseconds below a second, an age tenths below ten seconds', () => {
  expect([-3, 0.4, 249.6, 999, 1000, 61_000].map(shortDuration)).toEqual(['0ms', '0ms', '250ms', '999ms', '1s', '61s']);
  expect([0, 412, 9_940, 10_000, 200_000].map(ageDuration)).toEqual(['0.0s', '0.4s', '9.9s', '10s', '3m20s']);
});
