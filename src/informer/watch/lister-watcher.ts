import type { ItemReading } from '../../model/item-reading.ts';
import type { ListOptions, WatchOptions } from '../../model/list-options.ts';
import type { ListPage, ReadonlyObject } from '../../model/object.ts';
import type { UnwantedObjects } from '../../model/unwanted-objects.ts';
import type { WatchEvent } from '../../model/watch-event.ts';

/** The context of a call to a source. When `signal` aborts, the call ends and releases its connection. */
export interface CallContext {
  signal: AbortSignal;
  /**
   * Called by the source whenever a part of the answer to a LIST arrives. A list without such a call for longer than
   * the reflector's `idleMs` is given up and requested again. `aheadMs`: nothing will come for this many ms, because
   * the server asked for a pause.
   */
  alive?: ((aheadMs?: number) => void) | undefined;
  /** The objects that the caller does not want. A source may leave them out; their decoding then costs nothing. */
  unwanted?: UnwantedObjects | undefined;
  /**
   * Called by the source with each object of a LIST as soon as it is decoded. The result takes the object's place in the
   * page. A source that does not call it returns the objects as they are. `bytes` are the JSON that the object was parsed
   * from, if the source has it, in memory that it uses again afterwards.
   */
  arrived?: ((object: never, bytes?: Uint8Array) => unknown) | undefined;
  /** Takes the objects of a LIST in place of the page, which then has none. A source that does not know it gives them. */
  reading?: ItemReading | undefined;
  /** Use a new connection, because an open one may be dead without a sign. */
  fresh?: boolean | undefined;
  /** A look beside the informer's own lists and watches, such as a verification: it does not change what they read. */
  isAside?: boolean | undefined;
}

/** How a collection has changed as a whole. */
export interface CollectionChange<T> {
  /** Lists the objects that are new in it; undefined if there are none. */
  readonly list: ListerWatcher<T>['list'] | undefined;
  /** Whether an object that was in it still is. */
  keeps(object: T): boolean;
  /** Called when the informer has the change: the next watch is of the new collection. */
  taken(): void;
}

/**
 * The informer's only access to a server: one collection that can be listed and watched.
 * Selectors and namespace belong to the implementation or come with the options. The informer adds versions, limits and
 * watch flags.
 * Errors are thrown as `StatusError` (an answer of the server), as `InformerError` with code `transport` or `decode`,
 * or as the connection threw them. An implementation does not retry a watch; the {@link Reflector} does.
 * Source: client-go tools/cache/listwatch.go.
 */
export interface ListerWatcher<T> {
  /** Fetches one page. */
  list(options: ListOptions, context: CallContext): Promise<ListPage<T>>;
  /**
   * Resolves when the server has accepted the watch, rejects when it has not. The iterable yields one batch for each
   * chunk that arrived. It ends when the server closes gracefully, and throws otherwise. An event of an unknown `type`
   * is passed on unchanged.
   */
  watch(options: WatchOptions, context: CallContext): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /**
   * Like `list`, but returns at least the objects' metadata. Used for lists of one object, which show the server's
   * version. Absent: `list` is used.
   */
  probe?(options: ListOptions, context: CallContext): Promise<ListPage<unknown>>;
  /**
   * Resolves when the server answers again after a failed connection; rejects when the signal aborts. All callers of
   * one server share it, so that only one of them tries at a time. Absent: each reflector retries by itself, with
   * growing pauses.
   */
  whenReachable?: ((context: CallContext) => Promise<void>) | undefined;
  /**
   * Resolves when a watch that the server has refused may be tried again; rejects when the signal aborts. All callers
   * of one server share it, so that only one of them tries at a time. Absent: each reflector retries by itself, with
   * growing pauses.
   */
  whenTurn?: ((context: CallContext) => Promise<void>) | undefined;
  /**
   * Whether `watch` can send the initial state (`sendInitialEvents`). Absent: it can. Source: client-go util/watchlist,
   * which asks the opposite question.
   */
  supportsStreamingLists?(): boolean;
  /**
   * Whether an unpaged LIST without a resourceVersion is consistent and served from memory (Kubernetes ≥ 1.31). For the
   * sync mode `auto`.
   */
  consistentUnpagedList?(context: CallContext): Promise<boolean>;
  /**
   * Whether all objects are as they were parsed from JSON: no Date, no Map, no instance of a class. Absent: a compact
   * cache looks through each object for such parts.
   */
  readonly givesJson?: boolean | undefined;
  /** Whether the source has a part of the collection only, whose objects no server counts. Absent: it has all. */
  readonly isPart?: boolean | undefined;
  /** Whether the source has an object of the collection. Absent: it has all that its selectors match. */
  keeps?(object: ReadonlyObject): boolean;
  /**
   * How the collection differs from the one that was listed, after a watch has failed because it became another one.
   * Undefined: it has to be listed as a whole. Absent: it never becomes another one.
   */
  change?(): CollectionChange<T> | undefined;
}

/** Asks {@link ListerWatcher.consistentUnpagedList}; false for a source without it. */
export const hasConsistentUnpagedList = async (
  source: Pick<ListerWatcher<unknown>, 'consistentUnpagedList'>,
  context: CallContext,
): Promise<boolean> => (await source.consistentUnpagedList?.(context)) === true;
