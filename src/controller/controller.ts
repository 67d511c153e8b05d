import type { Scope } from '../kit/abort.ts';
import { abortable, onAbort, scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { Latch } from '../kit/latch.ts';
import type { Logger } from '../kit/logger.ts';
import { defaultLogger } from '../kit/logger.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import { noMetrics } from '../kit/metrics.ts';
import { guarded } from '../kit/user-callback.ts';
import type { ObjectKey } from '../model/key.ts';
import { splitKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import { createControllerRateLimiter, type RateLimiter } from '../workqueue/rate-limiter.ts';
import type { QueueSnapshot, WorkItem } from '../workqueue/work-queue.ts';
import { WorkQueue } from '../workqueue/work-queue.ts';
import type { Gathered, Note, ReconcileCause } from './causes.ts';
import { CauseBook } from './causes.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { guardedLimiter } from './guarded-limiter.ts';
import type { ReconcileRequest, Reconciler, Result } from './reconciler.ts';
import { isPanic, isStop, isTerminal, recovered } from './reconciler.ts';
import type { Source } from './source.ts';

export interface ControllerOptions<T = UnknownObject> {
  /** The name in logs and metrics. */
  name: string;
  reconcile: Reconciler<T>;
  sources?: readonly Source[] | undefined;
  /** The most keys that are reconciled at once. Default 1. */
  workers?: number | undefined;
  /** A key that still fails after this many retries is parked. Default: never. */
  maxRetries?: number | undefined;
  /**
   * The time after which the signal of a run aborts, ms. The key is not free before the run has ended. Default: never.
   */
  reconcileTimeoutMs?: number | undefined;
  /** How long the initial sync of the sources may take, ms. Default 120,000; Infinity for no limit. */
  cacheSyncTimeoutMs?: number | undefined;
  /** How long a shutdown waits for running reconciles before it aborts their signals, ms. Default 30,000. */
  drainMs?: number | undefined;
  /**
   * Whether a panic (see {@link isPanic}) is retried like any failure. If not, it ends the controller. Default true.
   */
  recoverPanic?: boolean | undefined;
  /**
   * Decides the delays of retries. If it fails, the default limiter answers. Default: {@link
   * createControllerRateLimiter}.
   */
  rateLimiter?: RateLimiter | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  metrics?: MetricsProvider | undefined;
}

/** A key that is not retried until its object changes or the key is released. */
export interface Parked {
  readonly key: ObjectKey;
  readonly reason: 'terminal' | 'retries';
  readonly error: string;
  readonly attempts: number;
  /** When it was parked, ms since the Unix epoch. */
  readonly since: number;
  readonly causes: readonly ReconcileCause[];
}

/** The content of a controller at one moment. */
export interface ControllerSnapshot extends QueueSnapshot {
  readonly parked: readonly Parked[];
}

type Settled =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown; readonly isTerminal: boolean }
  | { readonly kind: 'fatal'; readonly error: unknown };

/** Creates a controller, which does nothing until {@link Controller.run}. Throws `argument` for invalid options. */
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
  readonly #metrics: ControllerMetrics;
  readonly #causes = new CauseBook();
  readonly #parked = new Map<ObjectKey, { parked: Parked; gathered: Gathered }>();
  readonly #sources: Source[];
  readonly #synced = new Latch();
  #run: { sources: AbortSignal; stop: (error: unknown) => void } | undefined;
  #hasStarted = false;
  #runs = 0;
  #active = 0;

  constructor(options: ControllerOptions) {
    checkOptions('createController', options, KNOWN_OPTIONS);
    const { name, workers = 1, clock = systemClock, logger = defaultLogger, rateLimiter } = options;
    const metrics = options.metrics ? guarded('the metrics', options.metrics, logger) : noMetrics;
    check(options, workers);
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger.child({ controller: name });
    this.#workers = workers;
    this.#sources = [...(options.sources ?? [])];
    const limiter = rateLimiter && guardedLimiter(rateLimiter, createControllerRateLimiter({ clock }), this.#logger);
    this.#queue = new WorkQueue({ name, clock, rateLimiter: limiter, metrics });
    this.#metrics = new ControllerMetrics(metrics, { name, workers, active: () => this.#active });
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
    return { ...this.#queue.snapshot(), parked: this.parked };
  }

  /** Adds a source. If the controller is running, the source starts at once, and nothing waits for its initial sync. */
  watch(source: Source): void {
    if (!this.#run) this.#sources.push(source);
    else this.#start(source, this.#run.sources).catch(this.#run.stop);
  }

  /** Queues a key. A parked key is released. Throws `argument` for a text that is no key. */
  enqueue(key: ObjectKey, options: { after?: number; priority?: number } = {}): void {
    checkOptions('enqueue', options, { after: 'number', priority: 'number' });
    const { after, priority } = options;
    if (typeof key !== 'string' || splitKey(key).name === '')
      throw new InformerError('argument', `unexpected key format: ${JSON.stringify(key)}`);
    this.#unpark(key);
    this.#causes.note(key, { cause: { reason: 'manual' }, isChange: true });
    this.#queue.add(key, { after, priority });
  }

  /** Releases a parked key: forgets its failures and queues it. Returns whether it was parked. */
  release(key: ObjectKey): boolean {
    if (!this.#unpark(key)) return false;
    this.#causes.note(key, { cause: { reason: 'released' }, isChange: true });
    this.#queue.add(key);
    return true;
  }

  /**
   * Starts the sources, waits for their initial sync, then reconciles until the signal aborts. Then the sources end,
   * waiting keys are dropped, running reconciles may finish (their signals abort after `drainMs`), and the promise
   * resolves.
   *
   * Rejects if a source fails or does not sync in time, on a {@link StopError}, on a panic that is not recovered, and
   * if it is called a second time.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasStarted)
      throw new InformerError('argument', `controller ${this.#options.name} was started more than once`);
    this.#hasStarted = true;
    using running = scope(signal);
    using work = scope();
    const failure: { error?: unknown } = {};
    const stop = (error: unknown) => {
      if (running.signal.aborted) return;
      failure.error = error;
      running.abort(error);
    };
    this.#run = { sources: running.signal, stop };
    try {
      await this.#startAll(running.signal);
      await this.#workAll(running.signal, work);
    } catch (error) {
      stop(error);
    } finally {
      this.#close(running);
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
    this.#synced.open();
  }

  async #start(source: Source, signal: AbortSignal): Promise<void> {
    const emit = (key: ObjectKey, note: Note, priority: number) => this.#emit(key, note, priority);
    await source.start(emit, { signal, clock: this.#clock, logger: this.#logger.child({ source: source.name }) });
  }

  #emit(key: ObjectKey, note: Note, priority: number): void {
    splitKey(key);
    if (this.#queue.isShuttingDown) return;
    if (this.#parked.has(key)) {
      if (!note.isChange) return;
      this.#unpark(key);
    }
    this.#causes.note(key, note);
    this.#queue.add(key, { priority });
  }

  /** Runs all workers until the signal `running` aborts and the last worker is done. */
  async #workAll(running: AbortSignal, work: Scope): Promise<void> {
    const { drainMs = 30_000 } = this.#options;
    const drained = () => new InformerError('closed', `the shutdown waited ${drainMs}ms for this run`);
    let timer: Disposable | undefined;
    using _drain = onAbort(running, () => {
      timer = this.#clock.after(drainMs, () => work.abort(drained()));
    });
    await Promise.all(Array.from({ length: this.#workers }, () => this.#work(running, work.signal)));
    timer?.[Symbol.dispose]();
  }

  async #work(running: AbortSignal, work: AbortSignal): Promise<void> {
    for (;;) {
      using item = await this.#queue.take(running);
      if (!item || running.aborted) return;
      if (this.#parked.has(item.key)) continue;
      await this.#process(item, work);
    }
  }

  async #process(item: WorkItem, work: AbortSignal): Promise<void> {
    const gathered = this.#causes.take(item.key);
    const attempt = this.#queue.numRequeues(item.key) + 1;
    const logger = this.#logger.child({ key: item.key, run: ++this.#runs });
    const startedAt = this.#clock.monotonic();
    this.#active++;
    const settled = await this.#reconcile(requestOf(item.key, gathered, attempt), logger, work);
    this.#active--;
    this.#metrics.ran(outcomeOf(settled), this.#clock.monotonic() - startedAt);
    if (settled.kind === 'done') this.#succeeded(item, gathered, settled.result);
    else if (settled.kind === 'failed') this.#failed(item, gathered, { ...settled, attempt, logger });
    else this.#run?.stop(settled.error);
  }

  async #reconcile(request: ReconcileRequest, logger: Logger, work: AbortSignal): Promise<Settled> {
    using run = scope(work);
    using _deadline = this.#deadline(run);
    try {
      const result = await this.#options.reconcile(request, { signal: run.signal, logger });
      return { kind: 'done', result: checkedResult(result as Result | undefined) };
    } catch (error) {
      return this.#classify(error);
    }
  }

  #deadline(run: Scope): Disposable | undefined {
    const { reconcileTimeoutMs } = this.#options;
    if (reconcileTimeoutMs === undefined) return undefined;
    return this.#clock.after(reconcileTimeoutMs, () => {
      if (run.signal.aborted) return;
      this.#metrics.timeouts.add();
      run.abort(new InformerError('hook', `the reconcile took longer than ${reconcileTimeoutMs}ms`));
    });
  }

  #classify(thrown: unknown): Settled {
    const { recoverPanic = true } = this.#options;
    if (isStop(thrown)) return { kind: 'fatal', error: thrown };
    const isPanicking = isPanic(thrown);
    if (isPanicking) this.#metrics.panics.add();
    if (isPanicking && !recoverPanic) return { kind: 'fatal', error: thrown };
    const terminal = isTerminal(thrown);
    this.#metrics.errors.add();
    if (terminal) this.#metrics.terminalErrors.add();
    return { kind: 'failed', error: isPanicking ? recovered(thrown) : thrown, isTerminal: terminal };
  }

  #succeeded({ key, priority }: WorkItem, gathered: Gathered, result: Result): void {
    const { requeueAfterMs = 0, keepCauses = false } = result;
    this.#queue.forget(key);
    if (keepCauses) this.#causes.giveBack(key, gathered);
    if (requeueAfterMs > 0) this.#queue.add(key, { after: requeueAfterMs, priority: result.priority ?? priority });
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
      this.#park(key, gathered, fault);
      return;
    }
    fault.logger.warn(isLast ? 'failed for good, but something changed meanwhile' : 'failed; will retry', fields);
    this.#causes.giveBack(key, gathered);
    if (isLast) this.#queue.forget(key);
    else this.#queue.add(key, { limited: true, priority });
  }

  #park(key: ObjectKey, gathered: Gathered, fault: { error: unknown; isTerminal: boolean; attempt: number }): void {
    this.#queue.forget(key);
    this.#causes.forget(key);
    const parked: Parked = {
      key,
      reason: fault.isTerminal ? 'terminal' : 'retries',
      error: messageOf(fault.error),
      attempts: fault.attempt,
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

  #close(running: Scope): void {
    running.abort();
    this.#queue.shutDown({ abandon: true });
    this.#metrics[Symbol.dispose]();
    this.#causes.clear();
    this.#synced.fail(new InformerError('closed', `controller ${this.#options.name} has ended`));
  }
}

/**
 * The result, if it is an object. Throws `argument` for a value of the wrong type (`{priority: 'high'}`), and for a key
 * that is similar to a known one (`{requeueAfter: '30s'}`) and would be ignored. Other keys are not checked.
 */
function checkedResult(result: Result | undefined): Result {
  if (typeof result !== 'object' || result === null) return {};
  const meant = Object.entries(result).filter(
    ([key]) => Object.hasOwn(KNOWN_RESULT, key) || /requeue|priority|causes/i.test(key),
  );
  checkOptions('the result of a reconcile', Object.fromEntries(meant), KNOWN_RESULT);
  return result;
}

function notSynced(name: string, withinMs: number, late: ReadonlySet<Source>): InformerError {
  const sources = [...late].map((source) => source.name);
  const troubles = [...late]
    .map((source) => ({ name: source.name, trouble: troubleOfSource(source) }))
    .filter(({ trouble }) => trouble !== undefined);
  return new InformerError(
    'sync',
    `controller ${name}: caches did not sync within ${withinMs}ms: ${sources.join(', ')}`,
    {
      cause: troubles.map(({ trouble }) => trouble).find((trouble) => trouble instanceof Error),
      hint:
        troubles.length === 0
          ? undefined
          : troubles.map((each) => `${each.name}: ${messageOf(each.trouble)}`).join('; '),
    },
  );
}

/** What a source reports as its trouble. If the report itself fails, that error. */
function troubleOfSource(source: Source): unknown {
  try {
    return source.trouble?.();
  } catch (error) {
    return error;
  }
}

const KNOWN_OPTIONS = {
  name: true,
  reconcile: true,
  sources: 'list',
  workers: true,
  maxRetries: 'number',
  reconcileTimeoutMs: 'number',
  cacheSyncTimeoutMs: 'number',
  drainMs: 'number',
  recoverPanic: 'boolean',
  rateLimiter: true,
  clock: true,
  logger: true,
  metrics: true,
} satisfies KnownOptionsOf<ControllerOptions>;

const KNOWN_RESULT = {
  requeueAfterMs: 'number',
  priority: 'number',
  keepCauses: 'boolean',
} satisfies KnownOptionsOf<Result>;

function check(options: ControllerOptions, workers: number): void {
  const { name, reconcile, maxRetries = 0, reconcileTimeoutMs = 1 } = options;
  if (typeof reconcile !== 'function') throw new InformerError('argument', 'a controller needs a function reconcile');
  if (!name) throw new InformerError('argument', 'a controller needs a name');
  if (!Number.isInteger(workers) || workers < 1)
    throw new InformerError('argument', `workers must be a whole number from 1, not ${workers}`);
  if (!(maxRetries >= 0)) throw new InformerError('argument', `maxRetries must be 0 or more, not ${maxRetries}`);
  if (!(reconcileTimeoutMs > 0))
    throw new InformerError('argument', `reconcileTimeoutMs must be above zero, not ${reconcileTimeoutMs}`);
}

function requestOf(key: ObjectKey, { causes, dropped, before, gone }: Gathered, attempt: number): ReconcileRequest {
  const known = causes.length > 0 ? causes : [{ reason: 'requeue', count: 1 } as const];
  return { key, ...splitKey(key), causes: known, droppedCauses: dropped, attempt, before, gone };
}

function outcomeOf(settled: Settled): 'success' | 'requeue_after' | 'error' {
  if (settled.kind !== 'done') return 'error';
  return (settled.result.requeueAfterMs ?? 0) > 0 ? 'requeue_after' : 'success';
}
