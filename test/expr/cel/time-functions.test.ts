import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['duration("1h30m")', '5400s'],
  ['duration("90m").getHours()', 1],
  ['now', '2026-03-01T12:00:00.000Z'],
  ['now + duration("1d")', '2026-03-02T12:00:00.000Z'],
  ['now.getDayOfWeek()', 0],
  ['now.getHours("Asia/Tokyo")', 21],
  ['now.getHours("-05:30")', 6],
  ['timestamp("2026-03-01T12:00:00Z") == now', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});
