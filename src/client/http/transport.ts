/** One request. */
export interface TransportRequest {
  method: string;
  /** Path and query below the server's base URL, beginning with a slash. */
  path: string;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** A response without a foreseeable end (a watch): never held back by the client's rate, never repeated, timed only until its headers. */
  stream?: boolean | undefined;
  /** Makes a connection of its own instead of taking one that was open before, which may be dead without a sign. */
  fresh?: boolean | undefined;
  /** How long the headers of the answer may take, ms. Default 10 s for a stream, else 75 s. */
  headersMs?: number | undefined;
  /**
   * Gives the answer as it is, and at once: not held back by the client's rate, and not repeated when it has a Retry-After (a stream is always
   * so), nor when the connection is reset.
   */
  once?: boolean | undefined;
  /** Called when the server asked, by Retry-After, to wait before the request is repeated. */
  onWait?: ((waitMs: number) => void) | undefined;
}

/** Any answer, whatever its status. */
export interface TransportResponse {
  status: number;
  /** Names in lower case; several values of one name are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** To be read to its end or closed (`return()`); otherwise it holds its connection until the request's signal aborts. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * One request, one answer: all that the rest of the client knows of the network, so that an in-process server fits.
 * Any HTTP status is an answer. Rejects with `transport` when none came, or with the signal's reason when it aborted.
 */
export interface Transport {
  request(init: TransportRequest): Promise<TransportResponse>;
  /** Ends every request that is under way. */
  close(): Promise<void>;
}
