/** Counters of requests and data so far. The values are live: each read gives the present count. */
export interface TrafficStats {
  /** Requests, successful or not. A request that the transport repeats counts once. */
  readonly requests: number;
  /** Bytes of response bodies, after decompression. */
  readonly bytes: number;
  /** Watch events, bookmarks included. */
  readonly events: number;
  /** Objects in lists, counted as they arrive. */
  readonly objects: number;
  /** The number of objects on the remaining pages of the current list. Undefined if the server does not say. */
  readonly remaining: number | undefined;
}

/** Counts the traffic of one scope, and adds it to the total of a wider scope. */
export class TrafficCounter implements TrafficStats {
  readonly #total: TrafficCounter | undefined;
  #requests = 0;
  #bytes = 0;
  #events = 0;
  #objects = 0;
  #remaining: number | undefined;

  constructor(total?: TrafficCounter) {
    this.#total = total;
  }

  get requests(): number {
    return this.#requests;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get events(): number {
    return this.#events;
  }

  get objects(): number {
    return this.#objects;
  }

  get remaining(): number | undefined {
    return this.#remaining;
  }

  add({ requests = 0, bytes = 0, events = 0, objects = 0 }: Partial<Omit<TrafficStats, 'remaining'>>): void {
    this.#requests += requests;
    this.#bytes += bytes;
    this.#events += events;
    this.#objects += objects;
    this.#total?.add({ requests, bytes, events, objects });
  }

  /** Records the number of objects that a page says are on the pages after it. */
  left(remaining: number | undefined): void {
    this.#remaining = remaining;
    this.#total?.left(remaining);
  }

  /**
   * The same body, counted while it is read. `alive` is called with every chunk. `return()` closes the body, also
   * before the first chunk.
   */
  counted(body: AsyncIterable<Uint8Array>, alive?: () => void): AsyncIterableIterator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]();
    return {
      next: async () => {
        const result = await chunks.next();
        if (!result.done) {
          this.add({ bytes: result.value.length });
          alive?.();
        }
        return result;
      },
      return: async () => {
        await chunks.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  toJSON(): TrafficStats {
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      events: this.#events,
      objects: this.#objects,
      remaining: this.#remaining,
    };
  }
}
