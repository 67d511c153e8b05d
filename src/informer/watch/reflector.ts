import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { checkOptions } from '../../kit/known-options.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import type { RandomSource } from '../../kit/random.ts';
import { inheriting } from '../../kit/surroundings.ts';
import { guarded, notify } from '../../kit/user-callback.ts';
import type { WatchOptions } from '../../model/list-options.ts';
import type { KubeObject } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import { type NamedMetrics, namedMetrics } from '../metrics.ts';
import { doubtAbsence } from './absence-doubt.ts';
import { warnWhileWaiting } from './bookmark-warning.ts';
import { type Continuity, ContinuityLedger } from './continuity-ledger.ts';
import { endingError, nextAction } from './fault-report.ts';
import { History, replacedHistory } from './history-check.ts';
import { recheckHistory } from './history-recheck.ts';
import { ListFetcher } from './list-fetcher.ts';
import type { SyncMode } from './list-plan.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import {
  checkReflectorOptions,
  DEFAULT_IDLE_MS,
  KNOWN_REFLECTOR_OPTIONS,
  type ReflectorOptions,
} from './reflector-options.ts';
import type { ReflectorStore } from './reflector-store.ts';
import { RetryPause } from './retry-pause.ts';
import { RetryWindow } from './retry-window.ts';
import { StalledWatchCheck } from './stalled-watch-check.ts';
import { StoreResync } from './store-resync.ts';
import { isResumable, type StoredState } from './stored-state.ts';
import { WatchConnection } from './watch-connection.ts';
import { classify } from './watch-fault.ts';
import {
  decide,
  didWell,
  isOrdinary,
  isVeryShort,
  type Outcome,
  type Rules,
  start,
  startAt,
  type WatchEnding,
  type WatchState,
  type WatchStep,
} from './watch-machine.ts';
import { InitialEvents, type PumpTarget, pump } from './watch-pump.ts';

const LEAST_WATCH_TIMEOUT_MS = 300_000;
const NO_LIFE = { events: 0, ms: 0 };

/**
 * Keeps a store equal to a collection on the server: fetches the state, follows the changes, and repairs every break.
 * Promises: events reach the store in the order in which they arrived. After a break the stream resumes at the last
 * version when the server allows it; otherwise the whole state is fetched and passed to `replace` at once. Every fault,
 * resume and relist is in `continuity`.
 * Does not promise: that every intermediate state of an object is seen across a relist.
 * Source: client-go tools/cache/reflector.go. watch-machine.ts decides what to do next, and this class does it.
 *
 * @example
 * const store = new Indexer<UnknownObject>();
 * const reflector = new Reflector(client.resource(DEPLOYMENTS), store, { name: 'deployments' });
 * void reflector.run(signal);
 * await eventually(() => reflector.lastSyncResourceVersion !== '');
 * console.log(createLister(store).list().length, reflector.continuity.gaps);
 */
export class Reflector<T> {
  readonly #source: ListerWatcher<T>;
  readonly #store: ReflectorStore<T>;
  readonly #options: ReflectorOptions;
  readonly #metrics: NamedMetrics | undefined;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: RandomSource;
  readonly #pause: RetryPause;
  readonly #internalErrors: RetryWindow;
  readonly #ledger: ContinuityLedger;
  readonly #lists: ListFetcher<T>;
  readonly #history: History<T>;
  readonly #resync: StoreResync;
  #resourceVersion: ResourceVersion = '';
  #connection: WatchConnection<T> | undefined;
  /** A cached object that the server did not have when the open stream was resumed. */
  #absent: KubeObject | undefined;
  /** Whether the open stream continues an earlier one. */
  #isResumed: boolean | undefined;
  /** Whether the history of the open stream was checked, or the stream follows a new list. */
  #isVerified = false;
  /** Whether that check got no answer, and is to be made again. */
  #hasFailedCheck: boolean | undefined;
  /** Whether it is proven that the history of the open stream contains what came before it. */
  #isProven = false;
  /** The error of a resync that failed while no stream was open to end for it. */
  #resyncError: InformerError | undefined;
  #lastError: unknown;
  #running = false;
  #isFollowing = false;
  /** Why the store is wrong, until a whole state arrives. */
  #distrusted: InformerError | undefined;

  constructor(source: ListerWatcher<T>, store: ReflectorStore<T>, options: ReflectorOptions = {}) {
    checkOptions('Reflector', options, KNOWN_REFLECTOR_OPTIONS);
    options = inheriting(options, source);
    checkReflectorOptions(options);
    this.#source = source;
    this.#store = store;
    this.#name = options.name ?? '<unspecified>';
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? defaultLogger).child({
      reflector: this.#name,
      ...(options.scope ? { namespace: options.scope } : {}),
    });
    this.#options = options;
    this.#metrics = options.metrics && namedMetrics(guarded('the metrics', options.metrics, this.#logger), this.#name);
    this.#internalErrors = new RetryWindow({ maxMs: options.maxInternalErrorRetryMs ?? 0, forgetAfterMs: 60_000 });
    this.#ledger =
      options.ledger ?? new ContinuityLedger({ clock: this.#clock, scope: options.scope, logger: this.#logger });
    this.#pause = new RetryPause({
      source,
      clock: this.#clock,
      random: this.#random,
      backoff: options.backoff,
      onWaiting: (error, waitMs) => this.#ledger.waiting(error, waitMs),
    });
    if (options.onContinuity) this.#ledger.observe(options.onContinuity);
    const { selectors, pageSize, onProgress } = options;
    this.#lists = new ListFetcher(source, {
      name: this.#name,
      sync: this.#sync,
      selectors,
      pageSize,
      onProgress: onProgress && ((progress) => notify('onProgress', onProgress, this.#logger, progress)),
      logger: this.#logger,
      clock: this.#clock,
      idleMs: this.#idleMs,
      arrived: store.arrived && ((object, bytes) => store.arrived?.(object, bytes)),
    });
    const reached = () => this.#resourceVersion;
    this.#history = new History({
      source,
      name: this.#name,
      selectors,
      clock: this.#clock,
      cache: options.cache,
      reached,
    });
    this.#resync = new StoreResync({
      name: this.#name,
      periodMs: options.resyncMs ?? 0,
      clock: this.#clock,
      shouldResync: () => options.shouldResync?.() ?? true,
      resync: () => store.resync?.(),
      onError: (error) => this.#resyncFailed(error),
    });
  }

  /** The last version that reached the store; '' before the first sync. May be ahead of what handlers have seen. */
  get lastSyncResourceVersion(): ResourceVersion {
    return this.#resourceVersion;
  }

  get continuity(): Continuity {
    return this.#ledger;
  }

  /** The latest fault that has not been repaired yet; undefined while there is none. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /**
   * Reports that the store is wrong. The reflector closes the open stream and fetches the most recent state at once.
   * `error` is the reason; it is recorded in `continuity`.
   * Does nothing while no stream is followed, because a whole state is then being fetched or will be. `always`: it may
   * be a stream that is resumed instead, so the next one is closed at once, unless a whole state arrives before it.
   */
  distrust(error: InformerError, { always = false } = {}): void {
    if (this.#isFollowing) this.#connection?.fail(error);
    else if (always) this.#distrusted ??= error;
  }

  /** Runs until aborted. Then resolves, with nothing left open. Rejects only when called a second time. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new InformerError('closed', `the reflector of ${this.#name} has already been started`);
    this.#running = true;
    try {
      this.#ledger.started();
      let state = this.#begin();
      while (!signal.aborted) state = await this.#step(state, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#disconnect();
      this.#resync.stop();
      this.#ledger.stop();
    }
  }

  #begin(): WatchState {
    const { stored } = this.#options;
    return stored && this.#restore(stored as StoredState<T>)
      ? startAt(stored.resourceVersion)
      : start(undefined, this.#rules());
  }

  /** Whether the store begins with the stored state. One that it refuses is not used. */
  #restore(stored: StoredState<T>): boolean {
    if (!this.#store.restore || !isResumable(stored)) return false;
    try {
      this.#store.restore(stored.objects, stored.resourceVersion);
    } catch (error) {
      this.#logger.warn('a stored state is not used', { error });
      return false;
    }
    this.#resourceVersion = stored.resourceVersion;
    this.#ledger.restored(stored, stored.objects.length);
    this.#resync.start();
    return true;
  }

  async #step(state: WatchState, signal: AbortSignal): Promise<WatchState> {
    const outcome = await this.#perform(state, signal);
    signal.throwIfAborted();
    const step = decide(state, outcome, this.#rules());
    if ((outcome.kind === 'failed' || outcome.kind === 'ended') && didWell(outcome.life)) this.#pause.reset();
    this.#record(state, outcome, step);
    if (step.pause === 'backoff') await this.#pause.wait(state, outcome, step.next, signal);
    return step.next;
  }

  get #sync(): SyncMode {
    return this.#options.sync ?? 'stream';
  }

  get #idleMs(): number {
    return this.#options.idleMs ?? DEFAULT_IDLE_MS;
  }

  #rules(): Rules {
    return { streaming: this.#sync === 'stream' && (this.#source.supportsStreamingLists?.() ?? true) };
  }

  // --- the action of each state ---

  /** The only place that catches and classifies errors. */
  async #perform(state: WatchState, signal: AbortSignal): Promise<Outcome> {
    try {
      switch (state.kind) {
        case 'streaming':
          return await this.#streamList(state.since ?? '', signal);
        case 'listing':
          return await this.#list(state.since, signal);
        case 'merging':
          return await this.#merge(state.since, signal);
        case 'listed':
          return await this.#open(state.since, state.after, signal);
        case 'following':
          return await this.#follow(state.since, signal);
        case 'verifying':
          return await this.#verify(state.since, signal);
        case 'probing':
          return await this.#probe(signal);
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
    this.#store.arriving?.();
    const { items, resourceVersion } = await this.#lists.fetch(since, signal);
    this.#replace(items, resourceVersion);
    this.#metrics?.listed(this.#clock.monotonic() - startedAt, items.length);
    return { kind: 'synced', at: resourceVersion };
  }

  async #streamList(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    const startedAt = this.#clock.monotonic();
    const connection = await this.#connect(
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: since },
      signal,
    );
    this.#store.arriving?.();
    const initial = new InitialEvents<T>(this.#store.arrived && ((object) => this.#store.arrived?.(object) ?? object));
    using _warning = warnWhileWaiting(connection, this.#options.bookmarkWarningMs ?? 10_000, this.#clock, this.#logger);
    for (;;) {
      const batch = await connection.read();
      if (!batch) return this.#closed(connection);
      const { events, bookmarks, stoppedAt, error } = pump(batch, initial, {
        ...this.#pumpOptions(),
        untilInitialEventsEnd: true,
      });
      connection.events += events + bookmarks;
      if (error) throw error;
      if (stoppedAt === undefined) continue;
      this.#replace(initial.objects, initial.resourceVersion);
      this.#metrics?.listed(this.#clock.monotonic() - startedAt, connection.events);
      connection.unread(batch.slice(stoppedAt));
      return { kind: 'synced', at: initial.resourceVersion };
    }
  }

  async #open(since: ResourceVersion, after: WatchEnding | undefined, signal: AbortSignal): Promise<Outcome> {
    await this.#connect({ resourceVersion: since }, signal, !isOrdinary(after));
    return { kind: 'opened' };
  }

  /** The objects that the cache keeps are right up to `since`, so the others are listed as they were then. */
  async #merge(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    const change = this.#store.merge && this.#source.change?.();
    if (!change) throw new InformerError('list', 'all of the collection has to be listed');
    const startedAt = this.#clock.monotonic();
    this.#store.arriving?.();
    const { list } = change;
    const items = list ? (await this.#lists.fetchExactly(since, { list }, signal)).items : [];
    this.#store.merge?.(items, (object) => change.keeps(object), since);
    change.taken();
    this.#history.hasLost((object) => !change.keeps(object as T));
    if (list) this.#metrics?.listed(this.#clock.monotonic() - startedAt, items.length);
    return { kind: 'merged' };
  }

  async #connect(options: WatchOptions, signal: AbortSignal, fresh = false): Promise<WatchConnection<T>> {
    const request: WatchOptions = {
      ...this.#options.selectors,
      allowWatchBookmarks: true,
      timeoutSeconds: this.#timeoutSeconds(),
      ...options,
    };
    this.#connection = await WatchConnection.open(this.#source, request, {
      signal,
      clock: this.#clock,
      idleMs: this.#idleMs,
      fresh,
    });
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
    const fault = this.#distrusted ?? this.#resyncError;
    if (fault) connection.fail(fault);
    this.#distrusted = undefined;
    const target = this.#liveTarget(since);
    using guard = this.#guard(connection, signal);
    using _doubt = this.#doubt(connection, guard, signal);
    using _recheck = this.#recheck(connection, signal);
    for (;;) {
      const batch = await connection.read();
      if (!batch) return this.#closed(connection);
      if (batch[0] && batch[0].type !== 'ERROR') this.#ledger.arrived();
      const { events, bookmarks, error } = pump(batch, target, this.#pumpOptions());
      connection.events += events + bookmarks;
      this.#ledger.advanced(this.#resourceVersion, events, bookmarks);
      if (error) throw error;
      const room = this.#store.room?.(signal);
      if (room) await room;
    }
  }

  /** Notices a stream that is dead without a sign. */
  #guard(connection: WatchConnection<T>, signal: AbortSignal): StalledWatchCheck<T> | undefined {
    if (!Number.isFinite(this.#idleMs)) return undefined;
    const verify = async (asking: AbortSignal, again: boolean) => {
      if (again || !this.#isVerified) await this.#checkHistory(asking);
    };
    const options = {
      source: this.#source,
      selectors: this.#options.selectors,
      clock: this.#clock,
      random: this.#random,
      reached: () => this.#resourceVersion,
      verify,
      position: async (asking: AbortSignal) => (await this.#history.ask(asking)).resourceVersion,
    };
    return new StalledWatchCheck(connection, options, signal);
  }

  #doubt(
    connection: WatchConnection<T>,
    guard: StalledWatchCheck<T> | undefined,
    signal: AbortSignal,
  ): Disposable | undefined {
    const object = this.#absent;
    this.#absent = undefined;
    const options = { history: this.#history, connection, guard, clock: this.#clock };
    return object && doubtAbsence(object, { ...options, reached: () => this.#resourceVersion }, signal);
  }

  #liveTarget(since: ResourceVersion): PumpTarget<T> {
    const store = this.#store;
    const history = this.#history;
    // A watch without a version begins with ADDED events in no order of versions. The events after them show the
    // position.
    let isOrdered = since !== '' && since !== '0';
    return {
      add: (object) => {
        history.lastChanged(object);
        store.add(object);
      },
      update: (object) => {
        isOrdered = true;
        history.lastChanged(object);
        store.update(object);
      },
      delete: (object) => {
        isOrdered = true;
        history.lastDeleted(object);
        store.delete(object);
      },
      bookmark: (version) => {
        isOrdered = true;
        store.bookmark?.(version);
      },
      reached: (version) => {
        if (isOrdered) this.#reached(version);
      },
      ...(this.#isResumed ? { expects: (version: ResourceVersion) => this.#checkOrder(version) } : {}),
    };
  }

  /** A resumed stream continues after its version, or it belongs to another history. */
  #checkOrder(version: ResourceVersion): void {
    const order = compareResourceVersions(version, this.#resourceVersion);
    if (order !== undefined && order < 0)
      throw replacedHistory(`an event at version ${version} came after version ${this.#resourceVersion}`);
  }

  /** The watch is open but not read yet, so nothing of another history gets into the store. */
  async #verify(since: ResourceVersion, signal: AbortSignal): Promise<Outcome> {
    const { isVerified, isProven, absent } = await this.#history.check(since, signal);
    this.#isVerified = isVerified;
    this.#hasFailedCheck = !isVerified;
    this.#isProven = isProven;
    this.#absent = absent;
    return { kind: 'verified' };
  }

  /** Checks the history of a stream that is being read. */
  async #checkHistory(signal: AbortSignal): Promise<boolean> {
    this.#isVerified = (await this.#history.check(this.#resourceVersion, signal)).isVerified;
    return this.#isVerified;
  }

  #recheck(connection: WatchConnection<T>, signal: AbortSignal): Disposable | undefined {
    if (!this.#hasFailedCheck) return undefined;
    const check = async (asking: AbortSignal) => {
      const isAnswered = await this.#checkHistory(asking);
      this.#hasFailedCheck &&= !isAnswered;
      return isAnswered;
    };
    return recheckHistory({ clock: this.#clock, check, onReplaced: (error) => connection.fail(error) }, signal);
  }

  async #probe(signal: AbortSignal): Promise<Outcome> {
    await this.#history.ask(signal);
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
    const { life } = this.#connection;
    this.#connection.close();
    this.#connection = undefined;
    this.#metrics?.watched(life.ms, life.events, isVeryShort(life));
  }

  #pumpOptions() {
    const onRefused = (error: InformerError) => this.#ledger.refused(error, 'dropped', 1);
    return { logger: this.#logger, expect: this.#options.expect, onRefused };
  }

  #replace(items: readonly T[], resourceVersion: ResourceVersion): void {
    this.#ledger.listed(resourceVersion, () => this.#history.agrees(items));
    try {
      this.#store.replace(items, resourceVersion);
    } catch (error) {
      throw new InformerError('store', `unable to sync list result of ${this.#name}: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#distrusted = undefined;
    this.#history.lastChanged(undefined);
    this.#resourceVersion = resourceVersion; // the store knows it from the list
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

  // --- reports ---

  #record(state: WatchState, outcome: Outcome, { next, pause, why, report }: WatchStep): void {
    if (outcome.kind === 'synced') this.#resync.start();
    if (outcome.kind === 'opened' || outcome.kind === 'synced') this.#lastError = undefined;
    if (next.kind === 'following') this.#opened(state, next.since);
    if (why === 'ok') return;
    const error = outcome.kind === 'failed' ? outcome.error : why === 'very-short' ? endingError(why) : undefined;
    if (state.kind === 'following') this.#ledger.ended(why, error);
    else if (pause === 'backoff') this.#ledger.attemptFailed(why, error);
    const isFetching = next.kind === 'streaming' || next.kind === 'listing';
    if (isFetching && state.kind !== 'streaming' && state.kind !== 'listing') {
      this.#resync.stop();
      this.#resyncError = undefined;
      if (why === 'very-short') this.#ledger.doubted(why, error);
      else this.#ledger.lost(why);
    }
    if (report !== 'none') this.#report(outcome, why, next, report);
  }

  #opened(state: WatchState, since: ResourceVersion): void {
    const after = 'after' in state ? state.after : undefined;
    if (state.kind !== 'verifying') {
      this.#isVerified = this.#isProven = after === undefined; // the list before it is new
      if (after !== 'changed') this.#hasFailedCheck = false;
    }
    this.#isResumed = after !== undefined;
    this.#ledger.opened(since, after, this.#isProven && !this.#absent); // not while an object is in doubt
  }

  #report(outcome: Outcome, why: Exclude<WatchStep['why'], 'ok'>, next: WatchState, report: 'handler' | 'log'): void {
    const error = outcome.kind === 'failed' ? outcome.error : endingError(why);
    this.#lastError = error;
    this.#ledger.fault(why, error, nextAction(next));
    const level = why === 'connection' || why === 'throttled' || report === 'handler' ? 'warn' : 'info';
    this.#logger[level](messageOf(error), {
      fault: why,
      next: nextAction(next),
      resourceVersion: this.#resourceVersion,
      error,
    });
    if (report === 'handler') this.#callHandler(error);
  }

  #callHandler(error: unknown): void {
    notify('the watch error handler', this.#options.onWatchError, this.#logger, error);
  }
}
