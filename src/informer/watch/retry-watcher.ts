import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { KNOWN_SELECTORS, type Selectors } from '../../model/list-options.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { failure, isForbidden, isUnauthorized, type Status, StatusError, statusOf } from '../../model/status.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { DEFAULT_IDLE_MS, WatchConnection } from './watch-connection.ts';
import { askedPauseMs } from './watch-fault.ts';

export interface RetryWatchOptions {
  /** Where to begin: the version of an object or list. Not '' and not '0': a watch from nowhere begins with a state, not with changes. */
  resourceVersion: ResourceVersion;
  signal: AbortSignal;
  selectors?: Selectors | undefined;
  /** Silence after which a stream is taken for dead. Default 150 s; Infinity = never. */
  idleMs?: number | undefined;
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  resourceVersion: true,
  signal: 'signal',
  selectors: KNOWN_SELECTORS,
  idleMs: 'number',
  clock: true,
} satisfies KnownOptionsOf<RetryWatchOptions>;

/** The least time between the starts of two watches. */
const BETWEEN_STARTS_MS = 1000;

/**
 * A watch that outlives its connections: every change after a version, once and in order, with no cache and no list.
 *
 * It goes on over broken and silent streams, refused connections and server errors. It ends with an ERROR event where going on would be
 * wrong: 410 in the stream (the history is gone; only a list helps), 401 and 403, an event without a version or of an unknown type.
 * Bookmarks are used and not passed on. Ends when the signal aborts. Throws `argument` for a version it cannot begin at.
 * Source: client-go tools/watch/retrywatcher.go.
 */
export function retryWatch<T>(source: ListerWatcher<T>, options: RetryWatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
  checkOptions('retryWatch', options, KNOWN_OPTIONS);
  const { resourceVersion } = options;
  if (resourceVersion === '' || resourceVersion === '0') {
    throw new InformerError('argument', `initial RV "${resourceVersion}" is not supported due to issues with underlying WATCH`);
  }
  return new RetryWatch(source, options).run();
}

/** What comes after an event or the end of a stream. */
type Next = { readonly kind: 'on' } | { readonly kind: 'again'; readonly afterMs: number } | { readonly kind: 'end' };
const ON: Next = { kind: 'on' };
const END: Next = { kind: 'end' };
const AGAIN: Next = { kind: 'again', afterMs: 0 };

class RetryWatch<T> {
  readonly #source: ListerWatcher<T>;
  readonly #options: RetryWatchOptions;
  readonly #clock: Clock;
  #resourceVersion: ResourceVersion;

  constructor(source: ListerWatcher<T>, options: RetryWatchOptions) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#resourceVersion = options.resourceVersion;
  }

  async *run(): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const startedAt = this.#clock.monotonic();
      const next = yield* this.#watchOnce();
      if (next.kind !== 'again') return;
      const least = startedAt + BETWEEN_STARTS_MS - this.#clock.monotonic();
      await this.#clock.sleep(Math.max(least, next.afterMs, 0), { signal }).catch(() => {}); // an abort is seen at the top
    }
  }

  async *#watchOnce(): AsyncGenerator<WatchEvent<T>, Next, undefined> {
    const { signal, selectors, idleMs = DEFAULT_IDLE_MS } = this.#options;
    let connection: WatchConnection<T> | undefined;
    try {
      const request = { ...selectors, resourceVersion: this.#resourceVersion, allowWatchBookmarks: true };
      connection = await WatchConnection.open(this.#source, request, { signal, clock: this.#clock, idleMs });
      for (let batch = await connection.read(); batch; batch = await connection.read()) {
        for (const event of batch) {
          const [next, told] = this.#judge(event);
          if (told) yield told;
          if (next.kind !== 'on') return next;
        }
      }
      return AGAIN;
    } catch (error) {
      if (signal.aborted) return END;
      const status = isUnauthorized(error) || isForbidden(error) ? statusOf(error) : undefined;
      if (!status) return { kind: 'again', afterMs: askedPauseMs(error) };
      yield { type: 'ERROR', object: status };
      return END;
    } finally {
      connection?.close();
    }
  }

  /** What an event means for what comes next, and what is passed on of it. */
  #judge(event: WatchEvent<T>): [Next, WatchEvent<T> | undefined] {
    const { type, object } = event;
    switch (type) {
      case 'ERROR':
        return object.code === 410 ? [END, event] : [{ kind: 'again', afterMs: askedPauseMs(new StatusError(object)) }, undefined];
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
      case 'BOOKMARK': {
        const version = hasMetadata(object) ? object.metadata.resourceVersion : undefined;
        if (!version) return [END, errorEvent(`a ${type} event has no resourceVersion`)];
        this.#resourceVersion = version;
        return [ON, type === 'BOOKMARK' ? undefined : event];
      }
      default:
        return [END, errorEvent(`the server sent an event of the unknown type ${JSON.stringify(type)}`)];
    }
  }
}

function errorEvent(message: string): { type: 'ERROR'; object: Status } {
  return { type: 'ERROR', object: failure(500, 'InternalError', message) };
}
