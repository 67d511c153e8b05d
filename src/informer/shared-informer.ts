import { aborted, scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkArgument, checkOptions } from '../kit/known-options.ts';
import { Latch } from '../kit/latch.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import { inheriting, withSurroundings } from '../kit/surroundings.ts';
import { guarded, notify } from '../kit/user-callback.ts';
import type { GroupResource } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import type { DeepReadonly } from '../model/object.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import { servedTypesOf, withServedTypes } from '../model/served-types.ts';
import type { StoreMemory } from './compact/compact-store.ts';
import type { LookedAt } from './compact/field-columns.ts';
import type { Cached } from './compact/packed-object.ts';
import { deepFreeze } from './deep-freeze.ts';
import { eventsOf, type InformerEvent } from './handlers/event-iterator.ts';
import { createFilteringHandler } from './handlers/filtering-handler.ts';
import { LEAST_RESYNC_MS, resyncPeriod } from './handlers/handler-resync.ts';
import { Listener } from './handlers/listener.ts';
import { type InformerHandler, type NotificationSink, sinkOf } from './handlers/notification.ts';
import { Processor } from './handlers/processor.ts';
import {
  checkHandler,
  checkHandlerOptions,
  type HandlerOptions,
  HandlerRegistration,
  type Registration,
} from './handlers/registration.ts';
import { type LightSelection, replayed, selectingSink } from './handlers/selecting-sink.ts';
import { InformerGauges } from './informer-gauges.ts';
import {
  checkInformerOptions,
  checkSources,
  KNOWN_OPTIONS,
  type ScopedSource,
  type SharedInformerOptions,
  selectorsOfName,
} from './informer-options.ts';
import { type NamedMetrics, namedMetrics } from './metrics.ts';
import { type PipelineOptions, SourcePipeline } from './source-pipeline.ts';
import type { CachedChange, ShownSource, StateChange } from './state-change.ts';
import { type Applied, type ApplyContext, applyingDeltas, textOf } from './store/apply-deltas.ts';
import type { Delta } from './store/delta-fifo.ts';
import { Indexer } from './store/indexer.ts';
import { createLister, type Lister } from './store/lister.ts';
import { type Indexers, indexByNamespace, NAMESPACE_INDEX } from './store/object-index.ts';
import type { Syncable } from './sync-result.ts';
import type { Drift } from './verifier.ts';
import type { Continuity, ContinuityEvent } from './watch/continuity-ledger.ts';
import type { ListerWatcher } from './watch/lister-watcher.ts';

/** After this time a longer work lets other code run, ms. */
const LONGEST_STEP_MS = 4;

/**
 * A cache of one collection that is kept up to date, and any number of handlers that are called with every change.
 * Promises: the cache agrees with the server once the server is quiet. Handlers get the changes of each object in
 * order, one at a time, after the cache shows them. A late handler first gets every cached object. A handler that fails
 * or is slow does not affect the others.
 * Does not promise: every intermediate state across a relist (the continuity ledger says where), or any order between
 * two handlers.
 * Source: client-go tools/cache/shared_informer.go.
 * @example
 * const { informer } = dynamicInformerFactory(client).forResource(parseGvr('v1/pods'));
 * informer.addHandler({
 *   added: (pod) => console.log('added', keyOf(pod)),
 *   deleted: (pod) => console.log('deleted', keyOf(pod)),
 * });
 * void informer.run(signal);
 * await informer.whenSynced(signal);
 */
export class SharedInformer<T> implements Syncable {
  readonly name: string;
  /** The reader's side of the cache. */
  readonly lister: Lister<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: NamedMetrics | undefined;
  readonly #indexer: Indexer<T>;
  readonly #processor: Processor<Cached<T>>;
  readonly #pipelines: readonly SourcePipeline<Cached<T>>[];
  readonly #synced = new Latch();
  readonly #closers = new Set<() => void>();
  readonly #stateObservers = new Set<(change: StateChange<T>) => void>();
  /** The errors of index functions in the current batch. */
  #unindexed: InformerError[] = [];
  #transform: ((object: T) => T) | undefined;
  #onWatchError: ((error: unknown) => void) | undefined;
  #resyncCheckMs: number;
  #gauges: InformerGauges | undefined;
  #state: 'new' | 'started' | 'stopped' = 'new';

  constructor(sources: ListerWatcher<T> | readonly ScopedSource<T>[], options: SharedInformerOptions<T> = {}) {
    const scoped = Array.isArray(sources)
      ? (sources as readonly ScopedSource<T>[])
      : [{ source: sources as ListerWatcher<T> }];
    checkSources(scoped);
    checkOptions('SharedInformer', options, KNOWN_OPTIONS);
    options = inheriting(options, ...scoped.map(({ source }) => source));
    withSurroundings(this, options);
    withServedTypes(this, scoped[0] && servedTypesOf(scoped[0].source));
    checkInformerOptions(options);
    this.#options = options;
    this.name = options.name ?? '<unspecified>';
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? defaultLogger).child({ informer: this.name });
    const metrics = options.metrics && guarded('the metrics', options.metrics, this.#logger);
    this.#metrics = metrics && namedMetrics(metrics, this.name);
    this.#transform = options.transform;
    this.#onWatchError = options.onWatchError;
    this.#resyncCheckMs = options.resyncMs ? Math.max(LEAST_RESYNC_MS, options.resyncMs) : 0;
    const areJson = scoped.every(({ source, stored }) => source.givesJson && stored === undefined);
    this.#indexer = new Indexer<T>(
      {
        indexers: { [NAMESPACE_INDEX]: indexByNamespace, ...(options.indexers as Indexers<T> | undefined) },
        onIndexError: (error) => this.#unindexed.push(error),
        store: options.store,
      },
      {
        clock: this.#clock,
        logger: this.#logger,
        above: options.compactAbove,
        isFromServer: () => areJson && this.#transform === undefined,
        finish: options.freeze ? deepFreeze : undefined,
        onDamage: (error) => this.#damaged(error),
      },
    );
    this.lister = createLister(this.#indexer, options.resource);
    this.#processor = new Processor(this.#clock);
    this.#pipelines = scoped.map((part, i) => this.#createPipeline(part, i));
    this.onContinuity((event) => this.#onStoreFault(event));
    if (metrics && 'counter' in metrics) this.#gauges = this.#createGauges(metrics);
  }

  // --- state ---

  /** Whether the initial list is in the cache and has been queued to every handler. Never turns false again. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /**
   * Resolves when the informer has synced. Rejects with `closed` when the informer stops before that, or with the
   * signal's reason.
   */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.isOpen ? Promise.resolve() : this.#synced.wait(signal);
  }

  get isStarted(): boolean {
    return this.#state !== 'new';
  }

  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /**
   * The version that the reflector has reached; '' before the first sync. With several namespaces: the version of the
   * first one.
   */
  get lastSyncResourceVersion(): ResourceVersion {
    return (this.#pipelines[0] as SourcePipeline<Cached<T>>).lastSyncResourceVersion; // there is at least one
  }

  /** How the content of the cache was obtained, one ledger for each source. */
  get continuity(): readonly Continuity[] {
    return this.#pipelines.map((pipeline) => pipeline.continuity);
  }

  /** The sources of the cache, without those that are left out. */
  get sources(): readonly ListerWatcher<unknown>[] {
    return this.#taking.map((pipeline) => pipeline.source);
  }

  /**
   * Whether everything that has arrived is in the cache and was queued to the handlers. Then the cache shows the state
   * at the `resourceVersion` of each ledger in `continuity`.
   */
  get isCaughtUp(): boolean {
    return this.#pipelines.every((pipeline) => pipeline.isIdle);
  }

  /** The type of the objects; undefined if it is not known. */
  get resource(): GroupResource | undefined {
    const source: Partial<{ gvr: GroupResource }> = Object(this.#pipelines[0]?.source);
    return this.#options.resource ?? source.gvr;
  }

  /** The source of the objects under a key, and how far the cache shows it; undefined if no source has the key. */
  sourceOf(key: ObjectKey): ShownSource | undefined {
    return this.#pipelines.find((pipeline) => pipeline.has(key));
  }

  /** The latest fault of any source that has not been repaired yet. */
  get lastError(): unknown {
    return this.#pipelines.find((pipeline) => pipeline.lastError !== undefined)?.lastError;
  }

  /** The memory of the cache. */
  get memory(): StoreMemory {
    return this.#indexer.memory;
  }

  get handlerCount(): number {
    return this.#processor.size;
  }

  /** The interval of the resync check, ms; 0: never. Final when the informer starts. */
  get resyncCheckMs(): number {
    return this.#resyncCheckMs;
  }

  // --- before and while running ---

  /** Replaces the transform. Throws `closed` once started. */
  setTransform<In = T>(transform: (object: In) => T): void {
    checkArgument('setTransform', 'transform', transform, 'function');
    this.#mustBeNew();
    this.#transform = transform as unknown as (object: T) => T;
  }

  /** Replaces the watch error handler. Throws `closed` once started. */
  setWatchErrorHandler(handler: (error: unknown) => void): void {
    checkArgument('setWatchErrorHandler', 'handler', handler, 'function');
    this.#mustBeNew();
    this.#onWatchError = handler;
  }

  /**
   * Adds indexes over the cached objects, at any time before the informer stops. Throws `argument` when a name is
   * taken.
   */
  addIndexers(indexers: Indexers<DeepReadonly<T>>): void {
    if (this.isStopped)
      throw new InformerError(
        'closed',
        `indexers were not added to the informer of ${this.name} because it has stopped already`,
      );
    this.#indexer.addIndexers(indexers as Indexers<T>);
  }

  /**
   * As {@link addIndexers}, in steps of a few milliseconds between which other code runs: for a large cache that is in
   * use. Lookups find the indexes when the promise resolves. Rejects with the signal's reason, and adds none, if that
   * aborts before.
   */
  async buildIndexers(indexers: Indexers<DeepReadonly<T>>, signal?: AbortSignal): Promise<void> {
    let since = this.#clock.monotonic();
    for (const _ of this.#indexer.addingIndexers(indexers as Indexers<T>)) {
      signal?.throwIfAborted();
      if (this.#clock.monotonic() - since < LONGEST_STEP_MS) continue;
      await this.#clock.yield();
      since = this.#clock.monotonic();
    }
  }

  /**
   * Keeps the values of fields, such as `.status.phase`, parsed in a compact store: those of all objects that come from
   * now on. The first `lister.scan` of the same fields then decodes nothing either. Fields with millions of different
   * values are not kept. Without effect on a store of parsed objects. Throws `argument` for a text that is not a path.
   */
  keepFields(fields: readonly string[]): void {
    checkArgument('keepFields', 'fields', fields, 'list');
    this.#indexer.keepFields(fields);
  }

  /** @internal As `keepFields`, also of cells of its table. */
  keep(looked: LookedAt): void {
    this.#indexer.keep(looked);
  }

  /** Removes indexes that were added. Names that are not there are left out. */
  removeIndexers(names: Iterable<string>): void {
    const own: readonly string[] = [NAMESPACE_INDEX, ...Object.keys(this.#options.indexers ?? {})];
    this.#indexer.removeIndexers([...names].filter((name) => !own.includes(name)));
  }

  /**
   * Adds a handler. On a running informer it first gets every cached object. A handler that is added twice has two
   * registrations.
   * Throws `closed` when the informer has stopped. Throws `argument` for a handler without any known callback and for
   * unknown options.
   */
  addHandler(handler: InformerHandler<T>, options: HandlerOptions<T> = {}): Registration {
    return this.addSelecting(handler, options);
  }

  /** @internal As `addHandler`, for what a selection has; the other objects are not decoded. */
  addSelecting(handler: InformerHandler<T>, options: HandlerOptions<T>, selection?: LightSelection): Registration {
    checkHandler(handler);
    checkHandlerOptions(options);
    const sink = sinkOf(options.filter ? createFilteringHandler(options.filter, handler) : handler);
    return this.#register(sink, options, selection);
  }

  /** Removes a registration: see {@link Registration.remove}. Does nothing for one of another informer, or one that is already removed. */
  async removeHandler(registration: Registration): Promise<void> {
    if (registration instanceof HandlerRegistration && registration.owner === this.#processor)
      await registration.remove();
  }

  /**
   * The notifications as an async iterable with back-pressure: the informer reads no faster than the consumer pulls.
   * Begins with the cached objects at the first pull. A `synced` event follows the last object of the initial list.
   * Ends with the signal or the informer.
   */
  events(options: { signal?: AbortSignal; limit?: number } = {}): AsyncGenerator<InformerEvent<T>, void, undefined> {
    checkOptions('events', options, { signal: 'signal', limit: 'number' });
    const { signal, limit = 1000 } = options;
    if (!(limit >= 1)) throw new InformerError('argument', `limit must be at least 1, not ${limit}`);
    return eventsOf({ subscribe: (sink, closed) => this.#subscribe(sink, closed, limit) }, limit, signal);
  }

  /** Calls `observer` with every continuity event from now on. */
  onContinuity(observer: (event: ContinuityEvent) => void): Disposable {
    const observed = this.#pipelines.map((pipeline) => pipeline.observe(observer));
    return {
      [Symbol.dispose]: () => {
        for (const each of observed) each[Symbol.dispose]();
      },
    };
  }

  /**
   * Calls `observer` with every step that changes the cache, after the store shows it and before any other code runs,
   * with the version at which the source is then complete. Not with a stored state. Errors that it throws are logged.
   */
  onState(observer: (change: StateChange<T>) => void): Disposable {
    this.#stateObservers.add(observer);
    return { [Symbol.dispose]: () => void this.#stateObservers.delete(observer) };
  }

  /**
   * Compares the cache with a fresh list and returns the lasting differences, which a relist then repairs.
   * Takes one list, and about ten seconds more when they differ at first, because a stream may lag. Rejects with `list`
   * when a list fails, with `closed` before the initial sync, or with the signal's reason.
   */
  async verify(signal: AbortSignal = new AbortController().signal): Promise<Drift> {
    const drifts = await Promise.all(this.#taking.map((pipeline) => pipeline.verify(signal)));
    const all = (kind: keyof Drift) => drifts.flatMap((drift) => drift[kind]).sort();
    return { missing: all('missing'), extra: all('extra'), stale: all('stale') };
  }

  /**
   * Compares the cache with the most recent state, as metadata where the source can: name, uid and version. One result
   * for each source: the version of its list, and the number of objects that differ. A source that agrees is current at
   * that version, and `continuity` has the proof. One that differs may only lag behind: nothing is repaired, as
   * {@link verify} does. Rejects with `list` when a list fails, with `closed` before the initial sync, or with the
   * signal's reason.
   */
  async confirm(signal: AbortSignal): Promise<{ resourceVersion: ResourceVersion; differing: number }[]> {
    return await Promise.all(this.#taking.map((pipeline) => pipeline.confirm(signal)));
  }

  /**
   * Resolves when the cache shows what the server had at the call. Costs one small request, and a list of the metadata
   * where that is not enough. Rejects with `closed` before the sync, or with the signal's reason.
   */
  async whenCurrent(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#taking.map((pipeline) => pipeline.whenCurrent(signal)));
  }

  /**
   * Resolves at the next sign that the server and this informer are connected: an event, a bookmark or a list of any
   * source. Rejects with the signal's reason.
   */
  async whenProven(signal: AbortSignal): Promise<void> {
    using waiting = scope(signal);
    await Promise.race(this.#pipelines.map((pipeline) => pipeline.whenSign(waiting.signal)));
  }

  /** Resolves when all changes that have arrived are in the cache. Rejects with the signal's reason. */
  async whenApplied(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#pipelines.map((pipeline) => pipeline.whenApplied(signal)));
  }

  /**
   * Keeps the cache up to date until aborted. Resolves when no part of the informer runs any more. A second call
   * returns at once, and a stopped informer cannot be started again.
   */
  async run(signal: AbortSignal): Promise<void> {
    checkArgument('run', 'signal', signal, 'signal');
    if (this.#state !== 'new') {
      this.#logger.warn('the informer has started, run more than once is not allowed');
      return;
    }
    this.#state = 'started';
    try {
      using running = scope(signal);
      const pipelines = this.#pipelines.map((pipeline) => pipeline.run(running.signal));
      await Promise.all([...pipelines, aborted(running.signal)]);
    } finally {
      await this.#stop();
    }
  }

  // --- internals ---

  async #stop(): Promise<void> {
    this.#state = 'stopped';
    this.#synced.fail(new InformerError('closed', `the informer of ${this.name} stopped before it had synced`));
    this.#gauges?.[Symbol.dispose]();
    this.#processor.close();
    for (const closed of this.#closers) closed();
    await this.#processor.idle();
  }

  #createGauges(provider: MetricsProvider): InformerGauges {
    const depth = () => this.#pipelines.reduce((sum, pipeline) => sum + pipeline.depth, 0);
    const gauges = new InformerGauges(provider, this, depth, this.#clock);
    this.onContinuity((event) => gauges.count(event));
    return gauges;
  }

  #createPipeline(
    { source, namespace, name, leftOut, stored }: ScopedSource<T>,
    pipeline: number,
  ): SourcePipeline<Cached<T>> {
    const {
      resource: _1,
      indexers: _2,
      transform: _3,
      freeze: _4,
      onHandlerError: _5,
      store: _6,
      compactAbove: _7,
      verifyEveryMs = 0,
      ...passedOn
    } = this.#options;
    return new SourcePipeline<Cached<T>>(source, {
      namespace,
      name,
      leftOut,
      stored,
      onState: (change) => this.#stateChanged(change, pipeline),
      clock: this.#clock,
      logger: this.#logger,
      reflector: {
        ...passedOn,
        selectors: name === undefined ? this.#options.selectors : selectorsOfName(name, this.#options.selectors),
        clock: this.#clock,
        shouldResync: () => this.#processor.shouldResync(pipeline),
        onWatchError: (error) => notify('the watch error handler', this.#onWatchError, this.#logger, error),
        metrics: this.#metrics,
      },
      metrics: this.#metrics,
      atStart: () => this.#atStart(),
      apply: (deltas, context) => this.#apply(deltas, context, pipeline),
      onOrderedContinuity: (event) => this.#processor.continuity(event),
      cache: {
        keyOf: (object) => this.#indexer.keyOf(object),
        get: (key) => this.#indexer.store.items.get(key),
        entries: () => this.#indexer.store.items.entries(),
      },
      verifyEveryMs,
      room: () => this.#processor.room(),
      onSynced: () => this.#pipelineSynced(),
    });
  }

  #atStart(): ReturnType<PipelineOptions<Cached<T>>['atStart']> {
    const { store } = this.#indexer;
    const prepare = this.#preparation();
    const transform = prepare && ((object: Cached<T>) => (store.isHandle(object) ? object : prepare(object)));
    return { transform, arrivals: store.arrivals(prepare), resyncMs: this.#resyncCheckMs };
  }

  #damaged(error: unknown): void {
    for (const pipeline of this.#taking) pipeline.distrust(error);
  }

  #preparation(): ((object: T) => T) | undefined {
    const transform = this.#transform;
    if (!this.#options.freeze) return transform;
    return transform ? (object) => deepFreeze(transform(object)) : deepFreeze;
  }

  /**
   * Other code may run before the store changes. From then until the last push no other code runs: no reader and no new
   * handler.
   */
  async #apply(deltas: readonly Delta<Cached<T>>[], context: ApplyContext, pipeline: number): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const steps = applyingDeltas(deltas, this.#indexer, context);
    let step = steps.next();
    for (; !step.done; step = steps.next()) await this.#clock.yield();
    this.#applied(step.value, pipeline);
    this.#metrics?.applied?.(this.#clock.monotonic() - startedAt, deltas.length);
  }

  #applied({ notifications, error, refused }: Applied<Cached<T>>, pipeline: number): void {
    this.#processor.distribute(notifications, pipeline);
    const unindexed = this.#unindexed;
    this.#unindexed = [];
    if (error) this.#pipelines[pipeline]?.refused(error, 'dropped', refused);
    if (unindexed.length === 0) return;
    const cause = new InformerError('store', textOf(unindexed), { cause: unindexed[0] });
    this.#pipelines[pipeline]?.refused(cause, 'unindexed', unindexed.length);
  }

  #stateChanged(change: CachedChange<Cached<T>>, source: number): void {
    if (this.#stateObservers.size === 0) return;
    const { store } = this.#indexer;
    const objects = { [Symbol.iterator]: () => store.openEach(change.objects)[Symbol.iterator]() };
    const opened: StateChange<T> = { ...change, objects: objects as StateChange<T>['objects'], source };
    for (const observer of this.#stateObservers) notify('an observer of state', observer, this.#logger, opened);
  }

  #onStoreFault(event: ContinuityEvent): void {
    if (event.kind !== 'fault' || event.fault !== 'store') return;
    this.#metrics?.storeFailed?.(event.changes);
    notify('onHandlerError', this.#options.onHandlerError, this.#logger, event.error);
  }

  get #taking(): readonly SourcePipeline<Cached<T>>[] {
    return this.#pipelines.filter((pipeline) => !pipeline.isLeftOut);
  }

  #pipelineSynced(): void {
    const taking = this.#taking;
    if (this.hasSynced || taking.length === 0 || !taking.every((pipeline) => pipeline.hasSynced)) return;
    this.#synced.open();
    this.#processor.markSynced();
  }

  #register(
    sink: NotificationSink<T>,
    options: HandlerOptions<T>,
    selection?: LightSelection,
  ): HandlerRegistration<Cached<T>> {
    if (this.isStopped) {
      throw new InformerError(
        'closed',
        `the handler of ${this.name} was not added to shared informer because it has stopped already`,
      );
    }
    const { policy = 'buffer', blockAt = 1000 } = options;
    if (!(blockAt >= 1)) throw new InformerError('argument', `blockAt must be at least 1, not ${blockAt}`);
    const opening = this.#indexer.store.opening(sink);
    const listener = new Listener<Cached<T>>(selection ? selectingSink(opening, selection) : opening, {
      policy,
      blockAt,
      resyncMs: this.#effectiveResync(options.resyncMs),
      pipelines: this.#pipelines.length,
      clock: this.#clock,
      logger: this.#logger,
      onError: (error) => this.#handlerFailed(error),
    });
    this.#processor.add(listener, this.isStarted ? replayed(this.#indexer.store.items, selection) : []);
    return new HandlerRegistration(listener, this.#processor);
  }

  #subscribe(sink: NotificationSink<T>, closed: () => void, blockAt: number): { remove(): void } {
    const registration = this.#register(sink, { policy: 'block', blockAt });
    this.#closers.add(closed);
    return {
      remove: () => {
        this.#closers.delete(closed);
        registration.remove();
      },
    };
  }

  #handlerFailed(error: unknown): void {
    this.#metrics?.handlerFailed?.();
    notify('onHandlerError', this.#options.onHandlerError, this.#logger, error);
  }

  #effectiveResync(wantedMs = this.#options.resyncMs ?? 0): number {
    const checkMs = this.#resyncCheckMs;
    const { periodMs, ...next } = resyncPeriod(wantedMs, { checkMs, isStarted: this.isStarted, logger: this.#logger });
    this.#resyncCheckMs = next.checkMs;
    return periodMs;
  }

  #mustBeNew(): void {
    if (this.#state !== 'new') throw new InformerError('closed', 'informer has already started');
  }
}
