import { onAbort } from '../../kit/abort.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { causesOf, InformerError } from '../../kit/error.ts';
import { Watchdog } from '../../kit/watchdog.ts';
import { brokenConnection } from './connection-text.ts';
import { gunzipped } from './gzip-body.ts';
import type { RawAnswer, RawBody } from './http-dispatch.ts';
import type { ExchangeObserver } from './one-shot-silence.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** The time limits of an exchange, ms. */
export interface ExchangeLimits {
  /** For the whole exchange; for a stream until its headers. Undefined = no limit. */
  timeoutMs: number | undefined;
  /** Until the headers of the response. */
  headersMs: number;
  /** Between two pieces of the body. Not applied to a stream. */
  idleMs: number;
  clock: Clock;
  observer?: ExchangeObserver | undefined;
}

/**
 * One request and its response: applies the time limits and the caller's signal until the body has ended. Then it
 * keeps no timer and no listener.
 */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #request: TransportRequest;
  readonly #limits: ExchangeLimits;
  readonly #link: Disposable | undefined;
  readonly #deadline: Timer | undefined;
  readonly #headers: Timer;
  /** Runs only while the reader waits for bytes. */
  readonly #silence: Watchdog;
  #hasEnded = false;
  /** The reader has a piece of the body, and has not asked for the next one. */
  #isResting = false;

  constructor(request: TransportRequest, limits: ExchangeLimits) {
    this.#request = request;
    this.#limits = limits;
    const { signal } = request;
    const { timeoutMs, headersMs, idleMs, clock } = limits;
    limits.observer?.started();
    const hint = 'the server, or a proxy on the way, has stopped in the middle of its answer';
    this.#silence = new Watchdog({
      clock,
      limitMs: idleMs,
      onSilent: () => this.#giveUp(`no byte for ${idleMs / 1000}s`, hint),
    });
    this.#headers = clock.after(headersMs, () => this.#giveUp(`no answer within ${headersMs / 1000}s`));
    if (timeoutMs)
      this.#deadline = clock.after(timeoutMs, () =>
        this.#giveUp(`no complete answer within ${timeoutMs / 1000}s`, 'raise `requestTimeout`', requestTimedOut()),
      );
    // last: an aborted signal ends the timers above at once
    this.#link = signal && onAbort(signal, () => this.#breakOff(signal.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Called when the headers have arrived. A stream has no time limit from then on. */
  answered(): void {
    this.#limits.observer?.received();
    this.#headers.cancel();
    if (this.#request.stream) this.#deadline?.cancel();
  }

  /** Called when the reader starts to wait for bytes. The time that a reader needs for its own work does not count. */
  waits(): void {
    this.#awake();
    if (!this.#hasEnded && !this.#request.stream) this.#silence.watch();
  }

  /** Called when a piece of the body, or its end, has arrived. */
  received(): void {
    this.#limits.observer?.received();
    this.#silence.rest();
    if (this.#hasEnded || this.#isResting) return;
    this.#isResting = true;
    this.#limits.observer?.rests();
  }

  #awake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#limits.observer?.waits();
  }

  /** Releases the signal and the timers. */
  end(): void {
    this.#awake();
    if (!this.#hasEnded) this.#limits.observer?.ended();
    this.#hasEnded = true;
    this.#deadline?.cancel();
    this.#headers.cancel();
    this.#silence[Symbol.dispose]();
    this.#link?.[Symbol.dispose]();
  }

  /** Why this client aborted the exchange: the caller's own reason, or a time limit. Undefined if it did not. */
  get abortReason(): unknown {
    if (this.#request.signal?.aborted) return this.#request.signal.reason;
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  #giveUp(what: string, hint?: string, cause: Error = timedOut()): void {
    const { method, path } = this.#request;
    this.#breakOff(new InformerError('transport', `${method} ${path.split('?', 1)[0]}: ${what}`, { cause, hint }));
  }

  /** Releases everything before it aborts, so that listeners of the abort find no timer left. */
  #breakOff(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}

const REQUEST_TIMEOUT: unique symbol = Symbol('request timeout');

function requestTimedOut(): Error {
  return Object.assign(timedOut(), { [REQUEST_TIMEOUT]: true });
}

/** Whether a request took longer than the user's limit for one request (`--request-timeout`). */
export function isRequestTimeout(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => REQUEST_TIMEOUT in (cause as object));
}

function timedOut(): Error {
  return Object.assign(new Error('request timed out'), { code: 'ETIMEDOUT' });
}

/** The response of the transport for a raw answer. The end of its body ends the exchange. */
export function answerOf({ status, headers, body }: RawAnswer, exchange: Exchange, origin: string): TransportResponse {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  const source = flat['content-encoding'] === 'gzip' ? gunzipped(body) : body;
  return { status, headers: flat, body: new ResponseBody(source, exchange, origin) };
}

/** The chunks of a body. The exchange ends when the body is read to its end, breaks, or is returned early. */
class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #source: RawBody;
  readonly #exchange: Exchange;
  readonly #origin: string;
  #returned = false;

  constructor(source: RawBody, exchange: Exchange, origin: string) {
    this.#source = source;
    this.#exchange = exchange;
    this.#origin = origin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      this.#exchange.waits();
      const result = await this.#source.next();
      this.#exchange.received();
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
    this.#source.close();
    return { done: true, value: undefined };
  }
}
