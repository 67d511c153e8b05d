import { describe, expect, it } from 'vitest';
import { type ContinuityEvent, ContinuityLedger, isOrdered } from '../../../src/informer/watch/continuity-ledger.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function ledger(keep?: number) {
  const clock = new FakeClock(1000);
  const log: string[] = [];
  const book = new ContinuityLedger({
    clock,
    keep,
    scope: 'shop',
    logger: createLogger((_, message) => log.push(message)),
  });
  const events: ContinuityEvent[] = [];
  book.observe((event) => events.push(event));
  return { clock, book, events, log };
}

it('records how each stretch of versions was obtained', () => {
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
  expect(
    book.stretches.map(({ by, from, to, events, bookmarks, ended }) => [by, from, to, events, bookmarks, ended]),
  ).toEqual([
    ['initial', '', '10', 3, 0, undefined],
    ['stream', '10', '15', 4, 1, 'closed'],
    ['resumed', '15', '20', 1, 0, 'gone'],
    ['relist', '20', '50', 2, 0, undefined],
    ['stream', '50', '50', 0, 0, undefined],
  ]);
  expect(book.gaps).toEqual([{ from: '20', to: '50', why: 'gone', at: 2000 }]);
  expect([book.relists, book.resumes, book.gapCount, book.resourceVersion]).toEqual([1, 1, 1, '50']);
});

it('connects from its start on, not from when it was made', () => {
  const { clock, book } = ledger();
  clock.tick(500);
  book.started();
  expect(book.connection).toEqual({ state: 'connecting', since: 1500 });
  book.synced('10', 1);
  book.opened('10');
  clock.tick(500);
  book.started();
  expect(book.connection.state).toBe('connected');
});

it('reports events in order, with the moments of each outage', () => {
  const { clock, book, events } = ledger();
  const refused = new Error('refused');
  book.synced('10', 3);
  book.opened('10');
  clock.tick(150_000);
  book.ended('idle', 'silent');
  clock.tick(5_000);
  book.attemptFailed('connection', refused);
  clock.tick(2_000);
  book.opened('10', 'idle', true);
  clock.tick(1000);
  book.ended('gone');
  book.lost('gone');
  book.lost('other');
  book.synced('12', 1);
  book.opened('12');
  const outage = { since: '10', why: 'idle', disconnectedAt: 1_000, reconnectedAt: 158_000, downMs: 157_000 };
  expect(events).toEqual([
    { kind: 'synced', resourceVersion: '10', objects: 3, at: 1000, scope: 'shop' },
    {
      kind: 'disconnected',
      from: '10',
      why: 'idle',
      error: 'silent',
      disconnectedAt: 1_000,
      at: 151_000,
      scope: 'shop',
    },
    { kind: 'connected', by: 'resume', proven: false, ...outage, at: 159_000, scope: 'shop' },
    { kind: 'resumed', ...outage, proven: false, at: 159_000, scope: 'shop' },
    { kind: 'gap', from: '10', why: 'gone', at: 159_000, scope: 'shop' },
    { kind: 'relisted', from: '10', resourceVersion: '12', objects: 1, why: 'gone', at: 159_000, scope: 'shop' },
  ]);
});

it.each([
  ['idle', new Error('silent')],
  ['connection', Object.assign(new Error('read timed out'), { code: 'ETIMEDOUT' })],
] as const)('counts an outage that was noticed by silence (%s) from the last byte', (why, error) => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  clock.tick(40_000);
  book.advanced('11', 0, 1);
  clock.tick(25_000);
  book.ended(why, error);
  expect(events.at(-1)).toMatchObject({ kind: 'disconnected', disconnectedAt: 41_000, at: 66_000 });
  expect(book.connection).toMatchObject({ state: 'disconnected', since: 41_000 });
  expect(book.stretches.at(-1)).toMatchObject({ until: 41_000, ended: why });
  clock.tick(1_000);
  book.opened('11', why);
  book.advanced('12', 1, 0);
  expect(events.at(-1)).toMatchObject({ kind: 'resumed', disconnectedAt: 41_000, downMs: 26_000 });
});

it('counts an outage of a stream that never sent a byte from its opening', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  clock.tick(5_000);
  book.opened('10');
  clock.tick(60_000);
  book.ended('idle', new Error('silent'));
  expect(events.at(-1)).toMatchObject({ kind: 'disconnected', disconnectedAt: 6_000 });
});

it('counts an outage that was noticed by a break from that break', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  clock.tick(25_000);
  book.ended('connection', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  expect(events.at(-1)).toMatchObject({ kind: 'disconnected', disconnectedAt: 26_000 });
});

it('shows whether a watch is open, since when, and the latest reason why not', () => {
  const { clock, book } = ledger();
  expect(book.connection).toEqual({ state: 'connecting', since: 1000 });
  book.attemptFailed('connection', 'refused');
  expect(book.connection).toEqual({ state: 'connecting', since: 1000, why: 'connection', error: 'refused' });
  clock.tick(500);
  book.synced('10', 3);
  book.opened('10');
  expect(book.connection).toEqual({ state: 'connected', since: 1500 });
  clock.tick(500);
  book.ended('closed');
  // an ordinary end: the next watch is about to open
  expect(book.connection).toEqual({ state: 'connected', since: 1500 });
  clock.tick(500);
  book.attemptFailed('connection', 'refused');
  clock.tick(500);
  book.attemptFailed('other', 'log in');
  expect(book.connection).toEqual({ state: 'disconnected', since: 2000, from: '10', why: 'other', error: 'log in' });
  book.opened('10', 'closed');
  book.advanced('11', 1, 0);
  expect(book.connection).toEqual({ state: 'connected', since: 3000 });
});

it('counts an outage until a watch lasts: one that ends before its first event was no connection', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('connection');
  clock.tick(2_000);
  book.opened('10', 'connection', true);
  clock.tick(200);
  book.ended('connection');
  clock.tick(3_000);
  book.opened('10', 'connection', true);
  book.advanced('11', 1, 0);
  expect(events.map((e) => e.kind)).toEqual(['synced', 'disconnected', 'connected', 'resumed']);
  expect(events.at(-1)).toMatchObject({ disconnectedAt: 1000, downMs: 5_200, proven: true });
  expect(book.resumes).toBe(1);
});

it('ends an outage that a relist repaired with the watch after the relist', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('gone');
  book.lost('gone');
  book.attemptFailed('connection', 'refused');
  clock.tick(4_000);
  book.synced('20', 3);
  book.opened('20');
  expect(events.map((e) => e.kind)).toEqual(['synced', 'gap', 'disconnected', 'relisted', 'connected']);
  expect(events.at(-1)).toMatchObject({ by: 'relist', since: '20', downMs: 4_000, proven: false });
});

it.each<[string, (book: ContinuityLedger) => void, boolean[]]>([
  ['the first event of the new stream proves it', (book) => book.advanced('10', 0, 1), [true]],
  ['silence proves nothing', () => {}, [false]],
  ['an end says nothing about versions', (book) => book.ended('connection'), []],
  ['a refusal in the stream is no resumed watch', (book) => book.ended('gone'), []],
  ['the end of the reflector is no resumed watch', (book) => book.stop(), []],
])('claims that nothing was missed only where it is proven: %s', (_, happens, proven) => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('connection');
  book.opened('10', 'connection', true);
  expect(book.resumes).toBe(0);
  happens(book);
  clock.tick(5000);
  expect(events.flatMap((e) => (e.kind === 'resumed' ? [e.proven] : []))).toEqual(proven);
  expect(book.resumes).toBe(proven.length);
});

it('reports the proof of a resumed watch when it comes, once, and only where the history was checked', () => {
  for (const isVerified of [true, false, undefined]) {
    const { clock, book, events } = ledger();
    book.synced('10', 3);
    book.opened('10');
    book.ended('connection');
    book.opened('10', 'connection', isVerified);
    clock.tick(60_000);
    book.advanced('10', 0, 1);
    book.advanced('11', 1, 0);
    const kinds = events.map((e) => e.kind).slice(3);
    expect(kinds).toEqual(isVerified ? ['resumed', 'proven'] : ['resumed']);
  }
});

it('has no gap before the initial list', () => {
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

it('ages also while the clock is set back', () => {
  const { clock, book } = ledger();
  book.synced('10', 0);
  clock.tick(700);
  const now = clock.now();
  clock.now = () => now - 3_600_000;
  expect(book.ageMs).toBe(700);
});

it('keeps the newest entries and counts all', () => {
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

it('counts the changes that the store refused, and reports each batch once', () => {
  const clock = new FakeClock();
  const ledger = new ContinuityLedger({ clock });
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

it('survives an observer that throws, and drops one that was disposed', () => {
  const { book, events, log } = ledger();
  const observer = book.observe(() => {
    throw new Error('no');
  });
  book.synced('1', 0);
  observer[Symbol.dispose]();
  book.fault('other', new Error('x'), 'relist');
  expect([events.length, log]).toEqual([2, ['an observer of continuity threw']]);
});

it('keeps 200 entries by default, and at least one', () => {
  const { book } = ledger();
  for (let i = 0; i < 300; i++) book.synced(String(i), 1);
  expect(book.stretches).toHaveLength(200);
  const { book: short } = ledger(1);
  for (let i = 0; i < 3; i++) short.synced(String(i), 1);
  expect(short.stretches.map(({ to }) => to)).toEqual(['2']);
  expect(() => ledger(0)).toThrow('keep must be at least 1, not 0');
});

it('reports a relist without a gap if the version is another one, with why it was made', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  clock.tick(500);
  book.synced('10', 3, 'resync');
  expect(book.stretches[1]).toMatchObject({ by: 'stream', until: 1500, ended: undefined });
  expect([book.relists, events.length]).toEqual([0, 1]);
  book.synced('12', 4, 'resync');
  expect(events.slice(1)).toMatchObject([{ kind: 'relisted', from: '10', resourceVersion: '12', why: 'resync' }]);
  book.lost('gone');
  book.synced('12', 4);
  expect(events.at(-1)).toMatchObject({ kind: 'relisted', from: '12', resourceVersion: '12', why: 'gone' });
  expect(book.relists).toBe(2);
});

it('counts an outage before the first watch from the list, and that of a stream that went with the list from its last byte', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  clock.tick(2000);
  book.attemptFailed('connection', 'refused');
  expect(events.at(-1)).toMatchObject({ kind: 'disconnected', from: '10', disconnectedAt: 1000, at: 3000 });
  const silent = ledger();
  silent.book.synced('10', 3);
  silent.clock.tick(5000);
  silent.book.ended('idle', 'silent');
  expect(silent.events.at(-1)).toMatchObject({ kind: 'disconnected', disconnectedAt: 1000 });
  const broken = ledger();
  broken.book.synced('10', 3);
  broken.clock.tick(5000);
  broken.book.ended('broken', 'reset');
  expect(broken.events.at(-1)).toMatchObject({ kind: 'disconnected', disconnectedAt: 6000 });
});

it('takes a batch without an event or bookmark for no arrival', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.ended('closed');
  book.opened('10', 'closed', true);
  book.advanced('10', 0, 0);
  expect(events.map(({ kind }) => kind)).toEqual(['synced']);
  clock.tick(1000);
  expect(events.at(-1)).toMatchObject({ kind: 'resumed', proven: false });
});

it('reports a resumed watch a second after it was opened, whatever was opened and ended before', () => {
  const { clock, book, events } = ledger();
  const kinds = () => events.map(({ kind }) => kind);
  book.synced('10', 3);
  book.opened('10');
  book.ended('closed');
  book.opened('10', 'closed', true);
  clock.tick(500);
  book.ended('closed');
  book.opened('10', 'closed');
  clock.tick(999);
  expect(kinds()).toEqual(['synced']);
  clock.tick(1);
  expect(kinds()).toEqual(['synced', 'resumed']);
  expect(clock.pending).toBe(0);
});

it('proves no earlier watch by an event of a later one', () => {
  const { clock, book, events } = ledger();
  book.synced('10', 3);
  book.opened('10', 'closed', true);
  clock.tick(1000);
  book.ended('closed');
  book.opened('10', 'closed');
  clock.tick(1000);
  book.advanced('11', 1, 0);
  expect(events.map(({ kind }) => kind)).toEqual(['synced', 'resumed', 'resumed']);
});

it('counts no outage for a watch that is resumed without one', () => {
  const { clock, book, events } = ledger();
  book.opened('10', 'restart');
  clock.tick(300);
  book.arrived();
  expect(events).toEqual([
    expect.objectContaining({ kind: 'resumed', since: '10', disconnectedAt: 1000, reconnectedAt: 1000, downMs: 0 }),
  ]);
});

it('begins with a stored state: an outage since it was stored, which is never in the future', () => {
  for (const [at, storedAt] of [
    [400, 400],
    [9000, 1000],
  ] as const) {
    const { clock, book, events } = ledger();
    book.restored({ resourceVersion: '7', at }, 5);
    expect([book.ageMs, book.lastSignOfLife, book.resourceVersion]).toEqual([1000 - storedAt, storedAt, '7']);
    expect(book.stretches).toEqual([
      { by: 'restored', from: '', to: '7', events: 5, bookmarks: 0, at: 1000, until: 1000, ended: undefined },
    ]);
    expect(events).toEqual([{ kind: 'restored', resourceVersion: '7', objects: 5, storedAt, at: 1000, scope: 'shop' }]);
    expect(book.connection.state).toBe('connecting');
    book.attemptFailed('connection', 'refused');
    expect(events[1]).toMatchObject({ kind: 'disconnected', from: '7', why: 'connection', disconnectedAt: storedAt });
    clock.tick(100);
    book.synced('8', 5);
    expect(events.at(-1)).toMatchObject({ kind: 'relisted', from: '7', resourceVersion: '8' });
  }
});

it('counts comparisons with the server, and those that found a difference', () => {
  const { clock, book, events } = ledger();
  expect([book.verifications, book.drifts, book.lastVerified]).toEqual([0, 0, undefined]);
  book.synced('10', 3);
  clock.tick(50);
  book.verified(true);
  expect([book.verifications, book.drifts, book.lastVerified]).toEqual([1, 0, 1050]);
  book.verified(false);
  clock.tick(50);
  book.confirmed();
  expect([book.verifications, book.drifts, book.lastVerified, book.ageMs]).toEqual([3, 1, 1100, 0]);
  expect(events.map(({ kind }) => kind)).toEqual(['synced', 'verified']);
});

it('wakes those that wait for a sign of life at the next one', async () => {
  const { book } = ledger();
  const signs: string[] = [];
  void book.whenSign(new AbortController().signal).then(() => signs.push('sign'));
  const ending = new AbortController();
  const ended = book.whenSign(ending.signal);
  ending.abort(new Error('enough'));
  await expect(ended).rejects.toThrow('enough');
  expect(signs).toEqual([]);
  book.synced('10', 3);
  await Promise.resolve();
  await Promise.resolve();
  expect(signs).toEqual(['sign']);
});

it('reports the pauses that a server asks for', () => {
  const { book, events } = ledger();
  book.waiting('later', 5000);
  expect(events).toEqual([{ kind: 'waiting', error: 'later', waitMs: 5000, at: 1000, scope: 'shop' }]);
});

it('delivers what must keep its place among the changes in order with them', () => {
  const { book, events } = ledger();
  book.synced('10', 3);
  book.opened('10');
  book.lost('gone');
  book.synced('12', 1);
  book.waiting('later', 1);
  expect(events.map((event) => [event.kind, isOrdered(event)])).toEqual([
    ['synced', false],
    ['gap', true],
    ['relisted', true],
    ['waiting', false],
  ]);
});

describe('a doubt, because a server accepts watches and brings nothing', () => {
  const doubted = () => {
    const all = ledger();
    all.book.synced('10', 3);
    all.book.opened('10');
    all.book.ended('very-short');
    all.book.doubted('very-short', 'nothing came');
    return { ...all, kinds: () => all.events.map(({ kind }) => kind) };
  };

  it('is an outage, and no gap if the list is at our version and agrees', () => {
    const { book, kinds } = doubted();
    expect(kinds()).toEqual(['synced', 'disconnected']);
    book.listed('10', () => true);
    book.synced('10', 3);
    expect([kinds(), book.gapCount]).toEqual([['synced', 'disconnected'], 0]);
  });

  it.each([
    ['is at another version', '11', true],
    ['does not agree', '10', false],
  ])('is a gap if the list %s, once', (_, version, agrees) => {
    const { book, kinds } = doubted();
    book.listed(version, () => agrees);
    book.synced(version, 3);
    expect(kinds()).toEqual(['synced', 'disconnected', 'gap', 'relisted']);
    expect(book.gaps[0]?.why).toBe('very-short');
    book.listed('12', () => false);
    expect(kinds()).toHaveLength(4);
  });

  it('is none before the first list, nor within a gap', () => {
    const { book, events } = ledger();
    book.doubted('very-short', 'nothing came');
    book.listed('10', () => false);
    book.synced('10', 3);
    book.opened('10');
    book.ended('gone');
    book.lost('gone');
    book.doubted('very-short', 'nothing came');
    expect(events.map(({ kind }) => kind)).toEqual(['synced', 'gap']);
  });
});
