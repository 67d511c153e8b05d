import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { surroundingsOf } from '../../kit/surroundings.ts';
import { KNOWN_SELECTORS, type Selectors } from '../../model/list-options.ts';
import { hasMetadata } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { failure, isForbidden, isUnauthorized, type Status, StatusError, statusOf } from '../../model/status.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { DEFAULT_IDLE_MS } from './reflector-options.ts';
import { WatchConnection } from './watch-connection.ts';
import { askedPauseMs } from './watch-fault.ts';

/** Options of {@link retryWatch}. */
export interface RetryWatchOptions {
  /**
   * The version of an object or list to start from. Not '' and not '0', because a watch from there begins with a state,
   * not with changes.
   */
  resourceVersion: ResourceVersion;
  signal: AbortSignal;
  selectors?: Selectors | undefined;
  /** Silence after which a stream counts as dead, ms. Default 150 s; Infinity: never. */
  idleMs?: number | undefined;
  clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  resourceVersion: true,
  signal: 'signal',
  selectors: KNOWN_SELECTORS,
  idleMs: 'number',
  clock: 'clock',
} satisfies KnownOptionsOf<RetryWatchOptions>;

/** The shortest time between the starts of two watches, ms. */
const BETWEEN_STARTS_MS = 1000;

/**
 * A watch that outlives its connections: every change after a version, once and in order, without a cache and without a
 * list.
 * It continues after broken and silent streams, refused connections and server errors. It ends with an ERROR event
 * where continuing would be wrong: on 410 in the stream (the history is gone, and only a list helps), on 401 and 403,
 * and on an event without a version or of an unknown type.
 * Bookmarks are used and not passed on. The watch ends when the signal aborts. Throws `argument` for a version from
 * which it cannot start.
 * Source: client-go tools/watch/retrywatcher.go.
 */
export function retryWatch<T>(
  source: ListerWatcher<T>,
  options: RetryWatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  checkOptions('retryWatch', options, KNOWN_OPTIONS);
  const { resourceVersion } = options;
  if (resourceVersion === '' || resourceVersion === '0') {
    throw new InformerError(
      'argument',
      `initial RV "${resourceVersion}" is not supported due to issues with underlying WATCH`,
    );
  }
  return new RetryWatch(source, options).run();
}

/** The next step after an event or after the end of a stream. */
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
    this.#clock = options.clock ?? surroundingsOf(source).clock ?? systemClock;
    this.#resourceVersion = options.resourceVersion;
  }

  async *run(): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const startedAt = this.#clock.monotonic();
      const next = yield* this.#watchOnce();
      if (next.kind !== 'again') return;
      const least = startedAt + BETWEEN_STARTS_MS - this.#clock.monotonic();
      // the loop checks for an abort
      await this.#clock.sleep(Math.max(least, next.afterMs, 0), { signal }).catch(() => {});
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
          const [next, passedOn] = this.#judge(event);
          if (passedOn) yield passedOn;
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

  /** The next step after an event, and the event to pass on, if any. */
  #judge(event: WatchEvent<T>): [Next, WatchEvent<T> | undefined] {
    const { type, object } = event;
    switch (type) {
      case 'ERROR':
        return object.code === 410
          ? [END, event]
          : [{ kind: 'again', afterMs: askedPauseMs(new StatusError(object)) }, undefined];
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
