import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { onAbort } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { brokenConnection } from './connection-text.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** What one exchange holds until its body has ended: a link to the caller's signal, and a timer. */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #link: Disposable | undefined;
  readonly #timer: Disposable | undefined;

  constructor({ signal, method, path }: TransportRequest, { timeoutMs, clock }: { timeoutMs: number | undefined; clock: Clock }) {
    this.#callerSignal = signal;
    this.#link = signal && onAbort(signal, () => this.#controller.abort(signal.reason));
    if (!timeoutMs) return;
    this.#timer = clock.after(timeoutMs, () => {
      const message = `${method} ${path.split('?', 1)[0]}: no complete answer within ${timeoutMs / 1000}s`;
      this.#controller.abort(new InformerError('transport', message, { cause: timedOut(), hint: 'raise --request-timeout' }));
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
  }

  end(): void {
    this.stopTimer();
    this.#link?.[Symbol.dispose]();
  }

  /** Why the exchange was broken off by us, if it was: the caller's own reason, or the timeout. */
  get abortReason(): unknown {
    if (this.#callerSignal?.aborted) return this.#callerSignal.reason;
    return this.signal.aborted ? this.signal.reason : undefined;
  }
}

function timedOut(): Error {
  return Object.assign(new Error('request timed out'), { code: 'ETIMEDOUT' });
}

/** undici's answer in our terms; its body ends the exchange. */
export function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData, exchange: Exchange, origin: string): TransportResponse {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return { status: statusCode, headers: flat, body: new ResponseBody(inflated(body, flat['content-encoding']), exchange, origin) };
}

function inflated(body: Readable, encoding: string | undefined): Readable {
  if (encoding !== 'gzip') return body;
  return pipeline(body, createGunzip(), () => {}); // an error of either comes out of the result
}

/** The body's chunks; ends its exchange when read to the end, broken or returned early. */
class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #source: Readable;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #exchange: Exchange;
  readonly #origin: string;
  #returned = false;

  constructor(source: Readable, exchange: Exchange, origin: string) {
    this.#source = source;
    this.#chunks = source[Symbol.asyncIterator]();
    this.#exchange = exchange;
    this.#origin = origin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const result = await this.#chunks.next();
      if (result.done) this.#exchange.end();
      return result;
    } catch (error) {
      this.#exchange.end();
      if (this.#returned) return { done: true, value: undefined };
      throw this.#exchange.abortReason ?? brokenConnection(error, this.#origin);
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#returned = true;
    this.#exchange.end();
    this.#source.on('error', () => {}); // it is told that it was cut short; we did that
    this.#source.destroy();
    return { done: true, value: undefined };
  }
}
