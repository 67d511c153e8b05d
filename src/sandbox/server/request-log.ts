import { InformerError } from '../../kit/error.ts';
import { checkOptions } from '../../kit/known-options.ts';
import type { ApiRequest } from '../api/exchange.ts';

/** A request in the log. It has no headers, so no tokens. */
export interface LoggedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly status: number;
}

/** At least this many of the latest requests of each sort are kept, at most twice as many. */
const KEPT = { reads: 10_000, writes: 50_000 };

interface Entry {
  readonly request: LoggedRequest;
  /** The position among all requests since the start. */
  readonly position: number;
}

/**
 * The requests that a server has answered, in order. It keeps the latest 10,000 reads and the latest 50,000 writes, at
 * least; a read is a GET or a HEAD. {@link dropped} counts the older ones. Iteration goes over the requests that are
 * kept.
 */
export class RequestLog implements Iterable<LoggedRequest> {
  readonly #reads = new LatestEntries(KEPT.reads);
  readonly #writes = new LatestEntries(KEPT.writes);
  #count = 0;

  add({ method, path }: ApiRequest, status: number): void {
    const request = { method, path, status };
    (isRead(request) ? this.#reads : this.#writes).add({ request, position: this.#count++ });
  }

  /** The number of requests that are kept. */
  get size(): number {
    return this.#count - this.dropped;
  }

  /** The number of requests since the start, or since {@link clear}, that are no longer kept. */
  get dropped(): number {
    return this.#reads.dropped + this.#writes.dropped;
  }

  /**
   * The requests whose path contains a text or matches a pattern. Default: all requests. `writes: true` leaves out reads.
   *
   * Throws `argument` when requests were dropped that could be in the result, because the result would lack them. A test
   * that runs for long calls {@link clear} before the part that it is about, or reads writes only.
   */
  matching(path: string | RegExp = '', options: { writes?: boolean } = {}): LoggedRequest[] {
    checkOptions('matching', options, { writes: 'boolean' });
    const { writes = false } = options;
    const dropped = this.#writes.dropped + (writes ? 0 : this.#reads.dropped);
    if (dropped > 0) throw forgotten(dropped, writes);
    const kept = writes ? this.#writes.requests() : [...this];
    return kept.filter((r) => (typeof path === 'string' ? r.path.includes(path) : r.path.search(path) >= 0));
  }

  clear(): void {
    this.#reads.clear();
    this.#writes.clear();
    this.#count = 0;
  }

  *[Symbol.iterator](): Iterator<LoggedRequest> {
    const writes = [...this.#writes];
    let next = 0;
    for (const read of [...this.#reads]) {
      for (; (writes[next]?.position ?? Number.POSITIVE_INFINITY) < read.position; next++)
        yield (writes[next] as Entry).request;
      yield read.request;
    }
    for (const { request } of writes.slice(next)) yield request;
  }
}

function isRead({ method }: LoggedRequest): boolean {
  return ['GET', 'HEAD'].includes(method.toUpperCase());
}

function forgotten(dropped: number, writes: boolean): InformerError {
  const sort = writes ? 'writes' : 'requests';
  return new InformerError('argument', `the log of requests no longer has the first ${dropped} ${sort}`, {
    hint: `call requests.clear() before the part that is tested${writes ? '' : ', or ask for { writes: true }'}`,
  });
}

/** The latest entries: at least `kept`, at most twice as many. */
class LatestEntries implements Iterable<Entry> {
  readonly #kept: number;
  #entries: Entry[] = [];
  #dropped = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length < 2 * this.#kept) return;
    this.#dropped += this.#entries.length - this.#kept;
    this.#entries = this.#entries.slice(-this.#kept);
  }

  requests(): LoggedRequest[] {
    return this.#entries.map(({ request }) => request);
  }

  clear(): void {
    this.#entries = [];
    this.#dropped = 0;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries[Symbol.iterator]();
  }
}
