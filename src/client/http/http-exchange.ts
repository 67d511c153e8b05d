import { onAbort } from '../../kit/abort.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { causesOf, InformerError } from '../../kit/error.ts';
import { Watchdog } from '../../kit/watchdog.ts';
import { brokenConnection } from './connection-text.ts';
import { gunzipped } from './gzip-body.ts';
import type { RawAnswer, RawBody } from './http-dispatch.ts';
import type { ExchangeObserver } from './server-silence.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** How long an exchange may take, ms. */
export interface ExchangeLimits {
  /** In all; of a stream until its headers. Undefined = no limit. */
  timeoutMs: number | undefined;
  /** Until the headers. */
  headersMs: number;
  /** Between bytes of the body, if it is no stream. */
  idleMs: number;
  clock: Clock;
  observer?: ExchangeObserver | undefined;
}

/** What one exchange holds until its body has ended: a link to the caller's signal, and timers. */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #request: TransportRequest;
  readonly #limits: ExchangeLimits;
  readonly #link: Disposable | undefined;
  readonly #deadline: Timer | undefined;
  readonly #headers: Timer;
  /** Watches while the reader waits for bytes. */
  readonly #silence: Watchdog;
  #hasEnded = false;

  constructor(request: TransportRequest, limits: ExchangeLimits) {
    this.#request = request;
    this.#limits = limits;
    const { signal } = request;
    const { timeoutMs, headersMs, idleMs, clock } = limits;
    limits.observer?.began();
    const hint = 'the server, or a proxy on the way, has stopped in the middle of its answer';
    this.#silence = new Watchdog({ clock, limitMs: idleMs, onSilent: () => this.#giveUp(`no byte for ${idleMs / 1000}s`, hint) });
    this.#headers = clock.after(headersMs, () => this.#giveUp(`no answer within ${headersMs / 1000}s`));
    if (timeoutMs)
      this.#deadline = clock.after(timeoutMs, () =>
        this.#giveUp(`no complete answer within ${timeoutMs / 1000}s`, 'raise --request-timeout', requestTimedOut()),
      );
    this.#link = signal && onAbort(signal, () => this.#breakOff(signal.reason)); // last: it may end what is above at once
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The headers are here. A stream may take its time from now on. */
  answered(): void {
    this.#limits.observer?.heard();
    this.#headers.cancel();
    if (this.#request.stream) this.#deadline?.cancel();
  }

  /** The reader wants bytes. While it is busy with those it has, silence is not the server's. */
  waits(): void {
    if (!this.#hasEnded && !this.#request.stream) this.#silence.watch();
  }

  heard(): void {
    this.#limits.observer?.heard();
    this.#silence.rest();
  }

  /** Lets go of the signal and the timers, at once. */
  end(): void {
    if (!this.#hasEnded) this.#limits.observer?.ended();
    this.#hasEnded = true;
    this.#deadline?.cancel();
    this.#headers.cancel();
    this.#silence[Symbol.dispose]();
    this.#link?.[Symbol.dispose]();
  }

  /** Why the exchange was broken off by us, if it was: the caller's own reason, or a limit. */
  get abortReason(): unknown {
    if (this.#request.signal?.aborted) return this.#request.signal.reason;
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  #giveUp(what: string, hint?: string, cause: Error = timedOut()): void {
    const { method, path } = this.#request;
    this.#breakOff(new InformerError('transport', `${method} ${path.split('?', 1)[0]}: ${what}`, { cause, hint }));
  }

  /** Ends before anybody hears of it: whoever waits for the abort finds no timer left. */
  #breakOff(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}

const REQUEST_TIMEOUT: unique symbol = Symbol('request timeout');

function requestTimedOut(): Error {
  return Object.assign(timedOut(), { [REQUEST_TIMEOUT]: true });
}

/** Whether a request took longer than the limit the user set for each (`--request-timeout`). */
export function isRequestTimeout(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => REQUEST_TIMEOUT in (cause as object));
}

function timedOut(): Error {
  return Object.assign(new Error('request timed out'), { code: 'ETIMEDOUT' });
}

/** undici's answer in our terms; its body ends the exchange. */
export function answerOf({ status, headers, body }: RawAnswer, exchange: Exchange, origin: string): TransportResponse {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  const source = flat['content-encoding'] === 'gzip' ? gunzipped(body) : body;
  return { status, headers: flat, body: new ResponseBody(source, exchange, origin) };
}

/** The body's chunks; ends its exchange when read to the end, broken or returned early. */
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
      this.#exchange.heard();
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
