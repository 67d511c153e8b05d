import { expect, it } from 'vitest';
import { microTimestamp, timestamp } from '../../src/sandbox/cluster.ts';

it.each([
  [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
  [Date.UTC(2026, 0, 2, 3, 4, 5, 678), '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678000Z'],
  [Date.UTC(2026, 11, 31, 23, 59, 59, 999), '2026-12-31T23:59:59Z', '2026-12-31T23:59:59.999000Z'],
])('%i ms is %s in metadata and %s in a MicroTime', (ms, seconds, micros) => {
  expect([timestamp(ms), microTimestamp(ms)]).toEqual([seconds, micros]);
});
