import type { ListOptions, WatchOptions } from '../../model/list-options.ts';
import type { ListPage } from '../../model/object.ts';
import type { WatchEvent } from '../../model/watch-event.ts';

/** What every call through the port is given: the call ends when `signal` aborts, and lets go of its connection. */
export interface CallContext {
  signal: AbortSignal;
  /**
   * To be called, as often as one likes, when something of the answer to a LIST arrives. A list that takes longer than the reflector's
   * `idleMs` without a sign of life is given up and asked for again. `aheadMs`: nothing can come for that long, because the server asked us to wait.
   */
  alive?: ((aheadMs?: number) => void) | undefined;
  /** Use a new connection: one that was open before may be dead without a sign. */
  fresh?: boolean | undefined;
}

/**
 * The informer's only door to the world: one collection that can be listed and watched. Selectors and namespace belong to the
 * implementation or come in through the options; the informer adds versions, limits and watch flags.
 *
 * Errors are thrown as `StatusError` (what the server answered), `InformerError` with code `transport` or `decode`, or whatever the
 * connection threw. Nothing behind the port retries a watch: that is the {@link Reflector}'s.
 * Source: client-go tools/cache/listwatch.go.
 */
export interface ListerWatcher<T> {
  /** One page. */
  list(options: ListOptions, context: CallContext): Promise<ListPage<T>>;
  /**
   * Resolves when the server has accepted the watch, rejects when it has not. The iterable yields one batch per chunk that arrived,
   * ends when the server closes in good order, and throws on anything else; an event whose `type` is unknown is passed on as it came.
   */
  watch(options: WatchOptions, context: CallContext): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /** Like `list`, but the objects' metadata is enough. Used for lists of one, which tell where the server is. Absent: `list` is used. */
  probe?(options: ListOptions, context: CallContext): Promise<ListPage<unknown>>;
  /**
   * Resolves when the server answers again after a connection failed; rejects when the signal aborts. Shared by everything that talks to that
   * server, so that one request at a time finds out. Absent: each reflector tries by itself, with growing pauses.
   */
  whenReachable?: ((context: CallContext) => Promise<void>) | undefined;
  /**
   * Resolves when a watch that the server answered with a refusal may be tried again; rejects when the signal aborts. Shared by everything that
   * talks to that server, so that one at a time finds out. Absent: each reflector tries by itself, with growing pauses.
   */
  whenTurn?: ((context: CallContext) => Promise<void>) | undefined;
  /** Whether `watch` can send the initial state (`sendInitialEvents`). Absent: it can. Source: client-go util/watchlist, asked the other way round. */
  supportsStreamingLists?(): boolean;
  /** Whether an unpaged LIST with no resourceVersion is consistent and served from memory (Kubernetes ≥ 1.31). For sync mode `auto`. */
  consistentUnpagedList?(context: CallContext): Promise<boolean>;
}
