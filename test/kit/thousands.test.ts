import { expect, it } from 'vitest';
import { thousands } from '../../src/kit/thousands.ts';

it('puts thousands apart as Intl does', () => {
  for (const count of [
    0, 7, 999, 1_000, 12_345, 123_456, 1_234_567, 1_000_000_000, 99.5, 1_233.6, -1_234, -123, -123_456,
  ])
    expect(thousands(count)).toBe(Math.round(count).toLocaleString('en-US'));
});
