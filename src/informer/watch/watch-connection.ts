import { abortable, type Scope, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Watchdog } from '../../kit/watchdog.ts';
import type { WatchOptions } from '../../model/list-options.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ListerWatcher } from './lister-watcher.ts';

export type Batch<T> = readonly WatchEvent<T>[];

/**
 * The yield of a stream: the number of events and bookmarks that counted, and its duration. The duration begins with the
 * first read: what was asked or checked before says nothing about the stream. A failed request has none.
 */
export interface Life {
  readonly events: number;
  readonly ms: number;
}

/** Nothing came for so long that the connection counts as dead. */
class IdleWatchError extends InformerError {
  constructor(message: string) {
    super('watch', message);
  }
}

export const idleWatch = (message: string): InformerError => new IdleWatchError(message);

export const isIdleWatch = (error: unknown): boolean => error instanceof IdleWatchError;

export interface ConnectOptions {
  signal: AbortSignal;
  clock: Clock;
  /** Silence after which a read fails, ms. Infinity: never. */
  idleMs: number;
  /** Use no connection that is already open. */
  fresh?: boolean | undefined;
}

/**
 * One watch from its request to its end. `close()` releases everything that it uses: the source's iterator, the idle
 * timer and its listeners.
 * Time between two reads is the reader's, and does not count as the server's silence.
 */
export class WatchConnection<T> {
  readonly #scope: Scope;
  readonly #clock: Clock;
  #firstReadAt: number | undefined;
  #iterator: AsyncIterator<Batch<T>> | undefined;
  #unread: Batch<T> | undefined;
  /** Runs while a read waits for the server. */
  readonly #watchdog: Watchdog;
  /** The number of events and bookmarks that counted. The reader updates it. */
  events = 0;
  /** When the last batch arrived, on the monotonic clock. */
  lastReadAt: number;

  private constructor({ signal, clock, idleMs }: ConnectOptions) {
    this.#scope = scope(signal);
    this.#clock = clock;
    this.lastReadAt = clock.monotonic();
    const onSilent = () =>
      this.fail(idleWatch(`no event and no bookmark for ${idleMs / 1000}s; the stream is considered dead`));
    this.#watchdog = new Watchdog({ clock, limitMs: idleMs, onSilent });
  }

  /** Resolves when the server has accepted the watch. Errors of the source are passed on. */
  static async open<T>(
    source: ListerWatcher<T>,
    options: WatchOptions,
    connect: ConnectOptions,
  ): Promise<WatchConnection<T>> {
    const connection = new WatchConnection<T>(connect);
    const { signal } = connection.#scope;
    const watching = (async () => source.watch(options, { signal, ...(connect.fresh ? { fresh: true } : {}) }))();
    try {
      connection.#iterator = (await connection.#patiently(() => abortable(watching, signal)))[Symbol.asyncIterator]();
      return connection;
    } catch (error) {
      connection.close();
      // the source may still answer after we have given up
      watching.then((late) => release(late[Symbol.asyncIterator]())).catch(ignore);
      throw error;
    }
  }

  get life(): Life {
    const now = this.#clock.monotonic();
    return { events: this.events, ms: now - (this.#firstReadAt ?? now) };
  }

  /** How long the reader has been waiting for the server, ms; 0 while it is busy. */
  get silentMs(): number {
    return this.#watchdog.silentMs;
  }

  /**
   * The next batch; undefined when the server closed gracefully. Throws on an error, on silence, and the error given to
   * `fail`.
   */
  async read(): Promise<Batch<T> | undefined> {
    this.#firstReadAt ??= this.#clock.monotonic();
    if (this.#unread) {
      const batch = this.#unread;
      this.#unread = undefined;
      return batch;
    }
    const { signal } = this.#scope;
    const iterator = this.#iterator as AsyncIterator<Batch<T>>;
    const result = await this.#patiently(() => abortable(iterator.next(), signal));
    this.lastReadAt = this.#clock.monotonic();
    return result.done ? undefined : result.value;
  }

  /** Returns the unused rest of the last batch. The next `read` yields it. */
  unread(rest: Batch<T>): void {
    if (rest.length > 0) this.#unread = rest;
  }

  /** Ends the connection from our side. The current or next `read` throws `error`. */
  fail(error: unknown): void {
    this.#scope.abort(error);
  }

  close(): void {
    this.#watchdog[Symbol.dispose]();
    this.#scope[Symbol.dispose]();
    if (this.#iterator) release(this.#iterator);
  }

  async #patiently<R>(wait: () => Promise<R>): Promise<R> {
    this.#watchdog.watch();
    try {
      return await wait();
    } finally {
      this.#watchdog.rest();
    }
  }
}

/** Closes an iterator without waiting, because it may be stuck in a read. */
function release(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.()?.catch(ignore);
  } catch {
    // an error while closing does not matter any more
  }
}

function ignore(): void {}
