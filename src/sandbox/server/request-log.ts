import type { ApiRequest } from '../api/exchange.ts';

/** What is remembered of a request: no headers, so no tokens. */
export interface LoggedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly status: number;
}

/** The latest requests are kept, the oldest forgotten. */
const KEPT = 10_000;

/** The requests a server answered, in order. */
export class RequestLog implements Iterable<LoggedRequest> {
  #entries: LoggedRequest[] = [];

  add({ method, path }: ApiRequest, status: number): void {
    this.#entries.push({ method, path, status });
    if (this.#entries.length >= 2 * KEPT) this.#entries = this.#entries.slice(-KEPT);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Those whose path holds a text, or fits a pattern; all of them unless said. */
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
