/** What requests have cost so far. Live: read it whenever you like. */
export interface TrafficStats {
  /** Requests made, whatever came of them; what the transport repeats by itself counts once. */
  readonly requests: number;
  /** Bytes of the answers' bodies, after decompression. */
  readonly bytes: number;
  /** Watch events, bookmarks included. */
  readonly events: number;
  /** Objects of lists, counted as they arrive. */
  readonly objects: number;
  /** How many objects the list under way has beyond those that came; undefined where the server does not tell. */
  readonly remaining: number | undefined;
}

/** Counts, and adds to the total of a wider scope as well. */
export class Traffic implements TrafficStats {
  readonly #total: Traffic | undefined;
  #requests = 0;
  #bytes = 0;
  #events = 0;
  #objects = 0;
  #remaining: number | undefined;

  constructor(total?: Traffic) {
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

  /** What a page says of the pages behind it. */
  left(remaining: number | undefined): void {
    this.#remaining = remaining;
    this.#total?.left(remaining);
  }

  /** The same body, counted as it is read; `alive` hears of every chunk. Closing it closes the body, also before the first chunk. */
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
