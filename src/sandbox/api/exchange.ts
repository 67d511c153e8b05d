/** A request to the server core, from a socket or from this process. Header names may be in any case. */
export interface ApiRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: Uint8Array | string | undefined;
  /** Aborts when the client is gone. The body of a watch ends then. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The answer of the server core. `body` can be read once. A reader that leaves it early releases everything behind it.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The whole body of an answer. Not for a watch, which does not end. */
export async function bodyBytes({ body }: ApiResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** The whole body of an answer as text. Not for a watch, which does not end. */
export async function bodyText(response: ApiResponse): Promise<string> {
  return Buffer.from(await bodyBytes(response)).toString('utf8');
}

/** A body of one chunk. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
