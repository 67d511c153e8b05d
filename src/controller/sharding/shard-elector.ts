import { SharedInformer } from '../../informer/shared-informer.ts';
import { abortable, onAbort, type Scope, scope } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { type Gauge, noMetrics } from '../../kit/metrics.ts';
import { inheriting } from '../../kit/surroundings.ts';
import { ThinnedErrors } from '../../kit/thinned-errors.ts';
import { guarded, notify } from '../../kit/user-callback.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound, StatusError, statusOf } from '../../model/status.ts';
import type { Attempt } from '../election/acquire-or-renew.ts';
import { Election } from '../election/election.ts';
import type { ElectionSettings } from '../election/elector-options.ts';
import { LEASES } from '../election/lease-lock.ts';
import { shardsOf } from './assignment.ts';
import {
  DIVISION_LABEL,
  type Division,
  divisionOf,
  GROUP_LABEL,
  leaseGroupOf,
  memberLeaseOf,
  REPLICA,
  ROLE_LABEL,
  SHARD,
  shardLeaseOf,
} from './division-labels.ts';
import { LeaseBook } from './lease-book.ts';
import { Membership } from './membership.ts';
import { Rescues, type RescueView } from './rescues.ts';
import { sharePlan } from './shard-handover.ts';
import { checkedShardSettings, type HeldShard, type ShardElectorOptions, type ShardOverview } from './shard-options.ts';

/** A shard that this replica has, is about to have, or still works on. */
interface Tenure {
  readonly election: Election;
  /** Aborts when the shard is to be given back. */
  readonly wanted: Scope;
  /** Resolves when nothing of it runs any more. Never rejects. */
  ended: Promise<void>;
  isHeld: boolean;
  /** Another process may have it, although its work here has not ended. */
  isLost: boolean;
}

/**
 * Shares the shards of a set of keys among several processes, by one Lease for each shard and one for each process.
 *
 * Promises
 * - No two processes have a shard at once, as far as {@link LeaderElector} promises it for a leader: the work of a new
 *   owner begins after the lease of the old one has ended, and a shard that is given back is released when its work has
 *   ended. Write through {@link HeldShard.assertHeld}, or its signal alone does not stop a process that was frozen.
 * - The numbers of shards of two processes differ by one at most, and as few as possible move when a process comes or
 *   goes. Each shard of a process that died is taken within the lease duration and two seconds.
 * - Processes that divide the keys otherwise (another `of` or `by`) never work at the same time: those that came later
 *   wait until the others have ended.
 *
 * Does not promise that every shard has an owner at each moment. Source of the leases: client-go tools/leaderelection.
 */
export class ShardElector {
  readonly identity: string;
  readonly #options: ShardElectorOptions;
  readonly #settings: ElectionSettings;
  readonly #division: Division;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #book: LeaseBook;
  readonly #errors: ThinnedErrors;
  readonly #rescues: Rescues;
  readonly #tenures = new Map<number, Tenure>();
  /** When a shard may be tried again after its last tenure here, ms on the monotonic clock. */
  readonly #notBefore = new Map<number, number>();
  readonly #heldGauge: Gauge;
  readonly #membersGauge: Gauge;
  #wake: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  /** The division of other processes for which this one waits. */
  #waitsFor: string | undefined;
  #reported = '';
  #isRunning = false;

  /** Throws `argument` for options that cannot work. Sends nothing before {@link run}. */
  constructor(options: ShardElectorOptions) {
    this.#settings = checkedShardSettings(options);
    options = inheriting(options, options.client);
    const { clock = systemClock, logger = defaultLogger, name, namespace, by = 'uid' } = options;
    this.#options = options;
    this.identity = this.#settings.identity;
    this.#division = { name, of: options.shards, by };
    this.#clock = clock;
    this.#logger = logger.child({ shards: `${namespace}/${name}` });
    this.#book = new LeaseBook(clock, this.#division);
    this.#rescues = new Rescues(this.identity, this.#settings.leaseDurationMs);
    this.#errors = new ThinnedErrors(clock);
    const metrics = options.metrics ? guarded('the metrics', options.metrics, logger) : noMetrics;
    this.#heldGauge = metrics.gauge('kubectl_informer_shards_held', { name });
    this.#membersGauge = metrics.gauge('kubectl_informer_shard_replicas', { name });
  }

  /** The shards whose work runs in this process, in their order. */
  get held(): readonly number[] {
    return this.#indexes.filter((index) => this.#tenures.get(index)?.isHeld);
  }

  /** Whether this process tries at this moment to take further shards. */
  get isClaiming(): boolean {
    return this.#tenures.values().some(({ isHeld, isLost, wanted }) => !isHeld && !isLost && !wanted.signal.aborted);
  }

  /** The shards of all replicas, as this process sees them. */
  get overview(): ShardOverview {
    return {
      held: this.held,
      members: [...this.#members()].sort(),
      holders: this.#indexes.map((index) => this.#book.holderOf(index)),
      waitsFor: this.#waitsFor,
    };
  }

  /**
   * Throws `leadership` if this process has a shard whose lease it has not renewed for its duration and
   * `healthToleranceMs`. For a liveness check. See {@link LeaderElector.check}.
   */
  check(): void {
    for (const { election } of this.#tenures.values()) election.check();
  }

  /**
   * Takes part until the signal aborts. Then it gives its shards back, each when its work has ended, and resolves when
   * all have.
   *
   * Rejects with the error of work that failed, with `api` if the Leases may not be read at the start, and with
   * `argument` if it is running already.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new InformerError('argument', 'this replica takes part in the sharing already');
    this.#isRunning = true;
    using running = scope(signal);
    using watching = scope();
    let failure: { error: unknown } | undefined;
    this.#fail = (error) => {
      failure ??= { error };
      running.abort(error);
    };
    const informer = this.#informer();
    const watched = informer.run(watching.signal);
    const membership = this.#join();
    const member = membership.run(running.signal);
    try {
      const shared = this.#share(informer, membership, running.signal).catch((error) => {
        if (!running.signal.aborted) this.#fail(error);
      });
      await Promise.all([shared, member]);
      for (const { wanted } of this.#tenures.values()) wanted.abort(running.signal.reason);
      // the other replicas need not wait until the Lease of this one ends
      const left = this.#delete(memberLeaseOf(this.#division, this.identity));
      await Promise.all([left, ...this.#tenures.values().map(({ ended }) => ended)]);
    } finally {
      watching.abort();
      await watched;
      this.#isRunning = false;
    }
    if (failure) throw failure.error;
  }

  #labels(role: typeof SHARD | typeof REPLICA): Readonly<Record<string, string>> {
    return {
      ...this.#options.labels,
      [GROUP_LABEL]: leaseGroupOf(this.#division),
      [ROLE_LABEL]: role,
      [DIVISION_LABEL]: divisionOf(this.#division),
    };
  }

  #informer(): SharedInformer<UnknownObject> {
    const { client, namespace } = this.#options;
    const informer = new SharedInformer<UnknownObject>(
      client.resource(LEASES, { namespace, dropManagedFields: true }),
      {
        name: 'leases',
        sync: 'auto',
        selectors: { labelSelector: `${GROUP_LABEL}=${leaseGroupOf(this.#division)}` },
        clock: this.#clock,
        logger: this.#logger,
        onContinuity: (event) => {
          if (event.kind !== 'fault') return;
          const error = this.#withRights(event.error);
          if (ORDINARY.has(event.fault)) return; // its logger has said it
          if (!informer.hasSynced && isForbidden(event.error)) this.#fail(error);
          else this.#report('the Leases of the shards could not be read; will retry', error);
        },
      },
    );
    const saw = (lease: unknown) => {
      this.#book.saw(lease as UnknownObject);
      this.#wake();
    };
    informer.addHandler({
      added: saw,
      updated: (_, lease) => saw(lease),
      deleted: (lease) => {
        this.#book.gone(lease.metadata.name as string); // a server gives each a name
        this.#wake();
      },
    });
    return informer;
  }

  #join(): Membership {
    const { client, namespace } = this.#options;
    return new Membership({
      ...this.#settings,
      client,
      namespace,
      lease: memberLeaseOf(this.#division, this.identity),
      labels: this.#labels(REPLICA),
      clock: this.#clock,
      onAttempt: (attempt) => {
        this.#reportAttempt(attempt);
        this.#wake();
      },
    });
  }

  /** Takes and gives back shards until the signal aborts. */
  async #share(informer: SharedInformer<UnknownObject>, membership: Membership, signal: AbortSignal): Promise<void> {
    await informer.whenSynced(signal);
    while (!membership.isKnown) await this.#pause(this.#settings.retryPeriodMs, signal);
    // replicas that start together see each other first, and none begins with more than its part
    await this.#clock.sleep(this.#settings.retryPeriodMs, { signal });
    for (;;) {
      signal.throwIfAborted();
      const nextMs = this.#evaluate(membership.isKnown);
      await this.#pause(nextMs, signal);
    }
  }

  /** Waits for the next change, `ms` at most. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const woken = Promise.withResolvers<void>();
    this.#wake = woken.resolve;
    using _timer = this.#clock.after(ms, woken.resolve);
    await abortable(woken.promise, signal);
  }

  /** Compares what this replica has with what it should have. Gives the time until that may change by itself, ms. */
  #evaluate(isKnown: boolean): number {
    const now = this.#clock.monotonic();
    const view = this.#view();
    const wanted = new Set([...shardsOf(this.identity, view), ...this.#rescues.at(now, view)]);
    const plan = sharePlan({ now, wanted, has: this.#tenures.keys(), notBefore: this.#notBefore });
    for (const index of plan.givesBack) this.#tenures.get(index)?.wanted.abort(givenBack(index));
    const { otherDivision, nextEndMs } = this.#book;
    const soonMs = Math.min(this.#settings.retryPeriodMs, nextEndMs);
    const isNews = otherDivision !== this.#waitsFor;
    this.#waitsFor = otherDivision;
    if (isNews) this.#changed();
    if (!isKnown || (otherDivision !== undefined && this.#tenures.size === 0)) return soonMs;
    for (const index of plan.claims) this.#claim(index);
    if (this.held.length > 0 || wanted.size === 0) this.#changed();
    this.#membersGauge.set(view.members.size);
    this.#clean(view.members);
    return Math.min(soonMs, plan.waitMs);
  }

  #view(): RescueView {
    return {
      members: this.#members(),
      newcomers: this.#book.newcomers(this.#settings.leaseDurationMs),
      holders: this.#indexes.map((index) => this.#holderOf(index)),
      hasLapsed: (index) => this.#book.hasLapsed(index),
    };
  }

  get #indexes(): number[] {
    return Array.from({ length: this.#division.of }, (_, index) => index);
  }

  #members(): Set<string> {
    return this.#book.members.add(this.identity);
  }

  #holderOf(index: number): string | undefined {
    if (this.#tenures.get(index)?.isLost === false) return this.identity;
    const holder = this.#book.holderOf(index);
    return holder === this.identity ? undefined : holder; // it was lost, and may be claimed again
  }

  #claim(index: number): void {
    const { client, namespace, logger, metrics } = this.#options;
    const wanted = scope();
    let work: Promise<void> = Promise.resolve();
    const election = new Election(
      {
        ...this.#settings,
        client,
        namespace,
        name: shardLeaseOf(this.#division, index),
        labels: this.#labels(SHARD),
        releaseOnCancel: true,
        onStartedLeading: (signal) => {
          work = this.#work(index, tenure, signal);
          return work;
        },
        onStoppedLeading() {},
        onError: (error) => this.#reportAttempt({ kind: 'failed', error }),
        clock: this.#clock,
        random: this.#options.random,
        logger,
        metrics,
      },
      { seen: this.#book.ofShard(index), once: true, isUntracked: true },
    );
    const tenure: Tenure = { election, wanted, isHeld: false, isLost: false, ended: Promise.resolve() };
    const finished = async () => {
      const lost = await election.run(wanted.signal).then(
        () => undefined,
        (error) => error,
      );
      tenure.isLost = true;
      await work.catch(() => {}); // the error is that of the election
      this.#ended(index, lost);
    };
    this.#tenures.set(index, tenure);
    tenure.ended = finished();
  }

  async #work(index: number, tenure: Tenure, signal: AbortSignal): Promise<void> {
    if (await this.#isDividedOtherwise(signal)) {
      tenure.wanted.abort(givenBack(index));
      return;
    }
    if (signal.aborted) return;
    tenure.isHeld = true;
    this.#changed();
    const { election } = tenure;
    const held: HeldShard = {
      index,
      signal,
      get isHeld() {
        return election.isLeading;
      },
      get heldForMs() {
        return election.leadsForMs;
      },
      assertHeld: () => election.assertLeading(),
    };
    try {
      await this.#options.onShard(held);
      // the work may end before the shard is given back
      if (!signal.aborted) await new Promise<void>((resolve) => onAbort(signal, resolve));
    } finally {
      tenure.isHeld = false;
      this.#changed();
    }
  }

  /**
   * Whether replicas with another division have shards, as the server knows it now. Asked after the lease was acquired: of two
   * replicas that take leases of different divisions at once, at least one sees the other's.
   */
  async #isDividedOtherwise(signal: AbortSignal): Promise<boolean> {
    const { client, namespace } = this.#options;
    const leases = client.resource<UnknownObject>(LEASES, { namespace });
    const labelSelector = `${GROUP_LABEL}=${leaseGroupOf(this.#division)},${ROLE_LABEL}=${SHARD}`;
    try {
      const { items } = await leases.list({ labelSelector }, { signal });
      for (const lease of items) this.#book.saw(lease);
    } catch (error) {
      this.#reportAttempt({ kind: 'failed', error });
      return true; // as far as is known
    }
    return this.#book.otherDivision !== undefined;
  }

  #ended(index: number, error: unknown): void {
    this.#tenures.delete(index);
    this.#notBefore.set(index, this.#clock.monotonic() + this.#settings.retryPeriodMs);
    const isLost = error instanceof InformerError && error.code === 'leadership';
    if (error !== undefined && !isLost) this.#fail(error);
    if (isLost) notify('onLost', this.#options.onLost, this.#logger, { index, error });
  }

  #changed(): void {
    const { held } = this;
    this.#heldGauge.set(held.length);
    const text = `${held.join()} ${this.#members().size} ${this.#waitsFor}`;
    if (text === this.#reported) return;
    this.#reported = text;
    notify('onChange', this.#options.onChange, this.#logger, this.overview);
  }

  /** Deletes Leases that are not used any more. One replica does it, so that they are not all deleted by all. */
  #clean(members: ReadonlySet<string>): void {
    const [first] = [...members].sort();
    if (first !== this.identity) return;
    for (const { name, resourceVersion } of this.#book.leftover(this.#settings.leaseDurationMs)) {
      this.#book.gone(name);
      void this.#delete(name, { resourceVersion }); // not if it was renewed meanwhile
    }
  }

  async #delete(name: string, preconditions?: { resourceVersion: string }): Promise<void> {
    const { client, namespace } = this.#options;
    using limited = scope();
    using _limit = this.#clock.after(this.#settings.renewDeadlineMs, () => limited.abort());
    const leases = client.resource(LEASES, { namespace });
    const deleted = leases.delete(name, { signal: limited.signal, preconditions });
    await abortable(deleted, limited.signal).catch((error) => {
      if (!isNotFound(error) && !isConflict(error)) this.#report('a Lease was not deleted; it ends by itself', error);
    });
  }

  #reportAttempt(attempt: Attempt): void {
    if (attempt.kind !== 'failed' || attempt.error === undefined) return;
    if (isConflict(attempt.error) || isAlreadyExists(attempt.error)) {
      this.#logger.debug('another replica has written a Lease first', { error: messageOf(attempt.error) });
      return;
    }
    const error = this.#withRights(attempt.error);
    if (this.#options.onError) notify('onError', this.#options.onError, this.#logger, error);
    else this.#report('a Lease could not be acquired or renewed; will retry', error);
  }

  #report(text: string, error: unknown): void {
    this.#errors.report(this.#logger, text, {
      error: messageOf(error),
      hint: error instanceof InformerError ? error.hint : undefined,
    });
  }

  /** A refusal names the rights that sharing needs. */
  #withRights(error: unknown): unknown {
    const status = statusOf(error);
    if (!status || !isForbidden(error)) return error;
    const { namespace } = this.#options;
    const hint = `shards need the right to get, list, watch, create, update and delete leases.coordination.k8s.io in the namespace ${namespace}`;
    return new StatusError(status, { cause: error, hint });
  }
}

/** Ends of a watch of the Leases after which they are listed: those of every restart of a server. */
const ORDINARY: ReadonlySet<string> = new Set(['gone', 'too-large', 'very-short', 'closed', 'replaced']);

const givenBack = (index: number) => new InformerError('closed', `shard ${index} is given back`);
