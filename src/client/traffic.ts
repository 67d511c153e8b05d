/** What requests have cost so far. Live: read it whenever you like. */
export interface TrafficStats {
  /** Requests made, whatever came of them; what the transport repeats by itself counts once. */
  readonly requests: number;
  /** Bytes of the answers' bodies, after decompression. */
  readonly bytes: number;
  /** Watch events, bookmarks included. */
  readonly events: number;
}

/** Counts, and adds to the total of a wider scope as well. */
export class Traffic implements TrafficStats {
  readonly #total: Traffic | undefined;
  #requests = 0;
  #bytes = 0;
  #events = 0;

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

  add({ requests = 0, bytes = 0, events = 0 }: Partial<TrafficStats>): void {
    this.#requests += requests;
    this.#bytes += bytes;
    this.#events += events;
    this.#total?.add({ requests, bytes, events });
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
    return { requests: this.#requests, bytes: this.#bytes, events: this.#events };
  }
}
