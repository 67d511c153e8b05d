import { Backoff, type BackoffOptions } from '../kit/backoff.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { type Logger, silentLogger } from '../kit/logger.ts';
import type { Random } from '../kit/random.ts';
import type { WatchOptions } from '../model/list-options.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import { warnWhileWaiting } from './bookmark-warning.ts';
import { type Continuity, Ledger } from './ledger.ts';
import { ListFetcher } from './list-fetcher.ts';
import type { SyncMode } from './list-plan.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import type { ReflectorStore } from './reflector-store.ts';
import { ResyncTimer } from './resync-timer.ts';
import { RetryWindow } from './retry-window.ts';
import { DEFAULT_IDLE_MS, WatchConnection } from './watch-connection.ts';
import { classify, retryAfterMs } from './watch-fault.ts';
import { decide, type Outcome, type Rules, type Step, start, VERY_SHORT_WATCH_MS, type WatchState } from './watch-machine.ts';
import { InitialEvents, type PumpTarget, pump } from './watch-pump.ts';

export type { ReflectorOptions } from './reflector-options.ts';

const LEAST_WATCH_TIMEOUT_MS = 300_000;
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 800, factor: 2, jitter: 1, capMs: 30_000, resetAfterMs: 120_000 };
const NO_LIFE = { events: 0, ms: 0 };

/**
 * Keeps a store like a collection on the server: fetches the state, follows the changes, and mends every break.
 *
 * Promises: events reach the store in the order they arrived; after a break the stream is taken up at the last version when the server
 * allows it, else the whole state is fetched and handed to `replace` in one piece. Every fault, resume and relist is in `continuity`.
 * Does not promise: that every intermediate state of an object is seen across a relist.
 * Source: client-go tools/cache/reflector.go. What to do next is decided in watch-machine.ts; here it is done.
 */
export class Reflector<T> {
  readonly #source: ListerWatcher<T>;
  readonly #store: ReflectorStore<T>;
  readonly #options: ReflectorOptions;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: Random;
  readonly #backoff: Backoff;
  readonly #internalErrors: RetryWindow;
  readonly #ledger: Ledger;
  readonly #lists: ListFetcher<T>;
  readonly #resync: ResyncTimer;
  #resourceVersion: ResourceVersion = '';
  #connection: WatchConnection<T> | undefined;
  /** A resync failed while no stream was open to end for it. */
  #resyncError: InformerError | undefined;
  #lastError: unknown;
  #running = false;
  #isFollowing = false;

  constructor(source: ListerWatcher<T>, store: ReflectorStore<T>, options: ReflectorOptions = {}) {
    checkReflectorOptions(options);
    this.#source = source;
    this.#store = store;
    this.#options = options;
    this.#name = options.name ?? '<unspecified>';
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).child({
      reflector: this.#name,
      ...(options.scope ? { namespace: options.scope } : {}),
    });
    this.#backoff = new Backoff({ random: this.#random, ...DEFAULT_BACKOFF, ...options.backoff });
    this.#internalErrors = new RetryWindow({ maxMs: options.maxInternalErrorRetryMs ?? 0, forgetAfterMs: 60_000 });
    this.#ledger = options.ledger ?? new Ledger({ clock: this.#clock, scope: options.scope, logger: this.#logger });
    if (options.onContinuity) this.#ledger.observe(options.onContinuity);
    const { selectors, pageSize, onProgress } = options;
    this.#lists = new ListFetcher(source, {
      name: this.#name,
      sync: this.#sync,
      selectors,
      pageSize,
      onProgress,
      logger: this.#logger,
      clock: this.#clock,
      idleMs: this.#idleMs,
    });
    this.#resync = new ResyncTimer({
      name: this.#name,
      periodMs: options.resyncMs ?? 0,
      clock: this.#clock,
      shouldResync: () => options.shouldResync?.() ?? true,
      resync: () => store.resync?.(),
      onError: (error) => this.#resyncFailed(error),
    });
  }

  /** The last version that reached the store; '' before the first sync. May run ahead of what handlers have been told. */
  get lastSyncResourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  get continuity(): Continuity {
    return this.#ledger;
  }

  /** The latest fault that has not been mended yet; undefined while all is well. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /**
   * Says that the store is wrong: what is open is left, and the most recent state fetched in one piece. `error` tells why; it ends up in
   * `continuity`. Does nothing while no stream is followed: a whole state is being fetched then, or will be.
   */
  distrust(error: InformerError): void {
    if (this.#isFollowing) this.#connection?.fail(error);
  }

  /** Runs until aborted, then resolves with nothing left open. Rejects only when called a second time. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new InformerError('closed', `the reflector of ${this.#name} has already been started`);
    this.#running = true;
    try {
      this.#ledger.started();
      let state = start(undefined, this.#rules());
      while (!signal.aborted) state = await this.#step(state, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#disconnect();
      this.#resync.stop();
      this.#ledger.stop();
    }
  }

  async #step(state: WatchState, signal: AbortSignal): Promise<WatchState> {
    const outcome = await this.#perform(state, signal);
    signal.throwIfAborted();
    const step = decide(state, outcome, this.#rules());
    this.#record(state, outcome, step);
    if (step.pause === 'backoff') await this.#pause(outcome, signal);
    return step.next;
  }

  async #pause(outcome: Outcome, signal: AbortSignal): Promise<void> {
    const asked = outcome.kind === 'failed' ? retryAfterMs(outcome.error) : 0;
    await this.#clock.sleep(Math.max(asked, this.#backoff.next(this.#clock.monotonic())), { signal });
  }

  get #sync(): SyncMode {
    return this.#options.sync ?? 'stream';
  }

  get #idleMs(): number {
    return this.#options.idleMs ?? DEFAULT_IDLE_MS;
  }

  #rules(): Rules {
    return { streaming: this.#sync === 'stream' && !this.#source.isWatchListSemanticsUnSupported?.() };
  }

  // --- doing what a state says -----------------------------------------------------------------------------------------------------

  /** The one place where errors are caught and named. */
  async #perform(state: WatchState, signal: AbortSignal): Promise<Outcome> {
    try {
      switch (state.kind) {
        case 'streaming':
          return await this.#streamList(state.since ?? '', signal);
        case 'listing':
          return await this.#list(state.since, signal);
        case 'listed':
          return await this.#open(state.since, signal);
        case 'following':
          return await this.#follow(state.since, signal);
        case 'probing':
          return await this.#probe(state.since, signal);
      }
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Outcome {
    const fault = classify(error);
    const life = this.#connection?.life ?? NO_LIFE;
    this.#disconnect();
    const internalRetry = fault === 'internal' && this.#internalErrors.allows(this.#clock.monotonic());
    return { kind: 'failed', at: this.#resourceVersion, fault, error, life, internalRetry };
  }

  async #list(since: ResourceVersion | undefined, signal: AbortSignal): Promise<Outcome> {
    const startedAt = this.#clock.monotonic();
    const { items, resourceVersion } = await this.#lists.fetch(since, signal);
    this.#replace(items, resourceVersion);
    this.#options.metrics?.listed?.(this.#clock.monotonic() - startedAt, items.length);
    return { kind: 'synced', at: resourceVersion };
  }

  async #streamList(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    const startedAt = this.#clock.monotonic();
    const connection = await this.#connect(
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: since },
      signal,
    );
    const initial = new InitialEvents<T>();
    using _warning = warnWhileWaiting(connection, this.#options.bookmarkWarningMs ?? 10_000, this.#clock, this.#logger);
    for (;;) {
      const batch = await connection.read();
      if (!batch) return this.#closed(connection);
      const { events, bookmarks, stoppedAt, error } = pump(batch, initial, { ...this.#pumpOptions(), untilInitialEventsEnd: true });
      connection.events += events + bookmarks;
      if (error) throw error;
      if (stoppedAt === undefined) continue;
      this.#replace(initial.objects, initial.resourceVersion);
      this.#options.metrics?.listed?.(this.#clock.monotonic() - startedAt, connection.events);
      connection.unread(batch.slice(stoppedAt));
      return { kind: 'synced', at: initial.resourceVersion };
    }
  }

  async #open(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    await this.#connect({ resourceVersion: since }, signal);
    return { kind: 'opened' };
  }

  async #connect(options: WatchOptions, signal: AbortSignal): Promise<WatchConnection<T>> {
    const request: WatchOptions = {
      ...this.#options.selectors,
      allowWatchBookmarks: true,
      timeoutSeconds: this.#timeoutSeconds(),
      ...options,
    };
    this.#connection = await WatchConnection.open(this.#source, request, { signal, clock: this.#clock, idleMs: this.#idleMs });
    return this.#connection;
  }

  #timeoutSeconds(): number {
    const least = Math.max(LEAST_WATCH_TIMEOUT_MS, this.#options.minWatchTimeoutMs ?? 0);
    return Math.floor((least + this.#random() * least) / 1000);
  }

  async #follow(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    const connection = this.#connection;
    if (!connection) throw new InformerError('watch', 'no stream is open');
    this.#isFollowing = true;
    if (this.#resyncError) connection.fail(this.#resyncError);
    this.#resyncError = undefined;
    const target = this.#liveTarget(since);
    for (;;) {
      const batch = await connection.read();
      if (!batch) return this.#closed(connection);
      if (batch[0] && batch[0].type !== 'ERROR') this.#ledger.heard();
      const { events, bookmarks, error } = pump(batch, target, this.#pumpOptions());
      connection.events += events + bookmarks;
      this.#ledger.advanced(this.#resourceVersion, events, bookmarks);
      if (error) throw error;
      const room = this.#store.room?.(signal);
      if (room) await room;
    }
  }

  #liveTarget(since: ResourceVersion): PumpTarget<T> {
    const store = this.#store;
    // A watch from nowhere begins with ADDED events in no order of versions; what follows them tells the position.
    let isOrdered = since !== '' && since !== '0';
    return {
      add: (object) => store.add(object),
      update: (object) => {
        isOrdered = true;
        store.update(object);
      },
      delete: (object) => {
        isOrdered = true;
        store.delete(object);
      },
      bookmark: (version) => {
        isOrdered = true;
        store.bookmark?.(version);
      },
      reached: (version) => {
        if (isOrdered) this.#reached(version);
      },
    };
  }

  /** A server whose history does not reach to `since` says so here, where a watch would be silent. */
  async #probe(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    await this.#lists.probe(since, signal);
    return { kind: 'probed' };
  }

  #closed(connection: WatchConnection<T>): Outcome {
    const { life } = connection;
    this.#disconnect();
    return { kind: 'ended', at: this.#resourceVersion, life };
  }

  #disconnect(): void {
    this.#isFollowing = false;
    if (!this.#connection) return;
    const { events, ms } = this.#connection.life;
    this.#connection.close();
    this.#connection = undefined;
    this.#options.metrics?.watched?.(ms, events, ms < VERY_SHORT_WATCH_MS && events === 0);
  }

  #pumpOptions() {
    const onRefused = (error: InformerError) => this.#ledger.refused(error, 'dropped', 1);
    return { logger: this.#logger, expect: this.#options.expect, onRefused };
  }

  #replace(items: readonly T[], resourceVersion: ResourceVersion): void {
    try {
      this.#store.replace(items, resourceVersion);
    } catch (error) {
      throw new InformerError('store', `unable to sync list result of ${this.#name}: ${messageOf(error)}`, { cause: error });
    }
    this.#resourceVersion = resourceVersion; // which the store has learnt with the list
    this.#ledger.synced(resourceVersion, items.length);
  }

  #resyncFailed(error: InformerError): void {
    if (this.#connection) this.#connection.fail(error);
    else this.#resyncError = error;
  }

  #reached(resourceVersion: ResourceVersion): void {
    this.#resourceVersion = resourceVersion;
    this.#store.updateResourceVersion?.(resourceVersion);
  }

  // --- telling what happened -------------------------------------------------------------------------------------------------------

  #record(state: WatchState, outcome: Outcome, { next, pause, why, tell }: Step): void {
    if (outcome.kind === 'synced') this.#resync.start();
    if (outcome.kind === 'opened' || outcome.kind === 'synced') this.#lastError = undefined;
    if (outcome.kind === 'opened' && state.kind === 'listed') this.#ledger.opened(state.since, state.after, true);
    if (outcome.kind === 'synced' && state.kind === 'streaming') this.#ledger.opened(outcome.at);
    if (why === 'ok') return;
    const error = outcome.kind === 'failed' ? outcome.error : undefined;
    if (state.kind === 'following') this.#ledger.ended(why, error);
    else if (pause === 'backoff') this.#ledger.attemptFailed(why, error);
    const isFetching = next.kind === 'streaming' || next.kind === 'listing';
    if (isFetching && (state.kind === 'listed' || state.kind === 'following' || state.kind === 'probing')) {
      this.#resync.stop();
      this.#resyncError = undefined;
      this.#ledger.lost(why);
    }
    if (tell !== 'nobody') this.#tell(outcome, why, next, tell);
  }

  #tell(outcome: Outcome, why: Exclude<Step['why'], 'ok'>, next: WatchState, tell: 'handler' | 'log'): void {
    const error = outcome.kind === 'failed' ? outcome.error : new InformerError('watch', endingText(why));
    this.#lastError = error;
    this.#ledger.fault(why, error, nextAction(next));
    const level = why === 'connection' || why === 'throttled' || tell === 'handler' ? 'warn' : 'info';
    this.#logger[level](messageOf(error), { fault: why, next: nextAction(next), resourceVersion: this.#resourceVersion, error });
    if (tell === 'handler') this.#callHandler(error);
  }

  #callHandler(error: unknown): void {
    try {
      this.#options.onWatchError?.(error);
    } catch (thrown) {
      this.#logger.error('the watch error handler threw', { error: thrown });
    }
  }
}

function endingText(why: Exclude<Step['why'], 'ok'>): string {
  return why === 'very-short' ? 'very short watch: watch lasted less than a second and no items received' : `the watch ended: ${why}`;
}

function nextAction(next: WatchState): 'relist' | 'list' | 'resume' | 'retry' | 'probe' {
  switch (next.kind) {
    case 'streaming':
      return next.tries > 0 ? 'retry' : 'relist';
    case 'listing':
      return 'list';
    case 'probing':
      return 'probe';
    default:
      return 'resume';
  }
}

/** Throws `argument` for what no reflector can be built with; for those who take its options long before they build it. */
export function checkReflectorOptions({ resyncMs, pageSize, idleMs, backoff }: ReflectorOptions): void {
  requireNotNegative('resyncMs', resyncMs);
  requireNotNegative('pageSize', pageSize);
  if (idleMs !== undefined && !(idleMs > 0)) throw badOption('idleMs', idleMs, 'a positive number of ms');
  if (backoff) new Backoff({ ...DEFAULT_BACKOFF, ...backoff });
}

function requireNotNegative(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0)) throw badOption(name, value, 'a number not below 0');
}

function badOption(name: string, value: unknown, wanted: string): InformerError {
  return new InformerError('argument', `${name} must be ${wanted}, not ${value}`);
}
