import type { Dispatcher } from 'undici';
import { yieldToEventLoop } from '../../kit/clock.ts';

/** So many bytes may wait for their reader before the server is told to. */
const MOST_WAITING = 256 * 1024;

/**
 * A kube-apiserver sends a list in pieces of 2 kB. Once a body has had more bytes than this, its reader waits for the end of the turn of the
 * event loop, so that it is called once for all the pieces that the socket had.
 */
const LONG = 128 * 1024;
/** Pieces smaller than this are put together … */
const SMALL = 16 * 1024;
/** … to at most this many bytes. */
const TOGETHER = 64 * 1024;

/** One request, as a connection takes it. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | null;
  /** Whether no connection may be used that was open before, where that can be chosen. */
  readonly fresh?: boolean;
}

/** Pooled connections to one server. */
export interface Connections {
  /**
   * Sends one request. The signal is to be this request's own. Resolves with the answer's headers; rejects with what broke the connection
   * before them, or at once with the signal's reason.
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<RawAnswer>;
  /** Lets what is open run to its end; resolves when nothing is left. */
  close(): Promise<void>;
  /** Breaks everything off. */
  destroy(reason: Error): Promise<void>;
}

/** An answer's headers, and its body. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: RawBody;
}

/** Connections through a proxy, made by undici. Chunks come off the socket as they are, without the stream that its own `request` puts between. */
export class ProxiedConnections implements Connections {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;

  constructor(dispatcher: Dispatcher, origin: string) {
    this.#dispatcher = dispatcher;
    this.#origin = origin;
  }

  send(request: HttpRequest, signal: AbortSignal): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const body = new RawBody();
      const aborted = () => {
        body.abort(signal.reason);
        reject(signal.reason);
      };
      if (signal.aborted) return aborted();
      signal.addEventListener('abort', aborted, { once: true });
      const { fresh = false, ...plain } = request;
      const options = { ...plain, reset: fresh, origin: this.#origin, method: request.method as Dispatcher.HttpMethod };
      this.#dispatcher.dispatch(options, {
        onRequestStart: (controller) => body.begin(controller),
        onResponseStart(_, status, headers) {
          if (status >= 200) resolve({ status, headers, body });
        },
        onResponseData: (_, chunk) => body.push(chunk),
        onResponseEnd: () => body.end(),
        onResponseError(_, error) {
          body.end({ error });
          reject(error);
        },
      });
    });
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  destroy(reason: Error): Promise<void> {
    return this.#dispatcher.destroy(reason);
  }
}

/** How a body's reader steers its connection. */
export interface Flow {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The chunks of a body as they came, small ones together. To be asked for one at a time. */
export class RawBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes that have come so far. */
  #total = 0;
  #soon: symbol | undefined;
  #wake: (() => void) | undefined;
  #flow: Flow | undefined;
  #end: { error?: unknown } | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (this.#chunks.length === 0 && !this.#end) await this.#arrival();
    if (this.#chunks.length > 0) return { done: false, value: this.#take() };
    if (this.#end && 'error' in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.abort(new Error('the body is not wanted any more'));
  }

  /** Lets go of the connection, unless the body has ended, and of what has come; a reader hears why. */
  abort(reason: Error): void {
    const hasEnded = this.#end !== undefined;
    this.#chunks.length = 0;
    this.#end = { error: reason };
    if (!hasEnded) this.#flow?.abort(reason);
    this.#woken();
  }

  begin(flow: Flow): void {
    this.#flow = flow;
    if (this.#end && 'error' in this.#end) flow.abort(this.#end.error as Error);
  }

  push(chunk: Uint8Array): void {
    if (this.#end) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#total += chunk.length;
    if (this.#bytes >= MOST_WAITING) this.#flow?.pause();
    if (this.#total < LONG || this.#bytes >= TOGETHER) this.#woken();
    else if (!this.#soon) this.#wakeSoon();
  }

  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    this.#woken();
  }

  #take(): Uint8Array {
    const chunks = this.#chunks;
    let count = 1;
    let length = chunks[0]?.length ?? 0;
    if (length < SMALL)
      while (count < chunks.length && length + (chunks[count]?.length ?? 0) <= TOGETHER) length += chunks[count++]?.length ?? 0;
    this.#bytes -= length;
    return count === 1 ? (chunks.shift() as Uint8Array) : Buffer.concat(chunks.splice(0, count), length);
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#flow?.paused) this.#flow.resume();
    });
  }

  /** At the end of this turn of the event loop, unless something wakes the reader before. */
  #wakeSoon(): void {
    const soon = Symbol('soon');
    this.#soon = soon;
    void yieldToEventLoop().then(() => {
      if (this.#soon === soon) this.#woken();
    });
  }

  #woken(): void {
    this.#soon = undefined;
    this.#wake?.();
    this.#wake = undefined;
  }
}
