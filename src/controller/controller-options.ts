import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { Logger } from '../kit/logger.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import type { ObjectKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';
import type { ReadCache } from './consistency/read-cache.ts';
import type { OwnWrites } from './history/own-writes.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source } from './sources/source.ts';

/** Options of {@link createController}. */
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
  /**
   * How long a shutdown waits for running reconciles before it aborts their signals, ms. Default 20,000. Together with
   * `abandonMs` it is less than the 30 s that Kubernetes gives a pod by default.
   */
  drainMs?: number | undefined;
  /**
   * How long a shutdown then waits for them to end, ms. After that {@link Controller.run} rejects with `closed` and names
   * the keys; what those runs still do goes on. Default 5,000.
   */
  abandonMs?: number | undefined;
  /**
   * Whether a panic (see {@link isPanic}) is retried like any failure. If not, it ends the controller. Default true.
   */
  recoverPanic?: boolean | undefined;
  /**
   * `own writes` (default): no run of a key begins before the caches show what earlier runs of it wrote through this
   * package's client: the informers of the sources, all others of their factories, and `reads`. Other keys go on
   * meanwhile. `none`: a run may read a state before its own writes.
   */
  consistency?: 'own writes' | 'none' | undefined;
  /** Further informers that the reconciler reads: see `consistency`. */
  reads?: readonly ReadCache[] | undefined;
  /** The writes of the program that it does not send by this package's client. Those of the client are known. */
  ownWrites?: OwnWrites | undefined;
  /**
   * A key whose own writes run it this many times in a row within a minute is parked, with the reason `hot-loop`.
   * Default 10. 0 parks no key for this reason.
   */
  hotLoopRuns?: number | undefined;
  /**
   * How long a key waits after an event before it runs, ms; each further event starts the time again, so that a burst is
   * one run. A key waits at most ten times as long. Retries and {@link Controller.enqueue} do not wait. Default 0.
   * Source: kube-rs, controller Config.debounce, which has no longest time.
   */
  debounceMs?: number | undefined;
  /**
   * Splits a key into what the request says of it. Throws `argument` for a text that is no key. Default: keys are
   * `namespace/name`, or `name`. For keys of another form: see {@link controllerFor} and {@link controllerForKeys}.
   */
  splitKey?: ((key: ObjectKey) => { readonly namespace: string; readonly name: string }) | undefined;
  /** Whether the last steps of each key are kept for {@link Controller.explain}, a few MB at most. Default true. */
  history?: boolean | undefined;
  /**
   * Decides the delays of retries. If it fails, the default limiter answers. Default: {@link
   * createControllerRateLimiter}.
   */
  rateLimiter?: RateLimiter | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  metrics?: MetricsProvider | undefined;
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
  abandonMs: 'number',
  recoverPanic: 'boolean',
  history: 'boolean',
  consistency: ['own writes', 'none'],
  reads: 'list',
  ownWrites: 'object',
  hotLoopRuns: 'number',
  debounceMs: 'number',
  splitKey: 'function',
  rateLimiter: 'rateLimiter',
  clock: 'clock',
  logger: 'logger',
  metrics: 'metrics',
} satisfies KnownOptionsOf<ControllerOptions>;

/** Throws `argument` for options that a controller cannot run with. */
export function checkControllerOptions(options: ControllerOptions): void {
  checkOptions('createController', options, KNOWN_OPTIONS);
  const { name, reconcile, workers, reconcileTimeoutMs, sources = [] } = options;
  for (const source of sources) checkSource(source);
  for (const each of ['drainMs', 'abandonMs', 'cacheSyncTimeoutMs', 'maxRetries', 'debounceMs'] as const) {
    const value = options[each];
    if (value !== undefined && value < 0)
      throw new InformerError('argument', `${each} must be 0 or more, not ${value}`);
  }
  if (typeof reconcile !== 'function') throw new InformerError('argument', 'a controller needs a function reconcile');
  if (!name) throw new InformerError('argument', 'a controller needs a name');
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 1))
    throw new InformerError('argument', `workers must be a whole number from 1, not ${workers}`);
  if (reconcileTimeoutMs !== undefined && reconcileTimeoutMs <= 0)
    throw new InformerError('argument', `reconcileTimeoutMs must be above zero, not ${reconcileTimeoutMs}`);
}

/** Throws `argument` for a value that is not a source: an informer, or the name of a type. */
export function checkSource(source: unknown): void {
  const { name, start } = Object(source) as Partial<Source>;
  if (typeof name === 'string' && typeof start === 'function') return;
  throw new InformerError('argument', 'a source of a controller needs a name and a function start', {
    hint: 'of an informer: createInformerSource(informer, { name })',
  });
}
