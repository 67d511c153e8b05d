import { describe, expect, it } from 'vitest';
import { LeaseCandidate } from '../../../src/controller/election/acquire-or-renew.ts';
import type { LeaseLock } from '../../../src/controller/election/lease-lock.ts';
import { type LeaseRecord, microTime, recordOf } from '../../../src/controller/election/lease-record.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';

it('a record is as old as the time since it was seen, also when it was seen before the candidate began', async () => {
  const clock = new FakeClock();
  clock.tick(5000);
  const seen = { record: recordOf({ metadata: {}, spec: { holderIdentity: 'b' } }), at: clock.monotonic() };
  clock.tick(300);
  const candidate = new LeaseCandidate({
    lock: {} as LeaseLock,
    identity: 'a',
    durationSeconds: 15,
    clock,
    onSlowPath() {},
    seen,
  });
  expect(candidate.observedAgeMs).toBe(300);
  clock.tick(400);
  expect([candidate.observedAgeMs, candidate.isHolder]).toEqual([700, false]);
});

/** A lock whose record a test sees and changes, and whose calls fail as it says. */
class HeldLock {
  record: LeaseRecord | undefined;
  readonly calls: string[] = [];
  /** The errors of the next calls of a kind. A write of `unanswered` arrives all the same. */
  readonly errors: Record<string, unknown[]> = {};

  async get(): Promise<LeaseRecord> {
    this.#called('get');
    if (!this.record) throw new StatusError(failure(404, 'NotFound', 'no'));
    return this.record;
  }

  async create(record: LeaseRecord): Promise<LeaseRecord> {
    return this.#write('create', record);
  }

  async update(record: LeaseRecord): Promise<LeaseRecord> {
    return this.#write('update', record);
  }

  #write(verb: string, record: LeaseRecord): LeaseRecord {
    if (this.errors[verb]?.[0] === UNANSWERED) this.record = record;
    this.#called(verb);
    this.record = record;
    return record;
  }

  #called(verb: string): void {
    this.calls.push(verb);
    const error = this.errors[verb]?.shift();
    if (error !== undefined) throw error;
  }
}

const UNANSWERED = new Error('no answer');
const conflict = () => new StatusError(failure(409, 'Conflict', 'no'));

function scene(held?: Partial<LeaseRecord>) {
  const clock = new FakeClock();
  clock.tick(50_000);
  const lock = new HeldLock();
  const blank = recordOf({ metadata: {}, spec: {} });
  if (held) lock.record = { ...blank, durationSeconds: 15, renewTime: 'x', ...held };
  let slow = 0;
  const candidate = new LeaseCandidate({
    lock: lock as unknown as LeaseLock,
    identity: 'me',
    durationSeconds: 15,
    clock,
    onSlowPath: () => slow++,
  });
  const { signal } = new AbortController();
  return {
    clock,
    lock,
    candidate,
    slow: () => slow,
    acquire: () => candidate.acquire(signal),
    renew: () => candidate.renew(signal),
    release: (of = signal) => candidate.release(of),
  };
}

describe('an attempt to get a lease', () => {
  it('creates one that is absent, with the time at which it was sent', async () => {
    const { clock, lock, candidate, acquire } = scene();
    expect([candidate.observed, candidate.isHolder]).toEqual([undefined, false]);
    const sentAt = { monotonic: clock.monotonic(), wall: clock.now() };
    expect(await acquire()).toEqual({ kind: 'held', sentAt });
    const now = microTime(clock.now());
    expect(lock.record).toMatchObject({
      holder: 'me',
      durationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      transitions: 0,
    });
    expect([lock.calls, candidate.isHolder, candidate.observedAgeMs]).toEqual([['get', 'create'], true, 0]);
  });

  it('leaves one of another alone until it was seen unchanged for its duration, and then counts a transition', async () => {
    const { clock, lock, acquire } = scene({ holder: 'other', transitions: 4 });
    const taken = { kind: 'taken', by: 'other', own: undefined };
    expect(await acquire()).toEqual(taken);
    clock.tick(10_000);
    lock.record = { ...(lock.record as LeaseRecord), renewTime: 'y' };
    expect(await acquire()).toEqual(taken);
    clock.tick(14_999);
    expect(await acquire()).toEqual(taken);
    clock.tick(1);
    expect(await acquire()).toMatchObject({ kind: 'held' });
    expect(lock.record).toMatchObject({ holder: 'me', transitions: 5, acquireTime: microTime(clock.now()) });
  });

  it('takes one without a holder at once', async () => {
    const { lock, acquire } = scene({ holder: '', transitions: 4 });
    expect(await acquire()).toMatchObject({ kind: 'held' });
    expect(lock.record).toMatchObject({ holder: 'me', transitions: 5 });
  });

  it('keeps the time and the count of one that names it already', async () => {
    const { lock, acquire } = scene({ holder: 'me', transitions: 4, acquireTime: 'then' });
    expect(await acquire()).toMatchObject({ kind: 'held' });
    expect(lock.record).toMatchObject({ holder: 'me', transitions: 4, acquireTime: 'then' });
  });

  it('of one that it holds and that is in force is a single PUT, afterwards it reads first', async () => {
    const { clock, lock, acquire } = scene();
    await acquire();
    clock.tick(14_999);
    await acquire();
    clock.tick(15_000);
    await acquire();
    expect(lock.calls).toEqual(['get', 'create', 'update', 'get', 'update']);
  });

  it.each(['get', 'create'])('fails with the error of its %s', async (verb) => {
    const { lock, acquire } = scene();
    const error = new Error('no');
    lock.errors[verb] = [error];
    expect(await acquire()).toEqual({ kind: 'failed', error });
  });
});

describe('a renewal', () => {
  it('is one PUT, and reads when that was refused', async () => {
    const { lock, acquire, renew, slow } = scene();
    await acquire();
    expect([await renew(), slow()]).toMatchObject([{ kind: 'held' }, 0]);
    lock.errors.update = [conflict()];
    expect([await renew(), slow()]).toMatchObject([{ kind: 'held' }, 1]);
    expect(lock.calls).toEqual(['get', 'create', 'update', 'update', 'get', 'update']);
  });

  it.each<[string, (record: LeaseRecord, before: LeaseRecord) => LeaseRecord, object]>([
    ['of another holder', (record) => ({ ...record, holder: 'other' }), { by: 'other', own: undefined }],
    ['without a holder', (record) => ({ ...record, holder: '' }), { by: '', own: undefined }],
    [
      'of another process with its name',
      (record) => ({ ...record, renewTime: '2099-01-01T00:00:00.000000Z' }),
      { by: 'me', own: 'clash' },
    ],
    ['that it wrote before its last one', (_, before) => before, { by: 'me', own: 'older' }],
    [
      'with its name and an earlier time that it did not write',
      (record) => ({ ...record, acquireTime: '2001-01-01T00:00:00.000000Z', renewTime: '2001-01-01T00:00:00.000000Z' }),
      { by: 'me', own: 'clash' },
    ],
  ])('does not take back a lease %s', async (_, change, taken) => {
    const { clock, lock, acquire, renew } = scene();
    await acquire();
    const before = lock.record as LeaseRecord;
    clock.tick(2_000);
    await renew();
    lock.record = change(lock.record as LeaseRecord, before);
    lock.errors.update = [conflict()];
    clock.tick(2_000);
    expect(await renew()).toEqual({ kind: 'taken', ...taken });
    expect(lock.calls.at(-1)).toBe('get');
  });

  it('knows its own write that arrived without an answer, also after another one', async () => {
    const { clock, lock, acquire, renew, candidate } = scene();
    await acquire();
    clock.tick(2_000);
    lock.errors.update = [UNANSWERED, conflict()];
    lock.errors.get = [new Error('no')];
    expect([(await renew()).kind, candidate.isUnanswered]).toEqual(['failed', true]);
    clock.tick(2_000);
    expect([(await renew()).kind, candidate.isUnanswered]).toEqual(['held', false]);
  });

  it('whose write was refused arrived nowhere', async () => {
    const { lock, acquire, renew, candidate } = scene();
    await acquire();
    lock.errors.update = [conflict()];
    lock.errors.get = [new Error('no')];
    expect([(await renew()).kind, candidate.isUnanswered]).toEqual(['failed', false]);
  });

  it('that was cut off reads nothing more', async () => {
    const { lock, acquire, candidate, slow } = scene();
    await acquire();
    lock.errors.update = [UNANSWERED];
    expect(await candidate.renew(AbortSignal.abort())).toEqual({ kind: 'failed', error: UNANSWERED });
    expect([lock.calls, slow()]).toEqual([['get', 'create', 'update'], 1]);
  });
});

describe('a release', () => {
  it('writes a record without a holder that lasts a second, and keeps the count', async () => {
    const { clock, lock, acquire, release, candidate } = scene({ holder: '', transitions: 4 });
    await acquire();
    clock.tick(1000);
    expect(await release()).toBe(true);
    const now = microTime(clock.now());
    expect(lock.record).toMatchObject({
      holder: '',
      durationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      transitions: 5,
    });
    expect([candidate.isHolder, candidate.observed]).toEqual([false, lock.record]);
  });

  it('leaves one alone that is not its own, or absent', async () => {
    const { lock, acquire, release } = scene();
    await acquire();
    lock.record = { ...(lock.record as LeaseRecord), renewTime: 'of another process' };
    expect([await release(), lock.calls.at(-1)]).toEqual([true, 'get']);
    lock.record = undefined;
    expect(await release()).toBe(true);
  });

  it('is repeated after a conflict, from the second one on after a pause', async () => {
    const { clock, lock, acquire, release } = scene();
    await acquire();
    lock.errors.update = [conflict(), conflict(), conflict()];
    const released = release();
    await settled();
    expect([lock.calls.filter((call) => call === 'update').length, clock.pending]).toEqual([2, 1]);
    await clock.advance(100);
    expect(lock.calls.filter((call) => call === 'update')).toHaveLength(3);
    await clock.advance(100);
    expect(await released).toBe(true);
  });

  it('is given up after any other error, and after a conflict when it was cut off', async () => {
    const { lock, acquire, release } = scene();
    await acquire();
    lock.errors.update = [new StatusError(failure(500, 'InternalError', 'no')), conflict()];
    expect([await release(), await release(AbortSignal.abort())]).toEqual([false, false]);
  });
});
