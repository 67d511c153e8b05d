import { expect, it } from 'vitest';
import { valueFrom } from '../../support/cel.ts';

it.each([
  ['duration("1h30m")', '5400s'],
  ['duration("90m").getHours()', 1],
  ['now', '2026-03-01T12:00:00Z'],
  ['now + duration("1d")', '2026-03-02T12:00:00Z'],
  ['now.getDayOfWeek()', 0],
  ['now.getHours("Asia/Tokyo")', 21],
  ['now.getHours("-05:30")', 6],
  ['timestamp("2026-03-01T12:00:00Z") == now', true],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['timestamp(0)', '1970-01-01T00:00:00Z'],
  ['timestamp(-62135596800)', '0001-01-01T00:00:00Z'],
  ['timestamp(253402300799)', '9999-12-31T23:59:59Z'],
  ['timestamp("2026-02-03T04:05:06.007Z").getFullYear()', 2026],
  ['timestamp("2026-02-03T04:05:06.007Z").getMonth()', 1],
  ['timestamp("2026-02-03T04:05:06.007Z").getDate()', 3],
  ['timestamp("2026-02-03T04:05:06.007Z").getDayOfMonth()', 2],
  ['timestamp("2026-02-03T04:05:06.007Z").getDayOfYear()', 33],
  ['timestamp("2026-02-03T04:05:06.007Z").getMinutes("+05:30")', 35],
  ['timestamp("2026-02-03T04:05:06.007Z").getSeconds()', 6],
  ['timestamp("2026-02-03T04:05:06.007Z").getMilliseconds("Asia/Tokyo")', 7],
  ['timestamp("2026-12-31T23:30:00Z").getDayOfYear("Europe/Berlin")', 0],
  ['duration("-90s").getMinutes()', -1],
  ['duration("1500ms").getMilliseconds()', 1500],
])('%s is %j', (source, expected) => {
  expect(valueFrom(source)).toEqual(expected);
});

it.each([
  ['now.getHours("Nowhere/Town")', 'there is no such time zone'],
  ['timestamp(object.metadata.name)', 'timestamp() cannot read this text'],
  ['timestamp(1000000000000)', 'timestamp overflow'],
  ['timestamp(-62135596801)', 'timestamp overflow'],
  ['timestamp(dyn(0.0 / 0.0))', 'timestamp overflow'],
  ['timestamp("9999-06-01T00:00:00Z") + duration("9000h")', 'timestamp overflow'],
  ['duration("9000h") + timestamp("9999-06-01T00:00:00Z")', 'timestamp overflow'],
  ['timestamp("0001-02-01T00:00:00Z") - duration("9000h")', 'timestamp overflow'],
  ['timestamp("9999-06-01T00:00:00Z") + duration("9000h") > now', 'timestamp overflow'],
  ['duration("9999999999999h")', 'duration() cannot read this text'],
  ['timestamp("2026-02-30T00:00:00Z")', 'timestamp() cannot read this text'],
  ['timestamp("0000-12-31T23:59:59Z")', 'timestamp() cannot read this text'],
  ['duration(object.metadata.name)', 'duration() cannot read this text'],
  ['dyn(3).getHours()', 'expected a timestamp, got int'],
])('%s fails: %s', (source, message) => {
  expect(() => valueFrom(source)).toThrow(message);
});
