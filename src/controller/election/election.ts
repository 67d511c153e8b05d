import { onAbort, scope } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { type Counter, type Gauge, noMetrics } from '../../kit/metrics.ts';
import { inheriting } from '../../kit/surroundings.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import { guarded, notify } from '../../kit/user-callback.ts';
import { isForbidden, StatusError } from '../../model/status.ts';
import { type Attempt, LeaseCandidate } from './acquire-or-renew.ts';
import { checkedSettings, type ElectionSettings, JITTER, type LeaderElectorOptions } from './elector-options.ts';
import { Fence, type Moment } from './fence.ts';
import { type LeaderWork, startWork } from './leader-work.ts';
import { markLeading } from './leading-work.ts';
import { LeaseLock } from './lease-lock.ts';
import type { LeaseRecord } from './lease-record.ts';
import { TimedAttempts, timed } from './timed-attempts.ts';

/** Why a term of leadership ends. */
type Ending =
  | { readonly kind: 'asked'; readonly reason: unknown }
  /** The lease is another's, or may be soon. */
  | { readonly kind: 'lost'; readonly error: InformerError }
  | { readonly kind: 'work failed'; readonly error: unknown };

/** How an election begins. */
export interface ElectionStart {
  /** The Lease as it was seen at this time, ms on the monotonic clock. Its duration counts from there. */
  readonly seen?: { readonly record: LeaseRecord; readonly at: number } | undefined;
  /** Ends after the first attempt if that does not get the lease. Default: tries until the signal aborts. */
  readonly once?: boolean | undefined;
  /** See {@link LeaseLockOptions.isUntracked}. */
  readonly isUntracked?: boolean | undefined;
}

/** The mechanism of {@link LeaderElector}, and of every lease of replicas that share their work. */
export class Election {
  readonly #options: LeaderElectorOptions;
  readonly #settings: ElectionSettings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lock: LeaseLock;
  readonly #candidate: LeaseCandidate;
  readonly #attempts: TimedAttempts;
  readonly #fence: Fence;
  readonly #status: Gauge;
  readonly #errors: ThinnedErrors;
  readonly #start: ElectionStart;
  #isRunning = false;
  #reported = '';

  constructor(given: LeaderElectorOptions, start: ElectionStart = {}) {
    const settings = checkedSettings(given);
    const options = inheriting(given, given.client);
    const { client, name, namespace, labels, clock = systemClock, logger = defaultLogger } = options;
    const metrics = options.metrics ? guarded('the metrics', options.metrics, logger) : noMetrics;
    const slowPath: Counter = metrics.counter('leader_election_slowpath_total', { name });
    const durationSeconds = Math.trunc(settings.leaseDurationMs / 1000);
    this.#options = options;
    this.#start = start;
    this.#settings = settings;
    this.#clock = clock;
    this.#logger = logger.child({ lease: `${namespace}/${name}` });
    this.#errors = new ThinnedErrors(clock);
    this.#lock = new LeaseLock({ client, namespace, name, labels, isUntracked: start.isUntracked });
    this.#candidate = new LeaseCandidate({
      lock: this.#lock,
      identity: settings.identity,
      durationSeconds,
      clock,
      onSlowPath: () => slowPath.add(),
      seen: start.seen,
    });
    this.#attempts = new TimedAttempts(clock, settings);
    const { renewDeadlineMs, retryPeriodMs } = settings;
    this.#fence = new Fence(clock, Math.min(durationSeconds * 1000, renewDeadlineMs + retryPeriodMs));
    this.#status = metrics.gauge('leader_election_master_status', { name });
    this.#status.set(0);
  }

  get identity(): string {
    return this.#settings.identity;
  }

  /** The identity of the leader that was seen last; undefined before the first look, and while there is no leader. */
  get leader(): string | undefined {
    return this.#candidate.observed?.holder || undefined;
  }

  /**
   * Whether the Lease, as it was seen last, names this process. Does not ask whether it has expired since; see
   * {@link isLeading}. Source: client-go LeaderElector.IsLeader.
   */
  get isLeader(): boolean {
    return this.#isRunning && this.#candidate.isHolder;
  }

  /**
   * Whether no other process can have the lease at this moment. Reads the clocks, so it is right also directly after
   * the process was frozen. While the work ends after {@link run} was asked to end, it is still true.
   */
  get isLeading(): boolean {
    return this.#fence.isOpen;
  }

  /** How long that is so if the lease is not renewed, ms; 0 unless {@link isLeading}. */
  get leadsForMs(): number {
    return this.#fence.openMs;
  }

  /** Throws `leadership` unless {@link isLeading}. For use before each write. */
  assertLeading(): void {
    if (this.#fence.isOpen) return;
    const { ageMs } = this.#fence;
    const why = ageMs === undefined ? '' : `: it was renewed ${Math.trunc(ageMs / 1000)}s ago`;
    throw new InformerError('leadership', `this process does not have the lease ${this.#lock.description}${why}`, {
      hint: 'another process may lead; stop the work, and read the state again when this one leads',
    });
  }

  /**
   * Throws `leadership` if this process is the leader and has not renewed the lease for its duration and
   * `healthToleranceMs`: then its timers do not run, and it should be restarted. For a liveness check. Source: client-go
   * HealthzAdaptor.
   */
  check(): void {
    const { leaseDurationMs, healthToleranceMs } = this.#settings;
    if (!this.isLeader || this.#candidate.observedAgeMs <= leaseDurationMs + healthToleranceMs) return;
    throw new InformerError('leadership', `failed election to renew leadership on lease ${this.#lock.description}`, {
      hint: 'the process was frozen or is too busy to renew the lease',
    });
  }

  /**
   * Waits for the lease, leads until the signal aborts, and then waits for the work to end. Resolves when that is done.
   *
   * Rejects with `leadership` if the lease was lost, with the error of the work if it failed, and with `argument` if it
   * is running already. If the work fails while it ends, the lease is not released, because a part of it may run on. It
   * may be called again after it has ended.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isRunning)
      throw new InformerError('argument', `the election for the lease ${this.#lock.description} is running already`);
    this.#isRunning = true;
    try {
      if (await this.#acquire(signal)) await this.#lead(signal);
    } finally {
      this.#isRunning = false;
      notify('onStoppedLeading', this.#options.onStoppedLeading, this.#logger);
    }
  }

  /** Resolves with true when this process has the lease, with false when the signal aborts first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { random = Math.random } = this.#options;
    const { retryPeriodMs } = this.#settings;
    while (!signal.aborted) {
      const attempt = await this.#attempt(signal, (limited) => this.#candidate.acquire(limited));
      if (attempt.kind === 'held') {
        this.#fence.renewed(attempt.sentAt);
        return true;
      }
      if (this.#start.once) break;
      await this.#clock.sleep(retryPeriodMs * (1 + random() * JITTER), { signal }).catch(() => {});
    }
    // the write of an attempt that was cut off may have arrived
    if (this.#options.releaseOnCancel && this.#candidate.isUnanswered) await this.#release();
    return false;
  }

  async #lead(signal: AbortSignal): Promise<void> {
    using leading = scope();
    using renewing = scope();
    this.#status.set(1);
    this.#event('became leader');
    const work = startWork(this.#options.onStartedLeading, markLeading(leading.signal));
    const lost = this.#renewUntilLost(renewing.signal);
    const ending = await this.#firstEnding(signal, lost, work);
    leading.abort(ending.kind === 'asked' ? ending.reason : ending.error);
    if (ending.kind === 'asked') await this.#drain(work, lost);
    renewing.abort();
    await lost;
    this.#fence.close();
    this.#status.set(0);
    if (this.#options.releaseOnCancel) await this.#giveUp(work);
    this.#event('stopped leading');
    if (ending.kind !== 'asked') throw ending.error;
    const failure = work.failure();
    if (failure) throw failure.error;
  }

  async #firstEnding(signal: AbortSignal, lost: Promise<InformerError | undefined>, work: LeaderWork): Promise<Ending> {
    const asked = Promise.withResolvers<Ending>();
    using _asked = onAbort(signal, () => asked.resolve({ kind: 'asked', reason: signal.reason }));
    const isLost = lost.then((error) => ({ kind: 'lost', error: error as InformerError }) as const);
    const failed = work.failed.then((error) => ({ kind: 'work failed', error }) as const);
    return await Promise.race([asked.promise, isLost, failed]);
  }

  /** Waits until the work has ended, while the lease is renewed. */
  async #drain(work: LeaderWork, lost: Promise<unknown>): Promise<void> {
    if (work.hasEnded()) return;
    using draining = scope();
    const { drainMs } = this.#settings;
    const limit =
      drainMs > 0 ? this.#clock.sleep(drainMs, { signal: draining.signal }).catch(() => {}) : this.#clock.yield();
    await Promise.race([work.ended, lost, limit]);
  }

  async #giveUp(work: LeaderWork): Promise<void> {
    if (work.hasEnded()) await this.#release();
    else this.#logger.warn('the lease is not released, because the work of the leader has not ended; it will expire');
  }

  async #release(): Promise<void> {
    const { renewDeadlineMs } = this.#settings;
    const release = timed(this.#clock, renewDeadlineMs, (signal) => this.#candidate.release(signal));
    const isFree = await release.catch(() => false);
    if (!isFree) this.#logger.warn('the lease could not be released; it will expire');
  }

  /** Resolves with the reason when the lease is lost, and with nothing when the signal aborts. Never rejects. */
  async #renewUntilLost(signal: AbortSignal): Promise<InformerError | undefined> {
    const { retryPeriodMs, renewDeadlineMs } = this.#settings;
    while (!signal.aborted) {
      const error = await this.#renew(signal);
      if (error) return error;
      await this.#clock.sleep(this.#fence.pauseMs(retryPeriodMs, renewDeadlineMs / 2), { signal }).catch(() => {});
    }
    return undefined;
  }

  /** Tries until the lease is renewed. Resolves with the reason if it is lost, and with nothing else. */
  async #renew(signal: AbortSignal): Promise<InformerError | undefined> {
    const { renewDeadlineMs, retryPeriodMs } = this.#settings;
    const limitMs = Math.min(renewDeadlineMs, this.#fence.leftMs ?? 0);
    if (limitMs <= 0) return this.#lost('this process was frozen or too busy to renew it');
    using trying = scope(signal);
    using _limit = this.#clock.after(limitMs, () => trying.abort());
    let last: unknown;
    while (!trying.signal.aborted) {
      const attempt = await this.#attempt(trying.signal, (limited) => this.#candidate.renew(limited));
      if (attempt.kind === 'held') return this.#renewed(attempt.sentAt);
      if (attempt.kind === 'taken') return this.#lost(takenText(attempt));
      last = attempt.error ?? last;
      await this.#clock.sleep(retryPeriodMs, { signal: trying.signal }).catch(() => {});
    }
    if (signal.aborted) return undefined;
    const why = last === undefined ? '' : `: ${messageOf(last)}`;
    return this.#lost(`it could not be renewed within ${Number((limitMs / 1000).toFixed(1))}s${why}`, last);
  }

  #renewed(sentAt: Moment): undefined {
    this.#fence.renewed(sentAt);
  }

  #lost(why: string, cause?: unknown): InformerError {
    this.#fence.close();
    return new InformerError('leadership', `the lease ${this.#lock.description} was lost: ${why}`, {
      cause,
      hint: 'another process may lead now; start this one again, and it waits for the lease',
    });
  }

  /** One attempt, with its limit of time. Reports a new leader and a failure. Never rejects. */
  async #attempt(parent: AbortSignal, attempt: (signal: AbortSignal) => Promise<Attempt>): Promise<Attempt> {
    const outcome = await this.#attempts.run(parent, attempt);
    this.#reportLeader();
    if (outcome.kind !== 'failed') return outcome;
    if (parent.aborted) return { kind: 'failed', error: undefined };
    const error = this.#withRights(outcome.error);
    this.#reportError(error);
    return { kind: 'failed', error };
  }

  #reportLeader(): void {
    const { leader } = this;
    if (leader === undefined || leader === this.#reported) return;
    this.#reported = leader;
    notify('onNewLeader', this.#options.onNewLeader, this.#logger, leader);
  }

  #reportError(error: unknown): void {
    if (this.#options.onError) {
      notify('onError', this.#options.onError, this.#logger, error);
      return;
    }
    const hint = error instanceof InformerError ? error.hint : undefined;
    this.#errors.report(this.#logger, 'the lease could not be acquired or renewed; will retry', {
      error: messageOf(error),
      hint,
    });
  }

  /** A refusal names the rights that an election needs. */
  #withRights(error: unknown): unknown {
    if (!(error instanceof StatusError) || !isForbidden(error)) return error;
    const hint = `an election needs the right to get, create and update leases.coordination.k8s.io in the namespace ${this.#options.namespace}`;
    return new StatusError(error.status, { cause: error, hint });
  }

  #event(what: 'became leader' | 'stopped leading'): void {
    const { recorder } = this.#options;
    const tell = () => recorder?.event(this.#lock.subject, 'Normal', 'LeaderElection', `${this.identity} ${what}`);
    notify('the recorder', tell, this.#logger);
  }
}

function takenText({ by, own }: Pick<Extract<Attempt, { kind: 'taken' }>, 'by' | 'own'>): string {
  if (own === 'older') return 'the server was restored to an older state of it, since which others may have had it';
  if (own === 'clash') return `another process has the same identity ${by}; every process needs its own`;
  return by === '' ? 'another process released it' : `it belongs to ${by} now`;
}
