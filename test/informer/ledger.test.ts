import { expect, it } from 'vitest';
import { type ContinuityEvent, Ledger } from '../../src/informer/ledger.ts';
import { createLogger } from '../../src/kit/logger.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

function ledger(keep?: number) {
  const clock = new FakeClock(1000);
  const log: string[] = [];
  const book = new Ledger({ clock, keep, scope: 'shop', logger: createLogger((_, message) => log.push(message)) });
  const events: ContinuityEvent[] = [];
  book.observe((event) => events.push(event));
  return { clock, book, events, log };
}

it('tells how each stretch of versions was obtained', () => {
  const { clock, book } = ledger();
  book.synced('10', 3);
  book.opened('10');
  clock.tick(1000);
  book.advanced('15', 4, 1);
  book.ended('closed');
  book.opened('15', 'closed');
  book.advanced('20', 1, 0);
  book.ended('gone');
  book.lost('gone');
  clock.tick(5000);
  book.synced('50', 2);
  book.opened('50');
  expect(book.stretches.map(({ by, from, to, events, bookmarks, ended }) => [by, from, to, events, bookmarks, ended])).toEqual([
    ['initial', '', '10', 3, 0, undefined],
    ['stream', '10', '15', 4, 1, 'closed'],
    ['resumed', '15', '20', 1, 0, 'gone'],
    ['relist', '20', '50', 2, 0, undefined],
    ['stream', '50', '50', 0, 0, undefined],
  ]);
  expect(book.gaps).toEqual([{ from: '20', to: '50', why: 'gone', at: 2000 }]);
  expect([book.relists, book.resumes, book.gapCount, book.resourceVersion]).toEqual([1, 1, 1, '50']);
});

it('tells observers what happened, in order', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('idle');
  clock.tick(150_000);
  book.opened('10', 'idle');
  clock.tick(1000);
  book.lost('very-short');
  book.lost('other');
  book.synced('12', 1);
  expect(events).toEqual([
    { kind: 'synced', resourceVersion: '10', objects: 3, at: 1000, scope: 'shop' },
    { kind: 'resumed', since: '10', why: 'idle', silentMs: 150_000, at: 152_000, scope: 'shop' },
    { kind: 'gap', from: '10', why: 'very-short', at: 152_000, scope: 'shop' },
    { kind: 'relisted', from: '10', resourceVersion: '12', objects: 1, why: 'very-short', at: 152_000, scope: 'shop' },
  ]);
});

it.each<[string, (book: Ledger) => void, number]>([
  ['the first sign of the new stream', (book) => book.advanced('10', 0, 1), 1],
  ['an end that says nothing of versions', (book) => book.ended('connection'), 1],
  ['a refusal in the stream', (book) => book.ended('gone'), 0],
  ['the end of everything', (book) => book.stop(), 0],
])('calls a watch resumed when it is proven to be: %s', (_, happens, resumes) => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('connection');
  book.opened('10', 'connection');
  expect(book.resumes).toBe(0);
  happens(book);
  clock.tick(5000);
  expect([book.resumes, events.filter((e) => e.kind === 'resumed').length]).toEqual([resumes, resumes]);
});

it('knows no gap before the first state', () => {
  const { book, events } = ledger();
  book.lost('other');
  expect([book.gapCount, events]).toEqual([0, []]);
});

it('ages from the last sign of life', () => {
  const { clock, book } = ledger();
  expect([book.lastSignOfLife, book.ageMs]).toEqual([undefined, undefined]);
  book.synced('10', 0);
  clock.tick(700);
  expect([book.lastSignOfLife, book.ageMs]).toEqual([1000, 700]);
  book.advanced('11', 0, 1);
  expect(book.ageMs).toBe(0);
});

it('keeps the newest and counts all', () => {
  const { book } = ledger(3);
  book.synced('1', 0);
  for (let i = 2; i < 10; i++) {
    book.lost('gone');
    book.synced(String(i), 0);
  }
  expect(book.stretches.map((s) => s.to)).toEqual(['7', '8', '9']);
  expect([book.gaps.length, book.gapCount, book.relists]).toEqual([3, 8, 8]);
  expect(() => ledger(0)).toThrow('keep must be at least 1');
});

it('counts what the store refused, change by change, and tells it once a batch', () => {
  const clock = new FakeClock();
  const ledger = new Ledger({ clock });
  const events: ContinuityEvent[] = [];
  ledger.observe((event) => events.push(event));
  const error = new Error('no');
  expect(ledger.storeErrors).toBe(0);
  ledger.refused(error, 'dropped', 1);
  ledger.refused(error, 'unindexed', 3);
  expect(ledger.storeErrors).toBe(4);
  expect(events).toMatchObject([
    { kind: 'fault', fault: 'store', error, next: 'dropped', changes: 1 },
    { kind: 'fault', fault: 'store', error, next: 'unindexed', changes: 3 },
  ]);
});

it('survives an observer that throws, and forgets one that left', () => {
  const { book, events, log } = ledger();
  const observer = book.observe(() => {
    throw new Error('no');
  });
  book.synced('1', 0);
  observer[Symbol.dispose]();
  book.fault('other', new Error('x'), 'relist');
  expect([events.length, log]).toEqual([2, ['an observer of continuity threw']]);
});
