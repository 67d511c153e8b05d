import { expect, it } from 'vitest';
import { warnWhileWaiting } from '../../../src/informer/watch/bookmark-warning.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

it('warns at each interval, with the silence so far and whether any event has come, until it is disposed', () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = createLogger((level, message) => lines.push(`${level} ${message}`));
  const stream = { events: 0, lastReadAt: 0 };
  const warning = warnWhileWaiting(stream, 10_000, clock, logger);
  clock.tick(9_999);
  expect(lines).toEqual([]);
  clock.tick(1);
  stream.events = 3;
  stream.lastReadAt = 12_000;
  clock.tick(10_000);
  expect(lines).toEqual([
    'warn awaiting required bookmark event for initial events stream, no events received for 10s',
    "warn hasn't received required bookmark event marking the end of initial events stream, received last event 8s ago",
  ]);
  warning[Symbol.dispose]();
  clock.tick(60_000);
  expect([lines.length, clock.pending]).toEqual([2, 0]);
});
