import { abortable, type Scope, scope } from '../../kit/abort.ts';
import { type Clock, sleepOn } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import type { Selectors } from '../../model/list-options.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { isExpired, isGone, isStatus, StatusError, statusOf } from '../../model/status.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { isMovedCollection } from './moved-collection.ts';
import { idleWatch, type WatchConnection } from './watch-connection.ts';

/** Silence after which the server is asked, ms; drawn from the last tenth below. With what follows it, a dead stream is noticed within 30 s. */
const ASK_AFTER_MS = 18_000;
/** How long an answer may take, ms. */
const PATIENCE_MS = 4_000;
/** Bookmarks come about every minute: a stream without one for so long may wait for versions that the server will not reach. */
const BOOKMARK_MS = 90_000;
/** How long a stream may lag behind the answer, ms. */
const GRACE_MS = 2_000;

export interface SilenceGuardOptions<T> {
  readonly source: ListerWatcher<T>;
  readonly selectors: Selectors | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** The version the stream has reached. */
  readonly reached: () => ResourceVersion;
  /** Called first while nothing has come, or for so long that a bookmark is missing: rejects when the server's history is another one. */
  readonly verify: (signal: AbortSignal, again: boolean) => Promise<unknown>;
  /** The version at which the server is. */
  readonly position: (signal: AbortSignal) => Promise<ResourceVersion>;
}

/** What a second watch beside the first showed. `forgotten`: the server cannot watch from that version any more. `refused` proves nothing. */
type Glimpse = 'quiet' | 'ahead' | 'unreachable' | 'forgotten' | 'refused';

/**
 * Tells a quiet stream from a dead one. When nothing has come for a while, a second watch of one second is opened at the same version: changes
 * that it shows and the stream does not bring mean that the stream is stalled; no answer, also over a new connection, that the server is out
 * of reach. When the server has forgotten that version, the second watch starts at the server's own: it shows what changes from then on. Then the stream is failed, and can be resumed at its version while the server still remembers it. A stream that is merely quiet is
 * left alone, at the cost of that one short request every {@link ASK_AFTER_MS}. Disposing ends it.
 */
export class SilenceGuard<T> implements Disposable {
  readonly #connection: WatchConnection<T>;
  readonly #options: SilenceGuardOptions<T>;
  readonly #scope: Scope;
  #askedAt: number;
  #verifiedAt: number;
  /** From which version to look while the stream is at one that the server has forgotten. */
  #later: { readonly reached: ResourceVersion; readonly from: ResourceVersion } | undefined;

  constructor(connection: WatchConnection<T>, options: SilenceGuardOptions<T>, signal: AbortSignal) {
    this.#connection = connection;
    this.#options = options;
    this.#scope = scope(signal);
    this.#askedAt = options.clock.monotonic();
    this.#verifiedAt = this.#askedAt;
    this.#run(this.#scope.signal).catch(() => {}); // the signal's reason
  }

  [Symbol.dispose](): void {
    this.#scope[Symbol.dispose]();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const everyMs = ASK_AFTER_MS * (1 - random() / 10);
      for (let left = everyMs; left > 0; left = this.#quietSince + everyMs - clock.monotonic())
        await sleepOn(clock, Math.ceil(left), signal);
      await this.#ask(signal);
      this.#askedAt = clock.monotonic();
    }
  }

  /** Since when nothing has come, and nothing was asked. While the reader is busy with what came, that is now. */
  get #quietSince(): number {
    return Math.max(this.#askedAt, this.#options.clock.monotonic() - this.#connection.silentMs);
  }

  /** Whether a second watch, opened now at the same version, shows nothing. */
  async isQuiet(signal: AbortSignal): Promise<boolean> {
    return (await this.#look(signal, true)) === 'quiet';
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { verify, reached, clock } = this.#options;
    const { lastReadAt } = this.#connection;
    const hasCome = () => this.#connection.lastReadAt !== lastReadAt || this.#connection.silentMs === 0;
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
    if (hasCome()) return;
    if (glimpse === 'ahead') this.#connection.fail(idleWatch('the stream is stalled: the server has changes that did not come'));
    if (glimpse === 'unreachable') this.#connection.fail(idleWatch('the stream is silent, and the server does not answer'));
  }

  /** What changed so far cannot be seen any more; what changes from now on can. */
  async #lookLater(reached: ResourceVersion, signal: AbortSignal): Promise<void> {
    try {
      this.#later = { reached, from: await this.#options.position(signal) };
    } catch {
      signal.throwIfAborted(); // else the next question comes upon the same
    }
  }

  async #look(signal: AbortSignal, fresh: boolean): Promise<Glimpse> {
    const { source, selectors, clock, reached } = this.#options;
    const at = reached();
    const resourceVersion = this.#later?.reached === at ? this.#later.from : at;
    using looking = scope(signal);
    let iterator: AsyncIterator<readonly WatchEvent<T>[]> | undefined;
    const timer = clock.after(PATIENCE_MS, () => looking.abort());
    try {
      const opening = (async () => source.watch({ ...selectors, resourceVersion, timeoutSeconds: 1 }, { signal: looking.signal, fresh }))();
      const stream = await abortable(opening, looking.signal);
      iterator = stream[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await abortable(iterator.next(), looking.signal);
        if (done) return 'quiet';
        for (const event of value) {
          if (event.type === 'ERROR') throw isStatus(event.object) ? new StatusError(event.object) : new Error('no status');
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
      iterator?.return?.()?.catch(() => {}); // a port that cannot be left has nothing to say any more
    }
  }
}
