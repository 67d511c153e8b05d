import type { ApiRequest } from '../api/exchange.ts';

/** A request in the log. It has no headers, so no tokens. */
export interface LoggedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly status: number;
}

/** At least this many of the latest requests are kept, at most twice as many. */
const KEPT = 10_000;

/** The requests that a server has answered, in order. */
export class RequestLog implements Iterable<LoggedRequest> {
  #entries: LoggedRequest[] = [];

  add({ method, path }: ApiRequest, status: number): void {
    this.#entries.push({ method, path, status });
    if (this.#entries.length >= 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The requests whose path contains a text or matches a pattern. Default: all requests. */
  matching(path: string | RegExp = ''): LoggedRequest[] {
    return this.#entries.filter((e) => (typeof path === 'string' ? e.path.includes(path) : path.test(e.path)));
  }

  clear(): void {
    this.#entries = [];
  }

  [Symbol.iterator](): Iterator<LoggedRequest> {
    return this.#entries[Symbol.iterator]();
  }
}
