import { InformerFactory } from '../../informer/informer-factory.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import { type Syncable, type SyncResult, waitForSync } from '../../informer/sync-result.ts';
import { aborted, onAbort, type Scope, scope } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { checkChoice, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { Latch } from '../../kit/latch.ts';
import { lifeLog } from '../../kit/life-log.ts';
import { defaultLogger, type LogFields, type Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import { inheriting, type Surroundings, surroundingsOf } from '../../kit/surroundings.ts';
import type { LeaderElectorOptions } from '../election/elector-options.ts';
import { LeaderElector } from '../election/leader-elector.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import type { Source } from '../sources/source.ts';
import { checkOf, checkResults, type ManagerCheck, type ManagerCheckResult } from './checks.ts';
import { RunGroup } from './run-group.ts';
import { asRunnable, checkRunnable, GROUPS, type Runnable, type RunnableGroup, runGroupOf } from './runnable.ts';

/** The election of a {@link Manager}. Clock, logger and metrics are the manager's unless given, else the client's. */
export type ManagerElection = Omit<LeaderElectorOptions, 'onStartedLeading' | 'onStoppedLeading' | 'drainMs'>;

/** Options of {@link createManager}. */
export interface ManagerOptions {
  /**
   * Lets only one of several processes run the runnables of the group `leader`. The others keep their caches, and wait.
   * Here `releaseOnCancel` is true by default: the lease is released when everything has ended. Default: no election.
   */
  leaderElection?: ManagerElection | undefined;
  /** How long the caches may take for their initial sync, ms. Default 120,000; Infinity for no limit. */
  cacheSyncTimeoutMs?: number | undefined;
  /** How long a shutdown may take in all, ms. Default 25,000, because Kubernetes kills a container after 30 s. */
  graceMs?: number | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  metrics?: MetricsProvider | undefined;
}

/** Options of {@link Manager.add}. */
export interface AddRunnableOptions {
  /** The name in errors and logs. Default: the name of the runnable. */
  name?: string | undefined;
  /**
   * Default: `cache` for a factory of informers and an informer, else `leader`. An `EventRecorder` starts first and ends
   * last whatever its group, so that the last Events of all others are written.
   */
  group?: RunnableGroup | undefined;
}

/** The answer of {@link Manager.health}. */
export interface HealthReport {
  readonly isLive: boolean;
  readonly isReady: boolean;
  readonly live: readonly ManagerCheckResult[];
  readonly ready: readonly ManagerCheckResult[];
}

const KNOWN_OPTIONS = {
  leaderElection: 'object',
  cacheSyncTimeoutMs: 'number',
  graceMs: 'number',
  clock: 'clock',
  logger: 'logger',
  metrics: 'metrics',
} satisfies KnownOptionsOf<ManagerOptions>;
const KNOWN_ADD_OPTIONS = { name: 'text', group: GROUPS } satisfies KnownOptionsOf<AddRunnableOptions>;

/** How long a manager that has lost its lease waits for its runnables, ms: the lease may be another's soon. */
const LOST_GRACE_MS = 2_000;

/**
 * Creates a manager, which does nothing until {@link Manager.run}. Throws `argument` for invalid options, also of the
 * election.
 * @example
 * const manager = createManager({ leaderElection: { client, name: 'shop-operator', namespace: 'shop' } });
 * manager.add(factory);
 * manager.add(controller);
 * await manager.run(signal);
 */
export function createManager(options: ManagerOptions = {}): Manager {
  return new Manager(options);
}

/**
 * Runs the parts of a program: one start, one end, and one answer to whether all is well.
 *
 * Promises
 * - Servers start first, then caches; the others start when the caches have synced, those of the group `leader` when
 *   this process leads.
 * - When the signal aborts, or a runnable fails, all end: first those that work, then the caches, then the servers. Then
 *   the lease is released, if everything has ended. An `EventRecorder` ends after all that.
 * - The end takes at most `graceMs`. The error names what had not ended by then. Nothing can end JavaScript that
 *   ignores its signal, so the program should exit after it.
 *
 * Source: controller-runtime pkg/manager.
 */
export class Manager {
  readonly #options: ManagerOptions;
  /**
   * The clock, logger and other surroundings: from the client of the election, or from the first part that has them.
   */
  #inherited: Surroundings;
  readonly #groups: Readonly<Record<RunnableGroup, RunGroup>>;
  /** The recorders end after everything that records Events, also after the election. */
  readonly #recorders: RunGroup;
  readonly #factories = new Set<InformerFactory>();
  readonly #caches = new Set<InformerFactory | Syncable>();
  readonly #added = new Set<object>();
  readonly #names = new Set<string>();
  readonly #ending: Scope = scope();
  readonly #leads = new Latch();
  readonly #live: ManagerCheck[] = [];
  readonly #ready: ManagerCheck[] = [];
  /** The elector of this manager, for `assertLeading`; undefined without an election. */
  readonly elector: LeaderElector | undefined;
  readonly #work = Promise.withResolvers<void>();
  /** The run of the election. Never rejects. */
  #elected: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** A runnable that failed while it ended may have left something running. */
  #hasFailedWhileEnding = false;
  #hasStarted = false;
  readonly #graceMs: number;
  readonly #cacheSyncTimeoutMs: number;
  #haveCachesSynced = false;
  #life: ReturnType<typeof lifeLog> = () => {};

  constructor(options: ManagerOptions) {
    checkOptions('createManager', options, KNOWN_OPTIONS);
    const { graceMs = GRACE_MS, cacheSyncTimeoutMs = CACHE_SYNC_MS } = options;
    if (graceMs < 0) throw new InformerError('argument', `graceMs must be 0 or more, not ${graceMs}`);
    if (cacheSyncTimeoutMs <= 0)
      throw new InformerError('argument', `cacheSyncTimeoutMs must be above zero, not ${cacheSyncTimeoutMs}`);
    this.#options = options;
    this.#graceMs = graceMs;
    this.#cacheSyncTimeoutMs = cacheSyncTimeoutMs;
    this.#inherited = surroundingsOf(options.leaderElection?.client);
    this.elector = this.#electorOf(options);
    const group = () => new RunGroup((name, error, isEnding) => this.#failed(name, error, isEnding));
    this.#groups = { server: group(), cache: group(), always: group(), leader: group() };
    this.#recorders = group();
    if (this.elector) this.addHealthCheck('leader-election', () => void this.elector?.check());
    this.addReadyCheck('caches', () => (this.#haveCachesSynced ? undefined : 'the caches have not synced yet'));
  }

  get #clock(): Clock {
    return this.#options.clock ?? this.#inherited.clock ?? systemClock;
  }

  get #logger(): Logger {
    return this.#options.logger ?? this.#inherited.logger ?? defaultLogger;
  }

  /** Aborts when the manager begins to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether this process may run the group `leader` now; without an election it always may. */
  get isLeading(): boolean {
    return this.elector ? this.elector.isLeading : true;
  }

  /** Resolves when the group `leader` starts. Rejects with the signal's reason, or when the manager ends before. */
  whenLeading(signal?: AbortSignal): Promise<void> {
    return this.#leads.wait(signal);
  }

  /** The checks of the liveness of the program. Later ones are added to the same list. */
  get liveChecks(): readonly ManagerCheck[] {
    return this.#live;
  }

  /** The checks of the readiness of the program. Later ones are added to the same list. */
  get readyChecks(): readonly ManagerCheck[] {
    return this.#ready;
  }

  /**
   * Adds a check of the liveness: if it fails, the process should be restarted. `reason` returns why it is not met, and
   * nothing if it is met; what it throws is the reason too.
   */
  addHealthCheck(name: string, reason: () => string | undefined): void {
    this.#live.push(checkOf('addHealthCheck', name, reason, this.#live));
  }

  /** Adds a check of the readiness: while it fails, the process should get no work. See {@link addHealthCheck}. */
  addReadyCheck(name: string, reason: () => string | undefined): void {
    this.#ready.push(checkOf('addReadyCheck', name, reason, this.#ready));
  }

  /** The results of all checks at this moment. While the manager ends it is not ready. */
  health(): HealthReport {
    const live = checkResults(this.#live);
    const ready = checkResults(this.#ready);
    const isMet = (results: readonly ManagerCheckResult[]) => results.every(({ reason }) => reason === undefined);
    return { isLive: isMet(live), isReady: isMet(ready) && !this.ending.aborted, live, ready };
  }

  /**
   * Adds a runnable, or a factory with its informers. While the manager runs, it starts as soon as its group has
   * started. Throws `argument` for what cannot be run, or was added before, and `closed` when the manager has begun to
   * end.
   */
  add(runnable: Runnable | InformerFactory, options: AddRunnableOptions = {}): void {
    checkRunnable(runnable);
    checkOptions('manager.add', options, KNOWN_ADD_OPTIONS);
    checkChoice('manager.add: group', options.group, GROUPS);
    if (this.ending.aborted) throw new InformerError('closed', 'the manager has ended, so nothing can be added');
    if (this.#added.has(runnable)) throw new InformerError('argument', 'this runnable was added to the manager before');
    this.#added.add(runnable);
    this.#inherited = inheriting(this.#inherited, runnable);
    if (runnable instanceof InformerFactory) this.#factories.add(runnable);
    const group = options.group ?? runGroupOf(runnable);
    if (group === 'cache' && (runnable instanceof InformerFactory || runnable instanceof SharedInformer))
      this.#caches.add(runnable);
    const shown = asRunnable(runnable);
    const members = runnable instanceof EventRecorder ? this.#recorders : this.#groups[group];
    members.add(this.#nameOf(shown, options.name), shown);
    if (this.#leads.isOpen) this.#checkForgotten();
  }

  /**
   * Runs everything until the signal aborts, and ends it. Resolves when all has ended.
   *
   * Rejects with the error of a runnable that failed, with its name; with `sync` if the caches did not sync in time;
   * with `leadership` if the lease was lost; with `closed` if something had not ended after `graceMs`; and with
   * `argument` if it is called a second time.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted) throw new InformerError('argument', 'the manager was started more than once');
    this.#hasStarted = true;
    using _asked = onAbort(signal, () => this.#ending.abort(signal.reason));
    using election = scope();
    await this.#start(election.signal).catch((error) => this.#fail(error));
    await aborted(this.ending);
    await this.#end(election);
    if (this.#failure) throw this.#failure.error;
  }

  #electorOf({ leaderElection, clock, logger, metrics }: ManagerOptions): LeaderElector | undefined {
    if (leaderElection === undefined) return undefined;
    const own = { clock, logger, metrics, releaseOnCancel: true };
    return new LeaderElector({
      ...own,
      ...leaderElection,
      drainMs: 0, // what has to end has ended before the election is asked to
      onStartedLeading: (leading) => this.#lead(leading),
      onStoppedLeading() {},
    });
  }

  /** Starts the groups in their order, and the election. */
  async #start(election: AbortSignal): Promise<void> {
    if (this.ending.aborted) return;
    this.#life = lifeLog(this.#logger, this.#clock);
    this.#life('the manager starts', { parts: this.#names.size, identity: this.elector?.identity });
    this.#recorders.start();
    this.#groups.server.start();
    this.#groups.cache.start();
    await this.#clock.yield(); // runnables start in a later turn
    const forgotten = this.#forgotten();
    if (forgotten) this.#logger.error(forgotten.message, { hint: forgotten.hint });
    await this.#whenCachesSynced();
    if (this.ending.aborted) return;
    this.#groups.always.start();
    if (this.elector) {
      this.#life('waiting for the lease', this.#lease);
      this.#elected = this.elector.run(election).catch((error) => this.#fail(error));
    } else void this.#lead();
  }

  async #whenCachesSynced(): Promise<void> {
    const timeoutMs = Number.isFinite(this.#cacheSyncTimeoutMs) ? this.#cacheSyncTimeoutMs : undefined;
    const timing = { timeoutMs, clock: this.#clock, logger: this.#logger };
    const syncs = [...this.#caches].map(
      (cache): Promise<SyncResult> =>
        cache instanceof InformerFactory
          ? cache.waitForSync(this.ending, { timeoutMs })
          : waitForSync([cache], this.ending, timing),
    );
    const results = await Promise.all(syncs);
    const errors = results.map((result) => result.asError());
    if (this.ending.aborted) return;
    const error = errors.find((each) => each !== undefined);
    if (error) throw error;
    this.#haveCachesSynced = true;
    const caches = results.reduce((count, { synced }) => count + synced.size, 0);
    this.#life('the caches have synced', { caches });
  }

  /** The work of the leader: resolves when the group has ended. */
  #lead(leading?: AbortSignal): Promise<void> {
    const caches = this.#groups.cache.signal;
    if (this.ending.aborted || !caches) return Promise.resolve();
    for (const factory of this.#factories) factory.start(caches);
    if (this.elector) this.#life('this process leads', this.#lease);
    this.#groups.leader.start(leading);
    this.#leads.open();
    this.#checkForgotten();
    return this.#work.promise;
  }

  /** Fails when a controller would wait for an informer that nothing starts. */
  #checkForgotten(): void {
    void this.#clock.yield().then(() => {
      const forgotten = this.ending.aborted ? undefined : this.#forgotten();
      if (forgotten) this.#fail(forgotten);
    });
  }

  /** The error of a source of a controller whose informers do not run, because their factory was not added. */
  #forgotten(): InformerError | undefined {
    for (const part of this.#added) {
      const { name: controller, sources = [] }: SourcedRunnable = part;
      for (const { name, reads = [] } of sources) {
        const [informer] = reads;
        if (!informer || reads.some(({ isStarted }) => isStarted)) continue;
        const what = `the source ${name} of the controller ${controller} reads ${informer.name}`;
        return new InformerError('argument', `${what}, which does not run: its factory was not added to the manager`, {
          hint: 'call manager.add(factory), or start(signal) of the factory',
        });
      }
    }
    return undefined;
  }

  /** Ends all groups in their order, then the election, then what records Events, in the time of grace. */
  async #end(election: Scope): Promise<void> {
    this.#leads.fail(new InformerError('closed', 'the manager has ended'));
    if (!this.isLeading) election.abort();
    const isLost = isInformerError(this.#failure?.error, 'leadership');
    const graceMs = isLost ? LOST_GRACE_MS : this.#graceMs;
    if (isLost) this.#life('the lease is lost', this.#lease);
    this.#life('the manager ends', { within: humanDuration(graceMs), error: failureText(this.#failure) });
    using over = scope();
    using _grace = this.#clock.after(graceMs, () => over.abort());
    const isOver = aborted(over.signal);
    const stops: Promise<void>[] = [];
    for (const name of ENDING_ORDER) {
      const stop = this.#groups[name].stop(this.ending.reason);
      stops.push(stop);
      if (!isLost) await this.#atMost(graceMs / 4, [stop, isOver]);
    }
    await Promise.race([Promise.all(stops), isOver]);
    const late = ENDING_ORDER.flatMap((name) => this.#groups[name].running);
    if (late.length === 0 && !this.#hasFailedWhileEnding) this.#work.resolve();
    election.abort();
    await Promise.race([this.#elected, isOver]);
    await Promise.race([this.#recorders.stop(this.ending.reason), isOver]);
    late.push(...this.#recorders.running);
    if (late.length > 0) this.#fail(notEnded(late, graceMs));
    this.#life('the manager has ended', { running: late.length === 0 ? undefined : late.join(', ') });
  }

  get #lease(): LogFields {
    const { namespace, name } = this.#options.leaderElection ?? {};
    return { lease: `${namespace}/${name}`, identity: this.elector?.identity };
  }

  /** Waits for the first of the promises, but not longer than `ms`. */
  async #atMost(ms: number, promises: readonly Promise<unknown>[]): Promise<void> {
    using waiting = scope();
    const sleep = this.#clock.sleep(ms, { signal: waiting.signal }).catch(() => {});
    await Promise.race([...promises, sleep]);
  }

  #failed(name: string, error: unknown, isEnding: boolean): void {
    const { code = 'hook', hint }: Partial<InformerError> = isInformerError(error) ? error : {};
    this.#hasFailedWhileEnding ||= isEnding;
    const what = isEnding ? 'failed while it ended' : 'failed';
    this.#fail(new InformerError(code, `${name} ${what}: ${messageOf(error)}`, { cause: error, hint }));
  }

  /** Ends the manager with an error. Further errors are logged. */
  #fail(error: unknown): void {
    if (this.#failure) {
      this.#logger.error('the manager failed, and this failed too', { error: messageOf(error) });
      return;
    }
    this.#failure = { error };
    this.#ending.abort(error);
  }

  #nameOf(runnable: Runnable, given: string | undefined): string {
    const own = given || runnable.name || `runnable ${this.#added.size}`;
    const name = this.#names.has(own) ? `${own} (${this.#added.size})` : own;
    this.#names.add(name);
    return name;
  }
}

/** A runnable that may be a controller. */
interface SourcedRunnable {
  readonly name?: string;
  readonly sources?: readonly Source[];
}

const failureText = (failure: { readonly error: unknown } | undefined) => failure && messageOf(failure.error);

const ENDING_ORDER: readonly RunnableGroup[] = ['always', 'leader', 'cache', 'server'];
const GRACE_MS = 25_000;
const CACHE_SYNC_MS = 120_000;

function notEnded(names: readonly string[], graceMs: number): InformerError {
  return new InformerError('closed', `the manager waited ${graceMs / 1000}s, and did not end: ${names.join(', ')}`, {
    hint: 'each must end soon after the signal of its run has aborted; end the process now',
  });
}
