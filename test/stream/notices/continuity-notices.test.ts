import { expect, it } from 'vitest';
import type { ContinuityEvent } from '../../../src/informer/watch/continuity-ledger.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { ContinuityNotices } from '../../../src/stream/notices/continuity-notices.ts';

const type = (resource: string) => ({ gvr: { group: '', version: 'v1', resource } }) as ResourceType;
const [PODS, SECRETS] = [type('pods'), type('secrets')];

const refused = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
const fault = (error: Error, scope?: string) =>
  ({ kind: 'fault', fault: 'connection', error, next: 'resume', at: 0, scope }) as ContinuityEvent;
const resumed = (scope?: string) =>
  ({ kind: 'resumed', since: '7', why: 'connection', downMs: 5000, proven: true, at: 0, scope }) as ContinuityEvent;

it('reports one outage once, however many informers it hits and however often they try', () => {
  const notices = new ContinuityNotices();
  expect(notices.textOf(fault(refused(), 'a'), PODS)).toBe('connection refused; trying again');
  expect(notices.textOf(fault(refused(), 'b'), PODS)).toBeUndefined();
  expect(notices.textOf(fault(refused()), SECRETS)).toBeUndefined();
  expect(notices.textOf(fault(refused(), 'a'), PODS)).toBeUndefined();
  expect(notices.textOf(fault(new Error('no such host')), SECRETS)).toBe('secrets: no such host; trying again');
});

it('reports the next outage again, which begins when every informer was well', () => {
  const notices = new ContinuityNotices();
  notices.textOf(fault(refused()), PODS);
  notices.textOf(fault(refused()), SECRETS);
  expect(notices.textOf(resumed(), PODS)).toBe('pods: watch resumed at 7 after 5s (connection); nothing was missed');
  expect(notices.textOf(fault(refused()), PODS)).toBeUndefined();
  notices.textOf(resumed(), PODS);
  notices.textOf(resumed(), SECRETS);
  expect(notices.textOf(fault(refused()), PODS)).toBe('connection refused; trying again');
});

it('says once in an outage that the server asks to wait, in place of the fault', () => {
  const notices = new ContinuityNotices();
  const error = new StatusError(failure(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 90 }));
  const throttled = { ...fault(error), fault: 'throttled' } as ContinuityEvent;
  const waiting = { kind: 'waiting', error, waitMs: 60_000, at: 0 } as ContinuityEvent;
  expect(notices.textOf(throttled, PODS)).toBeUndefined();
  expect(notices.textOf(waiting, PODS)).toBe('pods: the server asks to wait 90s (429, busy); trying again in 60s');
  expect(notices.textOf(waiting, PODS)).toBeUndefined();
  const short = new StatusError(failure(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 2 }));
  expect(notices.textOf({ ...fault(short), fault: 'throttled' } as ContinuityEvent, SECRETS)).toBeUndefined();
  notices.textOf(resumed(), PODS);
  notices.textOf(resumed(), SECRETS);
  expect(notices.textOf({ ...fault(short), fault: 'throttled' } as ContinuityEvent, PODS)).toBe(
    'pods: busy; trying again',
  );
});

it('reports a watch that resumes after an ordinary end only if its connection was lost before', () => {
  const notices = new ContinuityNotices();
  const after = (kind: string) => notices.textOf({ kind, why: 'closed', objects: 0, at: 0 } as never, PODS);
  const ordinary = () => notices.textOf({ ...resumed(), why: 'closed' } as ContinuityEvent, PODS);
  expect(ordinary()).toBeUndefined();
  expect(after('disconnected')).toBeUndefined();
  expect(ordinary()).toBe('pods: watch resumed at 7 after 5s (closed); nothing was missed');
  expect(ordinary()).toBeUndefined();
  for (const kind of ['relisted', 'synced']) {
    after('disconnected');
    after(kind);
    expect(ordinary()).toBeUndefined();
  }
});

it('counts the objects of a relist, and one of them is one object', () => {
  const textOf = (objects: number) =>
    new ContinuityNotices().textOf(
      { kind: 'relisted', from: '7', resourceVersion: '9', objects, why: 'gone', at: 0 } as ContinuityEvent,
      PODS,
    );
  expect([0, 1, 2].map((objects) => textOf(objects)?.replace(/ at 9.*/, ''))).toEqual([
    'pods: relisted 0 objects',
    'pods: relisted 1 object',
    'pods: relisted 2 objects',
  ]);
});

it('reports every gap and every relist', () => {
  const notices = new ContinuityNotices();
  const gap = { kind: 'gap', from: '7', why: 'gone', at: 0 } as ContinuityEvent;
  expect(notices.textOf(gap, PODS)).toBe(notices.textOf(gap, PODS));
  expect(notices.textOf(gap, PODS)).toBe('pods: changes after 7 may go unseen (gone); listing again');
  expect(notices.textOf({ ...gap, why: 'other' } as ContinuityEvent, PODS)).toBe(
    'pods: changes after 7 may go unseen; listing again',
  );
  const relisted = {
    kind: 'relisted',
    from: '7',
    resourceVersion: '9',
    objects: 2,
    why: 'gone',
    at: 0,
  } as ContinuityEvent;
  expect(notices.textOf(relisted, PODS)).toBe(
    'pods: relisted 2 objects at 9 (gone); what happened since 7 shows as its outcome',
  );
  expect(notices.textOf(relisted, PODS)).toBe(notices.textOf(relisted, PODS));
});

it('reports what the cache did not take, without a promise to try again, and takes it for no outage', () => {
  const notices = new ContinuityNotices();
  const refusal = (next: 'dropped' | 'unindexed') =>
    ({ kind: 'fault', fault: 'store', error: new Error('bad'), next, changes: 1, at: 0 }) as ContinuityEvent;
  expect(notices.textOf(refusal('dropped'), PODS)).toBe('pods: bad; the cache goes on without that change');
  expect(notices.textOf(refusal('unindexed'), PODS)).toBe('pods: bad; it is in the cache, but not found by that index');
  notices.textOf(fault(refused()), SECRETS);
  notices.textOf(resumed(), SECRETS);
  expect(notices.textOf(fault(refused()), SECRETS)).toBe('connection refused; trying again');
});

it.each(['relist', 'list'])('says once that a version is too old, where the next step is %s', (next) => {
  const notices = new ContinuityNotices();
  const expired = new StatusError(failure(410, 'Expired', 'too old resource version: 1 (2)'));
  const gone = { kind: 'fault', fault: 'gone', error: expired, next, at: 0 } as ContinuityEvent;
  const gap = { kind: 'gap', from: '1', why: 'gone', at: 0 } as ContinuityEvent;
  const relisted = {
    kind: 'relisted',
    from: '1',
    resourceVersion: '2',
    objects: 0,
    why: 'gone',
    at: 0,
  } as ContinuityEvent;
  expect(notices.textOf(gone, PODS)).toBe('pods: too old resource version: 1 (2); trying again'); // without a gap
  notices.textOf(relisted, PODS);
  expect(notices.textOf(gap, PODS)).toBe('pods: changes after 1 may go unseen (gone); listing again');
  expect(notices.textOf(gone, PODS)).toBeUndefined();
  notices.textOf(relisted, PODS);
  expect(notices.textOf(gone, PODS)).toBe('pods: too old resource version: 1 (2); trying again');
});
