import { abortable, onAbort, type Scope, scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { humanDuration } from '../kit/duration.ts';
import { InformerError, isInformerError, messageOf } from '../kit/error.ts';
import { checkArgument, checkOptions } from '../kit/known-options.ts';
import { Latch } from '../kit/latch.ts';
import { lifeLog } from '../kit/life-log.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import { noMetrics } from '../kit/metrics.ts';
import { inheriting, withSurroundings } from '../kit/surroundings.ts';
import { guarded } from '../kit/user-callback.ts';
import { joinKey, type ObjectKey, splitKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { WriteOutcome, WriteRequest } from '../model/stored-write.ts';
import { createControllerRateLimiter, type RateLimiter } from '../workqueue/rate-limiter.ts';
import { type AddOptions, type WorkItem, WorkQueue } from '../workqueue/work-queue.ts';
import { startCurrent } from './consistency/current-caches.ts';
import { mayShow, type ReadCache } from './consistency/read-cache.ts';
import { WriteWaits } from './consistency/write-waits.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { type ControllerOptions, checkControllerOptions, checkSource } from './controller-options.ts';
import type { ControllerSnapshot } from './controller-snapshot.ts';
import { Debounce } from './debounce.ts';
import { isLeadingWork } from './election/leading-work.ts';
import { type ControllerFacts, type ControllerPhase, explain, type KeyExplanation } from './explanation.ts';
import { guardedLimiter } from './guarded-limiter.ts';
import { CauseBook, type CauseNote, type Gathered } from './history/causes.ts';
import { effectOfEvent } from './history/event-effect.ts';
import { HOT_LOOP_RUNS, type HotLoop, HotLoops, loopText } from './history/hot-loops.ts';
import { OwnWrites } from './history/own-writes.ts';
import type { Parked } from './history/parked.ts';
import { type DelayReason, type RunEntry, type SkippedEvent, Trail } from './history/trail.ts';
import { ReconcileAttempt } from './reconcile-attempt.ts';
import type { ReconcileRequest, Result } from './reconciler.ts';
import { errorFields, outcomeOf, runOutcomeOf, runsNotEnded, type Settled, skippedField } from './run-outcome.ts';
import { notSynced } from './sources/late-sources.ts';
import type { Source } from './sources/source.ts';
import { SourceCounts } from './sources/source-report.ts';

/**
 * Creates a controller, which does nothing until {@link Controller.run}. Throws `argument` for invalid options.
 * @example
 * const factory = dynamicInformerFactory(client);
 * const { informer, lister } = factory.forResource(parseGvr('v1/configmaps'));
 * const controller = createController({
 *   name: 'labels',
 *   sources: [createInformerSource(informer, { name: 'configmaps', isPrimary: true })],
 *   reconcile: async ({ key }) => {
 *     console.log(key, lister.get(key)?.metadata.labels);
 *   },
 * });
 * factory.start(signal);
 * await controller.run(signal);
 */
export function createController<T = UnknownObject>(options: ControllerOptions<T>): Controller {
  return new Controller(options as ControllerOptions<never> as ControllerOptions);
}

/**
 * Runs a reconciler over keys from its sources.
 *
 * Promises
 * - No run begins before the initial sync of every source.
 * - There are never two runs of one key at once, and at most `workers` runs in all. After every change a run begins.
 * - A key that fails is retried with growing delays, and delays no other key. After `maxRetries`, or at once on a
 *   {@link TerminalError}, it is parked: it is listed, and tried again after the next change that maps to it, or after
 *   {@link release}.
 * - The first run of a leader (see {@link LeaderElector}) sees what the leader before it wrote.
 * - A run gets all its causes: also events that were combined in the queue, and those of earlier runs that failed.
 *
 * Does not promise one run for each change. Source: controller-runtime pkg/internal/controller (which forgets neither
 * the failures nor the key of a terminal error).
 */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #workers: number;
  readonly #queue: WorkQueue;
  readonly #limiter: RateLimiter;
  readonly #metrics: ControllerMetrics;
  readonly #attempt: ReconcileAttempt;
  readonly #causes = new CauseBook();
  readonly #parked = new Map<ObjectKey, { parked: Parked; gathered: Gathered }>();
  readonly #trail: Trail | undefined;
  readonly #hotLoops: HotLoops | undefined;
  readonly #ownWrites: OwnWrites;
  readonly #waits: WriteWaits | undefined;
  readonly #debounce: Debounce | undefined;
  readonly #splitKey: NonNullable<ControllerOptions['splitKey']>;
  /** Why each delayed key is delayed. */
  readonly #delays = new Map<ObjectKey, DelayReason>();
  readonly #sources: Source[];
  readonly #reports: SourceCounts[] = [];
  readonly #synced = new Latch();
  #run: { sources: AbortSignal; stop: (error: unknown) => void } | undefined;
  #phase: ControllerPhase = 'not started';
  #runs = 0;
  #active = 0;
  /** When runs last let other code run, ms on the monotonic clock. */
  #turnAt: number;

  constructor(options: ControllerOptions) {
    checkControllerOptions(options);
    options = inheriting(options, ...(options.sources ?? []));
    withSurroundings(this, options);
    const { name, workers = 1, clock = systemClock, logger = defaultLogger, rateLimiter } = options;
    const metrics = options.metrics ? guarded('the metrics', options.metrics, logger) : noMetrics;
    this.#options = options;
    this.#clock = clock;
    this.#turnAt = clock.monotonic();
    this.#logger = logger.child({ controller: name });
    this.#workers = workers;
    this.#sources = [...(options.sources ?? [])];
    const limiter = createControllerRateLimiter({ clock });
    this.#limiter = rateLimiter ? guardedLimiter(rateLimiter, limiter, this.#logger) : limiter;
    this.#queue = new WorkQueue({ name, clock, rateLimiter: this.#limiter, metrics });
    const { hotLoopRuns: runs = HOT_LOOP_RUNS, ownWrites = new OwnWrites(), debounceMs = 0 } = options;
    this.#splitKey = options.splitKey ?? splitKey;
    this.#debounce = debounceMs > 0 ? new Debounce(clock, debounceMs) : undefined;
    this.#ownWrites = ownWrites;
    this.#hotLoops = runs === 0 ? undefined : new HotLoops({ clock, runs, ownWrites });
    this.#trail = options.history === false ? undefined : new Trail(clock);
    this.#metrics = new ControllerMetrics(metrics, { name, workers, active: () => this.#active });
    this.#attempt = new ReconcileAttempt(options, clock, this.#metrics);
    this.#waits = options.consistency === 'none' ? undefined : this.#createWaits();
  }

  #createWaits(): WriteWaits {
    return new WriteWaits({
      clock: this.#clock,
      logger: this.#logger,
      caches: () => this.#caches(),
      ready: (key) => {
        const isWaiting = this.#queue.placeOf(key) === 'delayed';
        if (isWaiting) this.#queue.add(key, { priority: Number.NEGATIVE_INFINITY }); // it keeps the priority that it has
      },
      again: (key) => this.#queue.add(key),
      waited: this.#metrics.waited,
    });
  }

  *#caches(): Generator<ReadCache> {
    yield* this.#options.reads ?? [];
    for (const source of this.#sources) yield* source.reads ?? [];
  }

  get name(): string {
    return this.#options.name;
  }

  /** Resolves after the initial sync of all sources, when workers begin. Rejects if the sync fails. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** The parked keys, in the order in which they were parked. */
  get parked(): readonly Parked[] {
    return Array.from(this.#parked.values(), ({ parked }) => parked);
  }

  /** The waiting, processed and parked keys at this moment, for people and debug endpoints. */
  snapshot(): ControllerSnapshot {
    const { parked } = this;
    const { queued, processing, delayed } = this.#queue.snapshot();
    const withFailures = <T extends { key: ObjectKey }>(item: T) => ({
      ...item,
      failures: this.#queue.numRequeues(item.key),
    });
    return {
      queued: queued.map(withFailures),
      processing: processing.map(withFailures),
      delayed: delayed.map((item) => ({ ...withFailures(item), why: this.#delays.get(item.key) ?? 'asked' })),
      parked,
      counts: {
        queued: queued.length,
        processing: processing.length,
        delayed: delayed.length,
        parked: parked.length,
        runs: this.#runs,
      },
      oldestWaitMs: queued.reduce((longest, { waitedMs }) => Math.max(longest, waitedMs), 0),
      controller: this.#facts(),
    };
  }

  /**
   * Why a key is where it is: its state, what waits for its next run, and its last steps from events, the predicates
   * that did not pass them and the keys that they were mapped to, to runs, their outcomes and the next due time. It
   * also says why a key is not queued. The result is plain JSON.
   *
   * It keeps few steps of few keys (see {@link Trail}), so that a long history is cut, and says so. Throws `argument`
   * for a text that is no key.
   */
  explain(key: ObjectKey): KeyExplanation {
    this.#checkKey(key);
    return explain({
      key,
      now: this.#clock.now(),
      queue: this.#queue.snapshot(),
      parked: this.#parked.get(key)?.parked,
      attempt: this.#queue.numRequeues(key) + 1,
      failures: this.#queue.numRequeues(key),
      pending: this.#causes.causesOf(key),
      whyDelayed: this.#delays.get(key),
      writeWait: this.#waits?.of(key),
      trail: this.#trail,
      controller: this.#facts(),
    });
  }

  #facts(): ControllerFacts {
    return {
      name: this.#options.name,
      phase: this.#phase,
      workers: this.#workers,
      active: this.#active,
      sources: this.#reports.map((counts) => counts.report()),
    };
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  /** Adds a source. If the controller is running, the source starts at once, and nothing waits for its initial sync. */
  watch(source: Source): void {
    checkSource(source);
    this.#sources.push(source);
    if (this.#run) this.#start(source, this.#run.sources).catch(this.#run.stop);
  }

  /** Queues a key. A parked key is released. Throws `argument` for a text that is no key. */
  enqueue(key: ObjectKey, options: { after?: number; priority?: number } = {}): void {
    checkOptions('enqueue', options, { after: 'number', priority: 'number' });
    const { after, priority } = options;
    this.#checkKey(key);
    this.#unpark(key);
    this.#causes.note(key, { cause: { reason: 'manual' }, isChange: true });
    this.#hotLoops?.queuedByHand(key);
    this.#trail?.manual(key, 'enqueued');
    this.#addLater(key, { after, priority }, () => 'asked');
  }

  /** Releases a parked key: forgets its failures and queues it. Returns whether it was parked. */
  release(key: ObjectKey): boolean {
    if (!this.#unpark(key)) return false;
    this.#causes.note(key, { cause: { reason: 'released' }, isChange: true });
    this.#trail?.manual(key, 'released');
    this.#queue.add(key);
    return true;
  }

  /**
   * Drops a waiting or parked key, with its failures and causes: nothing runs for it until its next event. A run that
   * is under way goes on. Returns whether the key was waiting or parked.
   */
  drop(key: ObjectKey): boolean {
    const wasParked = this.#parked.delete(key);
    const wasWaiting = this.#queue.remove(key);
    if (!wasParked && !wasWaiting) return false;
    this.#queue.forget(key);
    this.#debounce?.forget(key);
    this.#waits?.dropped(key);
    this.#causes.forget(key);
    this.#delays.delete(key);
    this.#trail?.manual(key, 'dropped');
    return true;
  }

  /**
   * Starts the sources, waits for their initial sync, then reconciles until the signal aborts. Then the sources end,
   * waiting keys are dropped, running reconciles may finish (their signals abort after `drainMs`), and the promise
   * resolves. It never waits longer than `drainMs` and `abandonMs` for them.
   *
   * If the reason of the abort is a lost lease (an error with code `leadership`), running reconciles are aborted at once.
   *
   * Rejects with `closed` if runs have not ended by then. Rejects if a source fails or does not sync in time, on a
   * {@link StopError}, on a panic that is not recovered, and if it is called a second time.
   */
  async run(signal: AbortSignal): Promise<void> {
    checkArgument('run', 'signal', signal, 'signal');
    if (this.#phase !== 'not started')
      throw new InformerError('argument', `controller ${this.#options.name} was started more than once`);
    this.#phase = 'syncing';
    using running = scope(signal);
    using work = scope();
    const failure: { error?: unknown } = {};
    const stop = (error: unknown) => {
      if (running.signal.aborted) return;
      failure.error = error;
      running.abort(error);
    };
    this.#run = { sources: running.signal, stop };
    const life = lifeLog(this.#logger, this.#clock);
    life('the controller starts', { sources: this.#sources.length, workers: this.#workers });
    using _end = onAbort(running.signal, () => {
      this.#phase = 'draining';
      life('the controller drains', { running: this.#active, error: failure.error && messageOf(failure.error) });
    });
    try {
      if (this.#waits && isLeadingWork(signal)) await this.#startAsLeader(running.signal);
      else await this.#startAll(running.signal);
      this.#phase = 'running';
      this.#synced.open();
      life('the sources have synced, and runs begin');
      const abandoned = await this.#workAll(running.signal, work);
      if (abandoned && !('error' in failure)) failure.error = abandoned;
    } catch (error) {
      stop(error);
    } finally {
      this.#close(running);
      this.#phase = 'ended';
      life('the controller has ended', { runs: this.#runs, parked: this.#parked.size });
    }
    if ('error' in failure) throw failure.error;
  }

  async #startAll(signal: AbortSignal): Promise<void> {
    const { name, cacheSyncTimeoutMs = 120_000 } = this.#options;
    using sync = scope(signal);
    const late = new Set(this.#sources);
    const giveUp = () => sync.abort(notSynced(name, cacheSyncTimeoutMs, late));
    using _timer = Number.isFinite(cacheSyncTimeoutMs) ? this.#clock.after(cacheSyncTimeoutMs, giveUp) : undefined;
    const starts = this.#sources.map((source) => this.#start(source, signal).then(() => late.delete(source)));
    await abortable(Promise.all(starts), sync.signal);
  }

  /** Another leader may have written what the caches do not show yet. */
  #startAsLeader(signal: AbortSignal): Promise<void> {
    return startCurrent(() => this.#startAll(signal), {
      caches: () => this.#caches(),
      phase: (phase) => {
        this.#phase = phase;
      },
      clock: this.#clock,
      logger: this.#logger,
      signal,
    });
  }

  async #start(source: Source, signal: AbortSignal): Promise<void> {
    const counts = new SourceCounts(source);
    this.#reports.push(counts);
    const emit = (key: ObjectKey, note: CauseNote, priority: number) => {
      counts.keys++;
      this.#emit(key, note, priority);
    };
    const skipped = (skip: SkippedEvent) => {
      counts.skipped(skip);
      this.#trail?.skipped(skip);
    };
    const logger = this.#logger.child({ source: source.name });
    await source.start(emit, { signal, clock: this.#clock, logger, skipped });
    counts.hasSynced = true;
  }

  #emit(key: ObjectKey, note: CauseNote, priority: number): void {
    this.#splitKey(key);
    if (this.#queue.isShuttingDown) return;
    const place = this.#queue.placeOf(key);
    const stays = this.#staysParked(key, note);
    const isQuiet = place === 'delayed' && this.#delays.get(key) === 'debounce';
    this.#trail?.came(key, isQuiet ? 'merged' : effectOfEvent(stays, place), note);
    if (stays === true) return;
    if (stays === false) this.#unpark(key);
    this.#hotLoops?.came(key, note, place);
    this.#causes.note(key, note);
    const holdMs = this.#hotLoops?.holdMs(key) ?? 0;
    if (holdMs > 0) this.#addLater(key, { priority, after: holdMs }, () => 'hot loop');
    else if (this.#debounce) this.#addQuiet(key, this.#debounce.came(key, priority));
    else this.#queue.add(key, { priority });
  }

  /** Queues a key for the time when its events have been quiet, which replaces the time of earlier ones. */
  #addQuiet(key: ObjectKey, options: AddOptions): void {
    if (this.#delays.get(key) === 'debounce') this.#queue.cancelDelayed(key);
    this.#addLater(key, options, () => 'debounce');
  }

  /** Whether a parked key stays parked after an event; undefined if it is not parked. */
  #staysParked(key: ObjectKey, note: CauseNote): boolean | undefined {
    const { parked } = this.#parked.get(key) ?? {};
    if (!parked) return undefined;
    return !note.isChange || (parked.reason === 'hot-loop' && this.#hotLoops?.isOwn(note) === true);
  }

  /** Runs all workers until the signal `running` aborts and the last worker is done. */
  async #workAll(running: AbortSignal, work: Scope): Promise<InformerError | undefined> {
    const { drainMs = 20_000, abandonMs = 5_000 } = this.#options;
    const drained = () => new InformerError('closed', `the shutdown waited ${drainMs}ms for this run`);
    const abandoned = Promise.withResolvers<InformerError>();
    const notEnded = () => runsNotEnded(this.name, this.#queue.snapshot().processing, running.reason);
    let timer: Disposable | undefined;
    const abortRuns = (reason: unknown) => {
      work.abort(reason);
      timer = this.#clock.after(abandonMs, () => abandoned.resolve(notEnded()));
    };
    using _drain = onAbort(running, () => {
      if (isInformerError(running.reason, 'leadership')) abortRuns(running.reason);
      else timer = this.#clock.after(drainMs, () => abortRuns(drained()));
    });
    const workers = Array.from({ length: this.#workers }, () => this.#work(running, work.signal));
    const error = await Promise.race([Promise.all(workers).then(() => undefined), abandoned.promise]);
    timer?.[Symbol.dispose]();
    return error;
  }

  async #work(running: AbortSignal, work: AbortSignal): Promise<void> {
    for (;;) {
      await this.#giveWay();
      using item = await this.#queue.take(running);
      if (!item || running.aborted) return;
      if (this.#parked.has(item.key)) continue;
      const wait = this.#waits?.before(item.key);
      if (wait) this.#addLater(item.key, { after: wait.afterMs, priority: item.priority }, () => 'own write');
      else await this.#process(item, work);
    }
  }

  /** Runs that wait for nothing follow each other: after some milliseconds of them, events and timers have their turn. */
  async #giveWay(): Promise<void> {
    if (this.#clock.monotonic() - this.#turnAt < LONGEST_TURN_MS) return;
    await this.#clock.yield();
    this.#turnAt = this.#clock.monotonic();
  }

  async #process(item: WorkItem, work: AbortSignal): Promise<void> {
    const { key, waitedMs } = item;
    const gathered = this.#causes.take(key);
    const loop = this.#hotLoops?.due(key);
    if (loop && this.#isParkedFor(key, gathered, loop)) return;
    const attempt = this.#queue.numRequeues(key) + 1;
    const run = ++this.#runs;
    const logger = this.#logger.child({ key, run });
    const events = gathered.causes.reduce((sum, { count }) => sum + count, gathered.dropped);
    const entry = this.#trail?.began(key, { run, attempt, waitedMs, events });
    this.#delays.delete(key);
    this.#debounce?.forget(key);
    const startedAt = this.#clock.monotonic();
    this.#active++;
    const settled = await this.#attempt.run(this.#requestOf(key, gathered, attempt), logger, work, (request) =>
      this.#writes(key, request),
    );
    this.#active--;
    const tookMs = this.#clock.monotonic() - startedAt;
    this.#metrics.ran(outcomeOf(settled), tookMs);
    if (settled.kind === 'done') this.#succeeded(item, gathered, settled.result);
    else if (settled.kind === 'failed') this.#failed(item, gathered, { ...settled, attempt, logger });
    else this.#run?.stop(settled.error);
    if (entry) this.#noteEnd(entry, settled, { key, tookMs });
  }

  #requestOf(key: ObjectKey, { causes, dropped, before, gone }: Gathered, attempt: number): ReconcileRequest {
    const known = causes.length > 0 ? causes : [{ reason: 'requeue', count: 1 } as const];
    return { key, ...this.#splitKey(key), causes: known, droppedCauses: dropped, attempt, before, gone };
  }

  /** A write that changes nothing has the version that the caches had before, if its answer does not say more. */
  #writes(key: ObjectKey, request: WriteRequest): WriteOutcome {
    const { before, shown } = this.#versionsBefore(request);
    return {
      stored: (write) => {
        const { resourceVersion, isOwnVersion = !before.includes(resourceVersion) } = write;
        if (resourceVersion !== undefined && isOwnVersion) this.#ownWrites.add(write.key, resourceVersion, write.uid);
        this.#waits?.note(key, write, shown);
      },
      lost: (write) => this.#waits?.noteLost(key, write),
    };
  }

  /** The versions that the caches have when a write is sent: of its object, and of all. */
  #versionsBefore({ name, namespace, ...request }: WriteRequest) {
    const written = { ...request, key: joinKey(namespace, name ?? '') };
    const caches = [...this.#caches()].filter((cache) => mayShow(cache, written));
    const object = name === undefined ? [] : caches.map((cache) => cache.lister.get(written.key));
    return {
      before: object.map((cached) => cached?.metadata.resourceVersion),
      shown: new Map(caches.map((cache) => [cache, cache.sourceOf(written.key)?.shownVersion])),
    };
  }

  #noteEnd(entry: RunEntry, settled: Settled, { key, tookMs }: { key: ObjectKey; tookMs: number }): void {
    this.#trail?.ended(entry, { tookMs, outcome: runOutcomeOf(settled) });
    this.#trail?.ended(entry, settled.kind === 'done' ? skippedField(settled.result) : errorFields(settled.error));
    if (this.#parked.has(key)) this.#trail?.ended(entry, { parked: true });
    const why = this.#delays.get(key);
    const dueAt = this.#queue.dueAt(key);
    if (!why || dueAt === undefined) return;
    const at = this.#clock.now() + dueAt - this.#clock.monotonic();
    this.#trail?.ended(entry, { next: { at, why } });
  }

  /** Queues a key, and remembers why if it has to wait for a time. */
  #addLater(key: ObjectKey, options: AddOptions, why: () => DelayReason): void {
    const before = this.#queue.dueAt(key);
    this.#queue.add(key, options);
    const dueAt = this.#queue.dueAt(key);
    if (dueAt !== undefined && dueAt !== before) this.#delays.set(key, why());
  }

  #succeeded({ key, priority }: WorkItem, gathered: Gathered, result: Result): void {
    const { requeueAfterMs = 0, keepCauses = false } = result;
    this.#queue.forget(key);
    if (keepCauses) this.#causes.giveBack(key, gathered);
    if (requeueAfterMs <= 0) return;
    this.#addLater(key, { after: requeueAfterMs, priority: result.priority ?? priority }, () => 'requeue after');
  }

  #failed(
    item: WorkItem,
    gathered: Gathered,
    fault: { error: unknown; isTerminal: boolean; attempt: number; logger: Logger },
  ): void {
    const { maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    const { key, priority } = item;
    const isLast = fault.isTerminal || fault.attempt > maxRetries;
    const fields = { attempt: fault.attempt, error: messageOf(fault.error) };
    if (isLast && !this.#causes.hasChange(key)) {
      fault.logger.error('gave up; parked until something changes', fields);
      const reason = fault.isTerminal ? 'terminal' : 'retries';
      this.#park(key, gathered, { reason, error: messageOf(fault.error), attempts: fault.attempt });
      return;
    }
    if (this.#phase !== 'running') {
      fault.logger.warn('failed; not retried, because the controller ends', fields);
      return;
    }
    this.#causes.giveBack(key, gathered);
    if (isLast) this.#queue.forget(key);
    else this.#addLater(key, { limited: true, priority }, () => this.#limiter.decidedBy?.() ?? 'back-off');
    const dueAt = this.#queue.dueAt(key);
    const retryMs = dueAt === undefined ? undefined : Math.max(0, Math.ceil(dueAt - this.#clock.monotonic()));
    if (isLast) fault.logger.warn('failed for good, but something changed meanwhile', fields);
    else fault.logger.warn('failed; will retry', { ...fields, retryMs });
  }

  /** Parks a key that own writes run again and again; of a loop that is only suspected, a warning is logged. */
  #isParkedFor(key: ObjectKey, gathered: Gathered, loop: HotLoop): boolean {
    const text = loopText(loop);
    const fields = { key, runs: loop.runs, paths: loop.paths };
    if (loop.kind === 'suspected') {
      this.#logger.warn(`a hot loop? ${text}; a reconciler must not write when nothing differs`, fields);
      return false;
    }
    const held = loop.holdMs === 0 ? '' : `; it looped before, so no change runs it for ${humanDuration(loop.holdMs)}`;
    const end = `parked until another writer changes it${held}. ${HOT_LOOP_ADVICE}`;
    this.#logger.error(`a hot loop: ${text}; ${end}`, fields);
    this.#trail?.hotLoop(key, loop);
    this.#park(key, gathered, { reason: 'hot-loop', error: `hot loop: ${text}`, attempts: loop.runs });
    return true;
  }

  #park(key: ObjectKey, gathered: Gathered, why: Pick<Parked, 'reason' | 'error' | 'attempts'>): void {
    this.#queue.forget(key);
    this.#causes.forget(key);
    const parked: Parked = {
      key,
      ...why,
      since: this.#clock.now(),
      causes: gathered.causes,
    };
    this.#parked.set(key, { parked, gathered });
  }

  #unpark(key: ObjectKey): boolean {
    const entry = this.#parked.get(key);
    if (!entry) return false;
    this.#parked.delete(key);
    this.#queue.forget(key);
    this.#causes.giveBack(key, entry.gathered);
    return true;
  }

  #checkKey(key: unknown): void {
    if (typeof key !== 'string' || this.#splitKey(key).name === '')
      throw new InformerError('argument', `unexpected key format: ${JSON.stringify(key)}`);
  }

  #close(running: Scope): void {
    running.abort();
    this.#queue.shutDown({ abandon: true });
    this.#metrics[Symbol.dispose]();
    this.#causes.clear();
    this.#waits?.[Symbol.dispose]();
    this.#synced.fail(new InformerError('closed', `controller ${this.#options.name} has ended`));
  }
}

/** Runs that wait for nothing let other code run after this time, ms. */
const LONGEST_TURN_MS = 8;

const HOT_LOOP_ADVICE =
  'Write only when something differs, and no value that is another one each time, such as the time of the run';
