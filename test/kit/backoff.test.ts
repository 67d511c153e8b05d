import { expect, it } from 'vitest';
import { Backoff, type BackoffOptions } from '../../src/kit/backoff.ts';

const REFLECTOR = { initialMs: 800, factor: 2, jitter: 1, capMs: 30_000, resetAfterMs: 120_000 };

it('grows 0.8, 1.6 … 30 s and stays there [REF-38]', () => {
  const backoff = new Backoff({ ...REFLECTOR, random: () => 0 });
  const steps = Array.from({ length: 8 }, (_, i) => backoff.next(i * 1000));
  expect(steps).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
});

it('draws each delay from [d, 2d) [REF-38]', () => {
  const backoff = new Backoff({ ...REFLECTOR, random: () => 0.999999 });
  const first = backoff.next(0);
  expect(first).toBeGreaterThan(1599);
  expect(first).toBeLessThan(1600);
});

it('starts again after a time without calls, counted from the last call [KR-07]', () => {
  const backoff = new Backoff({ ...REFLECTOR, random: () => 0 });
  const at = [0, 100_000, 200_000, 320_001, 330_000];
  expect(at.map((now) => backoff.next(now))).toEqual([800, 1600, 3200, 800, 1600]);
});

it('starts again after reset()', () => {
  const backoff = new Backoff({ ...REFLECTOR, random: () => 0 });
  backoff.next(0);
  backoff.next(1);
  backoff.reset();
  expect(backoff.next(2)).toBe(800);
});

it('never starts above its largest delay', () => {
  const backoff = new Backoff({ ...REFLECTOR, capMs: 500, random: () => 0 });
  expect([backoff.next(0), backoff.next(1)]).toEqual([500, 500]);
});

it.each([
  ['initialMs', undefined, 0],
  ['initialMs', -1, 0],
  ['factor', Number.NaN, 1],
  ['factor', 0.5, 1],
  ['jitter', '1', 0],
  ['capMs', Number.POSITIVE_INFINITY, 0],
  ['resetAfterMs', -5, 0],
  ['resetAfterMs', null, 0],
])('refuses %s: %s, which would give no delay', (name, value, least) => {
  const options = { ...REFLECTOR, [name]: value } as unknown as BackoffOptions;
  expect(() => new Backoff(options)).toThrow(
    expect.objectContaining({
      code: 'argument',
      message: `${name} of a backoff must be a finite number not below ${least}, not ${value}`,
    }),
  );
});

it('accepts zeros, and a reset that never happens', () => {
  const backoff = new Backoff({ initialMs: 0, factor: 1, jitter: 0, capMs: 0, resetAfterMs: Number.POSITIVE_INFINITY });
  expect([backoff.next(0), backoff.next(1e12)]).toEqual([0, 0]);
});
