import { type BackoffOptions, KNOWN_BACKOFF_OPTIONS } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock.ts';
import type { KnownOptionsOf } from '../../kit/known-options.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Random } from '../../kit/random.ts';
import type { GroupVersionKind } from '../../model/gvr.ts';
import { KNOWN_SELECTORS, type Selectors } from '../../model/list-options.ts';
import type { InformerMetrics } from '../metrics.ts';
import type { CacheView } from './history.ts';
import type { ContinuityEvent, Ledger } from './ledger.ts';
import type { SyncMode } from './list-plan.ts';
import type { ListProgress } from './pager.ts';

export interface ReflectorOptions {
  /** What is reflected, for messages: `v1/pods`. */
  name?: string | undefined;
  /** Where the state comes from. Default `stream`. See {@link SyncMode}. */
  sync?: SyncMode | undefined;
  /** Restrict every LIST and WATCH. */
  selectors?: Selectors | undefined;
  /** Objects of any other kind in the stream are skipped. Default: no check. */
  expect?: GroupVersionKind | undefined;
  /** Page size of every LIST, whatever the version. Default: client-go's rules. */
  pageSize?: number | undefined;
  /** Ms between two resyncs while watching. 0 (default) = never. */
  resyncMs?: number | undefined;
  /** Asked when a resync is due; false lets it pass. */
  shouldResync?: (() => boolean) | undefined;
  /** How long the server is asked to keep a watch open: a random time in [min, 2·min]. Values under 5 minutes count as 5 minutes. */
  minWatchTimeoutMs?: number | undefined;
  /**
   * Silence (no event, no bookmark; of a list: no sign of life) after which a connection is taken for dead: a stream is resumed, a list asked
   * for again. Default 150 s; Infinity = never. Long before that, after 18 s of silence, the server is asked whether the stream is only quiet
   * (see {@link SilenceGuard}), so that a dead connection is noticed within 30 s; with Infinity it is not.
   */
  idleMs?: number | undefined;
  /** How long InternalErrors in the stream are retried without a relist. 0 (default) = not at all. */
  maxInternalErrorRetryMs?: number | undefined;
  /**
   * Delay between attempts. Default, part by part: 0.8 s doubling to 30 s, each drawn from [d, 2d); to 4 s, each from [d, 1.5d), for a watch that
   * the server refuses while its version still holds. It begins small again after a stream that brought something or lasted, and after two
   * minutes without a delay. While no connection can be made, a source that knows when its server is back decides instead.
   */
  backoff?: Partial<BackoffOptions> | undefined;
  /** While the end of a streaming list is awaited, a warning is logged this often. Default 10 s. */
  bookmarkWarningMs?: number | undefined;
  /** Hears each error that failed an attempt: a LIST, or a watch that could not be started. `onContinuity` hears every fault. */
  onWatchError?: ((error: unknown) => void) | undefined;
  onContinuity?: ((event: ContinuityEvent) => void) | undefined;
  onProgress?: ((progress: ListProgress) => void) | undefined;
  /** The namespace this reflector is limited to, passed on in continuity events. */
  scope?: string | undefined;
  /** What the store holds, for comparing it with the server's history after a break. Default: only versions are compared. */
  cache?: CacheView | undefined;
  /** Where continuity is recorded. Default one of its own. */
  ledger?: Ledger | undefined;
  metrics?: InformerMetrics | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
  logger?: Logger | undefined;
}

/** What {@link ReflectorOptions} may hold. */
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
  cache: true,
  ledger: true,
  metrics: true,
  clock: true,
  random: 'function',
  logger: true,
} satisfies KnownOptionsOf<ReflectorOptions>;
