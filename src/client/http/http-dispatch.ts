import { yieldToEventLoop } from '../../kit/clock.ts';

/** When this many bytes wait for the reader, the connection is paused. */
const MOST_WAITING = 256 * 1024;

/**
 * A kube-apiserver sends a list in pieces of 2 kB. Once a body has had more bytes than this, its reader is woken at the
 * end of the turn of the event loop, so that it is called once for all pieces that the socket had.
 */
const LONG = 128 * 1024;
/** Pieces smaller than this are joined … */
const SMALL = 16 * 1024;
/** … into pieces of at most this many bytes. */
const TOGETHER = 64 * 1024;

/** One request to send over a connection. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | null;
  /** Whether to open a new connection. */
  readonly fresh?: boolean;
}

/** A response: its status, headers and body. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: RawBody;
}

/** The flow control of a connection, used by the reader of a body. */
export interface Flow {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The chunks of a body as they arrive; small ones are joined. Only one `next()` may be pending at a time. */
export class RawBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes that have arrived so far. */
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

  /** Drops unread chunks, and breaks the connection unless the body has ended. The reader gets the reason. */
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
      while (count < chunks.length && length + (chunks[count]?.length ?? 0) <= TOGETHER)
        length += chunks[count++]?.length ?? 0;
    this.#bytes -= length;
    return count === 1 ? (chunks.shift() as Uint8Array) : Buffer.concat(chunks.splice(0, count), length);
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#flow?.paused) this.#flow.resume();
    });
  }

  /** Wakes the reader at the end of this turn of the event loop, unless it is woken before. */
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
