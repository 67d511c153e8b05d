import type { Clock } from '../../kit/clock.ts';
import { sameValue } from '../../kit/same-value.ts';
import { isConflict, isNotFound, statusOf } from '../../model/status.ts';
import { type Moment, momentOf } from './fence.ts';
import type { LeaseLock } from './lease-lock.ts';
import { type LeaseRecord, microTime } from './lease-record.ts';

export interface CandidateOptions {
  readonly lock: LeaseLock;
  readonly identity: string;
  /** The duration in the record, in whole seconds, as a Lease has it. */
  readonly durationSeconds: number;
  readonly clock: Clock;
  /** Called when a renewal needs more than its one PUT. */
  readonly onSlowPath: () => void;
  /** The record as it was seen at a time before, ms on the monotonic clock. */
  readonly seen?: { readonly record: LeaseRecord; readonly at: number } | undefined;
}

/** The outcome of one attempt to get or to keep the lease. */
export type Attempt =
  /** This candidate holds the lease. Its last write was sent at `sentAt`. */
  | { readonly kind: 'held'; readonly sentAt: Moment }
  /**
   * The lease belongs to another process, or may. `own`: the record names this candidate, and is not its last one. An
   * `older` one of its own came back with a restored server, and `clash`: another process has the same identity.
   */
  | { readonly kind: 'taken'; readonly by: string; readonly own: 'older' | 'clash' | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Tries to get and to keep one lease. It has no timers and repeats nothing.
 *
 * Of a lease of another holder it uses only the time that has passed on its own clock since it saw the last change, and
 * the duration in the record. So clocks may differ by any amount, and a candidate that has just started waits for a
 * whole duration. Source: client-go tools/leaderelection tryAcquireOrRenew, release.
 */
export class LeaseCandidate {
  readonly #options: CandidateOptions;
  #observed: LeaseRecord | undefined;
  #observedAt = 0;
  /** The renewTime of the last record of this candidate, and of those whose writes may have arrived without an answer. */
  #written: string[] = [];
  #isUnanswered = false;
  /** The acquireTime of its last record. */
  #acquired: string | undefined;

  constructor(options: CandidateOptions) {
    this.#options = options;
    if (!options.seen) return;
    this.#observed = options.seen.record;
    this.#observedAt = options.seen.at;
  }

  /** The record that was seen last. */
  get observed(): LeaseRecord | undefined {
    return this.#observed;
  }

  /** Whether the record that was seen last names this candidate, however old it is. */
  get isHolder(): boolean {
    return this.#observed?.holder === this.#options.identity;
  }

  /** The time since a change of the record was seen last, ms. */
  get observedAgeMs(): number {
    return this.#options.clock.monotonic() - this.#observedAt;
  }

  /** Whether the last write got no answer, so that it may have arrived. */
  get isUnanswered(): boolean {
    return this.#isUnanswered;
  }

  /** Tries once to get the lease. Never rejects. */
  async acquire(signal: AbortSignal): Promise<Attempt> {
    try {
      const renewed = this.isHolder && this.#isValid() ? await this.#renewAtOnce(signal) : undefined;
      return renewed ?? (await this.#acquire(signal, { isLeading: false }));
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  /**
   * Tries once to keep the lease. A lease that has come to another process meanwhile is not acquired again, because
   * that process may have led. Never rejects.
   */
  async renew(signal: AbortSignal): Promise<Attempt> {
    try {
      return (await this.#renewAtOnce(signal)) ?? (await this.#acquire(signal, { isLeading: true }));
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  /**
   * Gives the lease up, so that another candidate gets it at once. A lease that the server says is not this
   * candidate's is left alone. Resolves with whether the lease is free of this candidate; never rejects.
   */
  async release(signal: AbortSignal): Promise<boolean> {
    const { lock, clock } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        const record = await lock.get(signal);
        if (!this.#isOwn(record)) return true;
        const now = microTime(clock.now());
        const { transitions } = record;
        const free = { ...EMPTY, durationSeconds: 1, acquireTime: now, renewTime: now, transitions };
        this.#observe(await lock.update(free, signal));
        return true;
      } catch (error) {
        if (isNotFound(error)) return true;
        if (!isConflict(error) || signal.aborted) return false;
        if (tries > 1) await clock.sleep(RELEASE_PAUSE_MS, { signal }).catch(() => {});
      }
    }
  }

  /** The record that was seen last is still in force. */
  #isValid(): boolean {
    return this.#observed !== undefined && this.observedAgeMs < this.#observed.durationSeconds * 1000;
  }

  /** One PUT, without a read before it: it succeeds if the Lease has not changed since. */
  async #renewAtOnce(signal: AbortSignal): Promise<Attempt | undefined> {
    try {
      return await this.#write('update', this.#observed as LeaseRecord, signal);
    } catch (error) {
      this.#options.onSlowPath();
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  async #acquire(signal: AbortSignal, { isLeading }: { isLeading: boolean }): Promise<Attempt> {
    const { lock, identity } = this.#options;
    const startedAt = this.#options.clock.monotonic();
    const fetched = await lock.get(signal).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!fetched) return await this.#write('create', { transitions: 0 }, signal);
    if (!this.#observed || !sameValue(fetched, this.#observed)) this.#observe(fetched);
    const { holder: by, acquireTime, transitions } = fetched;
    const isMine = by === identity;
    if (isLeading && !this.#isOwn(fetched)) {
      const own = isMine ? (this.#isOlderOwn(fetched) ? 'older' : 'clash') : undefined;
      return { kind: 'taken', by, own };
    }
    const endsAt = this.#observedAt + fetched.durationSeconds * 1000;
    if (by !== '' && !isMine && endsAt > startedAt) return { kind: 'taken', by, own: undefined };
    return await this.#write(
      'update',
      isMine ? { acquireTime, transitions } : { transitions: transitions + 1 },
      signal,
    );
  }

  async #write(
    verb: 'create' | 'update',
    { acquireTime, transitions }: { acquireTime?: string; transitions: number },
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { lock, identity, durationSeconds, clock } = this.#options;
    const sentAt = momentOf(clock);
    const renewTime = microTime(sentAt.wall);
    const times = { acquireTime: acquireTime || renewTime, renewTime };
    const record = { ...EMPTY, holder: identity, durationSeconds, ...times, transitions };
    this.#written = [...this.#written.slice(-MOST_UNANSWERED), renewTime];
    this.#isUnanswered = true;
    const stored = await lock[verb](record, signal).catch((error) => {
      this.#isUnanswered = statusOf(error) === undefined;
      throw error;
    });
    this.#isUnanswered = false;
    this.#observe(stored);
    this.#written = [stored.renewTime];
    this.#acquired = stored.acquireTime;
    return { kind: 'held', sentAt };
  }

  #observe(record: LeaseRecord): void {
    this.#observed = record;
    this.#observedAt = this.#options.clock.monotonic();
  }

  /** Whether the record is one that this candidate wrote before its last one. */
  #isOlderOwn({ acquireTime, renewTime }: LeaseRecord): boolean {
    return acquireTime === this.#acquired && Date.parse(renewTime) < Date.parse(this.#written[0] ?? '');
  }

  /** Whether this candidate wrote the record, and not another process with the same identity. */
  #isOwn({ holder, renewTime }: LeaseRecord): boolean {
    return holder === this.#options.identity && this.#written.includes(renewTime);
  }
}

/** The pause between two tries of a release that conflicts more than once, ms. */
const RELEASE_PAUSE_MS = 100;
/** How many writes without an answer are remembered as this candidate's own. */
const MOST_UNANSWERED = 32;

const EMPTY = { holder: '', strategy: '', preferredHolder: '' };
