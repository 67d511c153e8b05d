import { InformerError } from '../kit/error.ts';
import type { KnownOptionsOf } from '../kit/known-options.ts';
import { FieldSelector } from '../model/field-selector.ts';
import type { Selectors } from '../model/list-options.ts';
import type { DeepReadonly } from '../model/object.ts';
import type { StoreKind } from './compact/compact-store.ts';
import type { Indexers } from './store/object-index.ts';
import type { ListerWatcher } from './watch/lister-watcher.ts';
import { checkReflectorOptions, KNOWN_REFLECTOR_OPTIONS, type ReflectorOptions } from './watch/reflector-options.ts';
import type { StoredState } from './watch/stored-state.ts';

/** A collection that an informer reads. Several sources, each limited to a namespace or a name, make one cache. */
export interface ScopedSource<T> {
  source: ListerWatcher<T>;
  /** The namespace to which the source is limited. Absent: the source has no limit. */
  namespace?: string | undefined;
  /** The only name to ask for (`metadata.name=`); a right on that name is enough. Absent: every name. */
  name?: string | undefined;
  /**
   * When it aborts, the source is left out: it gets no more requests, its objects stay in the cache as they are, and
   * the initial sync does not wait for it. An informer whose sources are all left out does not sync. Absent: the source
   * is used until the informer stops.
   */
  leftOut?: AbortSignal | undefined;
  /**
   * The state to begin with, as `SharedInformer.onState` gave it to an earlier run. Handlers first get its
   * objects. The watch resumes at its version, so that changes since then are seen one by one. When the server refuses
   * the version, or its history is another one, the state is listed and compared: handlers then get the net changes.
   * The informer has synced when the cache shows what a list of the metadata shows. Absent: the state is listed.
   */
  stored?: StoredState<T> | undefined;
}

/** Options of a `SharedInformer`. Those that it passes on to its reflector are described in {@link ReflectorOptions}. */
export interface SharedInformerOptions<T>
  extends Pick<
    ReflectorOptions,
    | 'name'
    | 'sync'
    | 'selectors'
    | 'expect'
    | 'pageSize'
    | 'idleMs'
    | 'backoff'
    | 'minWatchTimeoutMs'
    | 'maxInternalErrorRetryMs'
    | 'onWatchError'
    | 'onContinuity'
    | 'onProgress'
    | 'metrics'
    | 'clock'
    | 'random'
    | 'logger'
  > {
  /** The resource in the NotFound errors of the lister. */
  resource?: { group: string; resource: string } | undefined;
  /** The default resync period of handlers, ms. 0 (default): no handler gets resyncs. */
  resyncMs?: number | undefined;
  /** Indexes in addition to `namespace`. */
  indexers?: Indexers<DeepReadonly<T>> | undefined;
  /**
   * Called once for every object before it is cached; may change it in place. The key in the cache is that of the
   * result.
   */
  transform?: ((object: T) => T) | undefined;
  /**
   * How the cache keeps its objects. `objects` (default): parsed; reads return the same object until it changes.
   * `compact`: as compressed text, in about a tenth of the memory, for caches of many objects. A read of an object that
   * was not read lately decodes it, in tenths of a millisecond. Two reads may return two equal objects. `auto`: parsed
   * up to `compactAbove` objects, then compact. All other promises are the same.
   */
  store?: StoreKind | undefined;
  /** The number of objects that an `auto` store keeps parsed at most. Default 5,000. */
  compactAbove?: number | undefined;
  /** Freezes cached objects, so that a write to one throws. For tests and development. */
  freeze?: boolean | undefined;
  /**
   * The time between two verifications, ms. 0 (default): never. A verification compares the cache with a fresh list. A
   * lasting difference is reported (`drift` in the ledger and in `onContinuity`) and repaired by a relist. See `SharedInformer.verify`.
   */
  verifyEveryMs?: number | undefined;
  /**
   * Called with the errors of handlers, index functions and the transform, which are also logged. Errors that it throws
   * itself are logged.
   */
  onHandlerError?: ((error: unknown) => void) | undefined;
}

const {
  shouldResync: _1,
  bookmarkWarningMs: _2,
  scope: _3,
  cache: _4,
  ledger: _5,
  stored: _6,
  ...PASSED_ON
} = KNOWN_REFLECTOR_OPTIONS;

/** All options of an informer. The factory accepts most of them. */
export const KNOWN_OPTIONS = {
  ...PASSED_ON,
  resource: { group: 'text', version: 'text', resource: 'text' },
  resyncMs: 'number',
  indexers: 'object',
  transform: 'function',
  store: ['objects', 'compact', 'auto'],
  compactAbove: 'number',
  freeze: 'boolean',
  verifyEveryMs: 'number',
  onHandlerError: 'function',
} satisfies KnownOptionsOf<SharedInformerOptions<unknown>>;

/** Throws `argument` for values that cannot work. */
export function checkInformerOptions(
  options: ReflectorOptions & Pick<SharedInformerOptions<unknown>, 'verifyEveryMs' | 'compactAbove'>,
): void {
  for (const name of ['resyncMs', 'verifyEveryMs', 'compactAbove'] as const) {
    const value = options[name];
    if (value !== undefined && !(value >= 0))
      throw new InformerError('argument', `${name} must be a number not below 0, not ${value}`);
  }
  checkReflectorOptions(options);
}

/** Throws `argument` unless the sources are of different namespaces or names. */
export function checkSources(sources: readonly ScopedSource<unknown>[]): void {
  if (sources.length === 0) throw new InformerError('argument', 'an informer needs at least one source');
  const parts = sources.map(({ namespace = '', name = '' }) => (name === '' ? namespace : `${namespace}/${name}`));
  if (sources.length > 1 && (parts.includes('') || new Set(parts).size < parts.length)) {
    throw new InformerError(
      'argument',
      `sources must be of different namespaces or names, not ${JSON.stringify(parts)}`,
    );
  }
}

/** The selectors of a source that has only the object of this name. */
export function selectorsOfName(name: string, selectors: Selectors = {}): Selectors {
  const own = FieldSelector.of([{ field: 'metadata.name', operator: '=', value: name }]).toString();
  return { ...selectors, fieldSelector: selectors.fieldSelector ? `${own},${selectors.fieldSelector}` : own };
}
