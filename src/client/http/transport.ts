/** One request. */
export interface TransportRequest {
  method: string;
  /** Path and query, relative to the server's base URL. Begins with a slash. */
  path: string;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Whether the response is a stream without a foreseeable end (a watch). Such a request does not wait for the
   * client's rate limit and is not repeated. Time limits apply only until its headers.
   */
  stream?: boolean | undefined;
  /** Whether a stream may be compressed, as any other response may. For one that begins with a list. */
  compressed?: boolean | undefined;
  /** Whether to open a new connection. A connection that was open before may be dead without a sign. */
  fresh?: boolean | undefined;
  /** Time limit for the headers of the response, ms. Default 10 s for a stream, else 75 s. */
  headersMs?: number | undefined;
  /**
   * Whether to send the request exactly once, without waiting for the client's rate limit. It is repeated neither
   * after a response with Retry-After nor after a reset connection.
   */
  once?: boolean | undefined;
  /** Whether the request does not wait for the client's rate limit, because it would come too late. */
  urgent?: boolean | undefined;
  /** Called before the request is repeated after the time that the server's Retry-After asks for. */
  onWait?: ((waitMs: number) => void) | undefined;
  /**
   * Called directly before each time that the request is sent, also before a repetition. What it throws ends the
   * request, and nothing more is sent.
   */
  permit?: (() => void) | undefined;
}

/** A response with any HTTP status. */
export interface TransportResponse {
  status: number;
  /** The names are in lower case. Several values of one name are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** Must be read to its end or closed (`return()`). Otherwise it keeps its connection until the signal aborts. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends requests to one server. This is all that the rest of the client knows of the network, so an in-process server
 * can take its place.
 */
export interface Transport {
  /**
   * Resolves with a response of any HTTP status. Rejects with `transport` if there was no response, or with the
   * signal's reason if it aborted.
   */
  request(init: TransportRequest): Promise<TransportResponse>;
  /** Aborts all open requests. */
  close(): Promise<void>;
}
