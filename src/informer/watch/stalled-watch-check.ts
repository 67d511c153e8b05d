import { abortable, type Scope, scope } from '../../kit/abort.ts';
import { type Clock, sleepOn } from '../../kit/clock.ts';
import type { RandomSource } from '../../kit/random.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import type { Selectors } from '../../model/list-options.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { isExpired, isGone, isStatus, StatusError, statusOf } from '../../model/status.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { isMovedCollection } from './moved-collection.ts';
import { idleWatch, type WatchConnection } from './watch-connection.ts';

/**
 * Silence after which the server is asked, ms; reduced by up to a tenth at random. With the waits below, a dead stream
 * is noticed within 30 s.
 */
const ASK_AFTER_MS = 18_000;
/** The longest wait for an answer, ms. */
const PATIENCE_MS = 4_000;
/**
 * Bookmarks come about every minute. A stream without one for this many ms may wait for versions that the server will
 * not reach.
 */
const BOOKMARK_MS = 90_000;
/** How long a stream may lag behind the second watch, ms. */
const GRACE_MS = 2_000;

export interface StalledWatchCheckOptions<T> {
  readonly source: ListerWatcher<T>;
  readonly selectors: Selectors | undefined;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The version that the stream has reached. */
  readonly reached: () => ResourceVersion;
  /**
   * Called before the second watch, while no event has come or when a bookmark is overdue. Rejects when the server's
   * history is another one.
   */
  readonly verify: (signal: AbortSignal, again: boolean) => Promise<unknown>;
  /** The server's version. */
  readonly position: (signal: AbortSignal) => Promise<ResourceVersion>;
}

/**
 * The result of a second watch. `quiet`: it showed no change. `ahead`: it showed changes. `forgotten`: the server
 * cannot watch from that version any more. `refused`: another error, which proves nothing.
 */
type Glimpse = 'quiet' | 'ahead' | 'unreachable' | 'forgotten' | 'refused';

/**
 * Distinguishes a quiet stream from a dead one.
 * When nothing has come for a while, a second watch of one second is opened at the same version. The stream is stalled
 * when the second watch shows changes that the stream does not bring. The server is out of reach when it does not
 * answer, also over a new connection. In both cases the stream is failed, and is resumed at its version while the
 * server still remembers it.
 * When the server has forgotten that version, the second watch starts at the server's own version, and shows what
 * changes from then on.
 * A quiet stream is left alone. It costs one short request every {@link ASK_AFTER_MS}. Disposing ends the guard.
 */
export class StalledWatchCheck<T> implements Disposable {
  readonly #connection: WatchConnection<T>;
  readonly #options: StalledWatchCheckOptions<T>;
  readonly #scope: Scope;
  #verifiedAt: number;
  /** The start of the second watch while the stream is at a version that the server has forgotten. */
  #later: { readonly reached: ResourceVersion; readonly from: ResourceVersion } | undefined;

  constructor(connection: WatchConnection<T>, options: StalledWatchCheckOptions<T>, signal: AbortSignal) {
    this.#connection = connection;
    this.#options = options;
    this.#scope = scope(signal);
    this.#verifiedAt = options.clock.monotonic();
    this.#run(this.#scope.signal).catch(() => {}); // the signal's reason
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const everyMs = ASK_AFTER_MS * (1 - random() / 10);
      for (let left = everyMs; left > 0; left = everyMs - this.#connection.silentMs)
        await sleepOn(clock, Math.ceil(left), signal);
      await this.#ask(signal);
    }
  }

  /** Whether a second watch, opened now at the same version, shows no change. */
  async isQuiet(signal: AbortSignal): Promise<boolean> {
    return (await this.#look(signal, true)) === 'quiet';
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { verify, reached, clock } = this.#options;
    const { lastReadAt } = this.#connection;
    try {
      const lacksBookmark = clock.monotonic() - Math.max(lastReadAt, this.#verifiedAt) >= BOOKMARK_MS;
      if (lacksBookmark) this.#verifiedAt = clock.monotonic();
      if (lacksBookmark || this.#connection.events === 0) await verify(signal, lacksBookmark);
    } catch (error) {
      if (!signal.aborted) this.#connection.fail(error);
      return;
    }
    let glimpse = await this.#look(signal, false);
    if (glimpse === 'unreachable') glimpse = await this.#look(signal, true);
    if (glimpse === 'forgotten') return this.#lookLater(reached(), signal);
    if (glimpse === 'ahead') await sleepOn(clock, GRACE_MS, signal);
    if (this.#connection.lastReadAt !== lastReadAt) return; // something has come
    if (glimpse === 'ahead')
      this.#connection.fail(idleWatch('the stream is stalled: the server has changes that did not come'));
    if (glimpse === 'unreachable')
      this.#connection.fail(idleWatch('the stream is silent, and the server does not answer'));
  }

  /** Makes later second watches start at the server's version. Changes before it cannot be seen any more. */
  async #lookLater(reached: ResourceVersion, signal: AbortSignal): Promise<void> {
    try {
      this.#later = { reached, from: await this.#options.position(signal) };
    } catch {} // the next check finds the same and tries again
  }

  async #look(signal: AbortSignal, fresh: boolean): Promise<Glimpse> {
    const { source, selectors, clock, reached } = this.#options;
    const at = reached();
    const resourceVersion = this.#later?.reached === at ? this.#later.from : at;
    using looking = scope(signal);
    let iterator: AsyncIterator<readonly WatchEvent<T>[]> | undefined;
    const timer = clock.after(PATIENCE_MS, () => looking.abort());
    try {
      const opening = (async () =>
        source.watch({ ...selectors, resourceVersion, timeoutSeconds: 1 }, { signal: looking.signal, fresh }))();
      const stream = await abortable(opening, looking.signal);
      iterator = stream[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await abortable(iterator.next(), looking.signal);
        if (done) return 'quiet';
        for (const event of value) {
          if (event.type === 'ERROR')
            throw isStatus(event.object) ? new StatusError(event.object) : new Error('no status');
          if (event.type !== 'BOOKMARK') return 'ahead';
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isMovedCollection(error)) this.#connection.fail(error);
      if (looking.signal.aborted) return iterator ? 'quiet' : 'unreachable';
      if (isExpired(error) || isGone(error)) return 'forgotten';
      return !statusOf(error) && isConnectionError(error) ? 'unreachable' : 'refused';
    } finally {
      timer.cancel();
      iterator?.return?.()?.catch(() => {}); // an error while closing does not matter any more
    }
  }
}
