import { describe, expect, test } from 'vitest';
import { timeTexts } from '../../src/output/timestamps.ts';

describe('times', () => {
  test('are relative to the start', () => {
    let now = Date.UTC(2026, 0, 1, 12);
    const since = timeTexts('relative', { now: () => now });
    now += 5;
    expect(since('2026-01-01T12:00:00.000Z')).toBe('+0.0s');
    expect(since('2026-01-01T12:00:12.340Z')).toBe('+12.3s');
    expect(since('2026-01-01T12:00:59.960Z')).toBe('+1m0.0s');
    expect(since('2026-01-01T14:03:07.000Z')).toBe('+2h3m7.0s');
    expect(since('2026-01-01T11:59:58.500Z')).toBe('-1.5s');
  });

  test('are the local time of day, or RFC 3339 as received', () => {
    const clock = { now: () => 0 };
    const local = new Date('2026-01-01T12:03:07.045Z');
    const hours = String(local.getHours()).padStart(2, '0');
    const minutes = String(local.getMinutes()).padStart(2, '0');
    expect(timeTexts('received', clock)('2026-01-01T12:03:07.045Z')).toBe(`${hours}:${minutes}:07.045`);
    expect(timeTexts('rfc3339', clock)('2026-01-01T12:03:07.045Z')).toBe('2026-01-01T12:03:07.045Z');
  });
});
