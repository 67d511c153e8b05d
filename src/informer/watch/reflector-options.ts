import { Backoff, type BackoffOptions, KNOWN_BACKOFF_OPTIONS } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { KnownOptionsOf } from '../../kit/known-options.ts';
import type { Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import type { RandomSource } from '../../kit/random.ts';
import type { GroupVersionKind } from '../../model/gvr.ts';
import { KNOWN_SELECTORS, type Selectors } from '../../model/list-options.ts';
import type { InformerMetrics } from '../metrics.ts';
import type { ContinuityEvent, ContinuityLedger } from './continuity-ledger.ts';
import type { CacheView } from './history-check.ts';
import type { SyncMode } from './list-plan.ts';
import type { ListProgress } from './pager.ts';
import type { StoredState } from './stored-state.ts';

/** The delays between attempts. */
export const REFLECTOR_BACKOFF: BackoffOptions = {
  initialMs: 800,
  factor: 2,
  jitter: 1,
  capMs: 30_000,
  resetAfterMs: 120_000,
};

/** The default of `idleMs`: two and a half of a kube-apiserver's bookmark intervals. */
export const DEFAULT_IDLE_MS = 150_000;

/** Options of {@link Reflector}. */
export interface ReflectorOptions {
  /** The name of the collection in messages: `v1/pods`. */
  name?: string | undefined;
  /** The way to fetch the state. Default `stream`. See {@link SyncMode}. */
  sync?: SyncMode | undefined;
  /** The selectors of every LIST and WATCH. */
  selectors?: Selectors | undefined;
  /** The expected kind. Objects of any other kind in the stream are skipped. Default: no check. */
  expect?: GroupVersionKind | undefined;
  /** The page size of every LIST, at any version. Default: client-go's rules. */
  pageSize?: number | undefined;
  /** The time between two resyncs during a watch, ms. 0 (default): never. */
  resyncMs?: number | undefined;
  /** Called when a resync is due; returning false skips it. */
  shouldResync?: (() => boolean) | undefined;
  /**
   * How long the server is asked to keep a watch open, ms: a random time in [min, 2·min]. Values under 5 minutes count
   * as 5 minutes.
   */
  minWatchTimeoutMs?: number | undefined;
  /**
   * Silence after which a connection counts as dead, ms. A stream is then resumed, and a list is requested again.
   * Default 150 s; Infinity: never. Any event, bookmark or part of a list ends the silence.
   * Earlier, after 18 s of silence, the server is asked whether the stream is only quiet (see
   * {@link StalledWatchCheck}), so that a dead connection is noticed within 30 s. With Infinity it is not asked.
   */
  idleMs?: number | undefined;
  /** How long InternalErrors in the stream are retried without a relist, ms. 0 (default): not at all. */
  maxInternalErrorRetryMs?: number | undefined;
  /**
   * The delay between attempts. Each part has a default: 0.8 s, doubling to 30 s, each drawn from [d, 2d). For a watch
   * that the server refuses while its version is still valid: up to 4 s, each drawn from [d, 1.5d).
   * The delay starts small again after a stream that brought an event or lasted for a while, and after two minutes
   * without a delay. While no connection can be made, a source with `whenReachable` decides instead.
   */
  backoff?: Partial<BackoffOptions> | undefined;
  /** How often a warning is logged while the end of a streaming list is awaited, ms. Default 10 s. */
  bookmarkWarningMs?: number | undefined;
  /**
   * Called with each error that failed an attempt: a LIST, or a watch that could not be started. `onContinuity` is
   * called for every fault.
   */
  onWatchError?: ((error: unknown) => void) | undefined;
  onContinuity?: ((event: ContinuityEvent) => void) | undefined;
  onProgress?: ((progress: ListProgress) => void) | undefined;
  /** The namespace of this reflector, passed on in continuity events. */
  scope?: string | undefined;
  /**
   * A view of the store, to compare it with the server's history after a break. Default: only versions are compared.
   */
  cache?: CacheView | undefined;
  /**
   * The state to begin with, in place of a list. The watch resumes at its version; when the server does not accept that,
   * the state is listed. Used only when the store has `restore`.
   */
  stored?: StoredState<unknown> | undefined;
  /** The ledger that records continuity. Default: a new one. */
  ledger?: ContinuityLedger | undefined;
  /** Receives measurements: callbacks, or a provider that gets them under client-go's names. */
  metrics?: InformerMetrics | MetricsProvider | undefined;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
  logger?: Logger | undefined;
}

/** The names and types of the options in {@link ReflectorOptions}. */
export const KNOWN_REFLECTOR_OPTIONS = {
  name: 'text',
  sync: ['stream', 'list', 'pages', 'auto'],
  selectors: KNOWN_SELECTORS,
  expect: { group: 'text', version: 'text', kind: 'text' },
  pageSize: 'number',
  resyncMs: 'number',
  shouldResync: 'function',
  minWatchTimeoutMs: 'number',
  idleMs: 'number',
  maxInternalErrorRetryMs: 'number',
  backoff: KNOWN_BACKOFF_OPTIONS,
  bookmarkWarningMs: 'number',
  onWatchError: 'function',
  onContinuity: 'function',
  onProgress: 'function',
  scope: 'text',
  cache: 'object',
  stored: 'object',
  ledger: 'object',
  metrics: 'object',
  clock: 'clock',
  random: 'function',
  logger: 'logger',
} satisfies KnownOptionsOf<ReflectorOptions>;

/**
 * Throws `argument` for options that no reflector accepts. For callers that get the options long before they build a
 * reflector.
 */
export function checkReflectorOptions({ resyncMs, pageSize, idleMs, backoff }: ReflectorOptions): void {
  requireNotNegative('resyncMs', resyncMs);
  requireNotNegative('pageSize', pageSize);
  if (idleMs !== undefined && !(idleMs > 0)) throw badOption('idleMs', idleMs, 'a positive number of ms');
  if (backoff) new Backoff({ ...REFLECTOR_BACKOFF, ...backoff });
}

function requireNotNegative(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0)) throw badOption(name, value, 'a number not below 0');
}

function badOption(name: string, value: unknown, wanted: string): InformerError {
  return new InformerError('argument', `${name} must be ${wanted}, not ${value}`);
}
