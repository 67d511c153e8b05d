import { expect, test } from 'vitest';
import { StreamSummary } from '../../src/stream/summary.ts';

test('the last line has the reason for the end, the events, and the counts of continuity', () => {
  const summary = new StreamSummary();
  for (const type of ['ADDED', 'ADDED', 'MODIFIED', 'DELETED'] as const) summary.count(type);
  expect(summary.line('ended by SIGINT', 303_000, { relists: 1, gaps: 0, resumed: 2 })).toBe(
    'ended by SIGINT after 5m3s: 4 events (2 ADDED, 1 MODIFIED, 1 DELETED), 1 relist, no gaps, 2 resumed watches',
  );
});

test('objects that left a filter are counted separately from deleted ones; in the END record both are DELETED', () => {
  const summary = new StreamSummary();
  for (const word of ['ADDED', 'LEFT', 'LEFT', 'DELETED'] as const) summary.count(word);
  const continuity = { relists: 0, gaps: 0, resumed: 0 };
  expect(summary.total).toBe(4);
  expect(summary.line('complete', 1000, continuity)).toBe(
    'complete after 1s: 4 events (1 ADDED, 2 LEFT, 1 DELETED), no gaps',
  );
  expect(summary.counts(continuity)).toMatchObject({ ADDED: 1, MODIFIED: 0, DELETED: 3 });
  expect(summary.counts(continuity)).not.toHaveProperty('LEFT');
});

test('the last line has no counts of 0, except that there were no gaps', () => {
  const summary = new StreamSummary();
  for (let i = 0; i < 12; i++) summary.count('ADDED');
  const line = summary.line('ended by SIGINT', 303_000, { relists: 0, gaps: 0, resumed: 0 });
  expect(line).toBe('ended by SIGINT after 5m3s: 12 events (12 ADDED), no gaps');
});

test('a stream without events says so', () => {
  expect(new StreamSummary().line('--timeout reached', 30_000, { relists: 0, gaps: 1, resumed: 1 })).toBe(
    '--timeout reached after 30s: no events, 1 gap, 1 resumed watch',
  );
});

test('hidden changes and failures are in the line if there were any', () => {
  const summary = new StreamSummary();
  Object.assign(summary.losses, { coalesced: 412, dropped: 2, unshown: 7, expressionErrors: 3, unprintable: 2 });
  const continuity = { relists: 0, gaps: 0, resumed: 0, storeErrors: 1 };
  expect(summary.line('ended by SIGINT', 1000, continuity)).toBe(
    'ended by SIGINT after 1s: no events, no gaps, 2 events dropped, 412 updates coalesced, 7 changes unshown, 1 change not cached, 3 expression errors, 2 unprintable objects',
  );
  expect(summary.counts(continuity)).toMatchObject({
    ADDED: 0,
    dropped: 2,
    coalesced: 412,
    unshown: 7,
    expressionErrors: 3,
    unprintable: 2,
    storeErrors: 1,
  });
});

test('an event that was not printed is not counted, and one that could not be printed is an expression error', () => {
  const summary = new StreamSummary();
  for (const word of ['ADDED', 'ADDED', 'MODIFIED', 'MODIFIED'] as const) summary.count(word);
  summary.uncount('ADDED');
  summary.failed('MODIFIED');
  const continuity = { relists: 0, gaps: 0, resumed: 0 };
  expect(summary.counts(continuity)).toMatchObject({ ADDED: 1, MODIFIED: 1, expressionErrors: 1, storeErrors: 0 });
  expect(summary.total).toBe(2);
});
