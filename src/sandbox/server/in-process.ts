import { onAbort, scope } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { type Random, seededRandom } from '../../kit/random.ts';
import type { ApiRequest, ApiResponse } from '../api/exchange.ts';

export interface InProcessOptions {
  /** What the sizes of the chunks come from; the sandbox's own seed unless said. */
  readonly seed?: number | undefined;
  /** The longest chunk, in bytes, at least 1. Unless said most come whole, and some in bits, down to single bytes. */
  readonly chunkBytes?: number | undefined;
  /** The token that requests carry; none unless said, which makes them the administrator's. */
  readonly token?: string | undefined;
}

/** Requests in, answers out, without a socket. Fits the client's `Transport` by shape. */
export interface InProcessTransport {
  request(init: ApiRequest): Promise<ApiResponse>;
  /** Breaks every request that is under way; later ones are refused. */
  close(): Promise<void>;
}

type Body = AsyncGenerator<Uint8Array, void, void>;

/**
 * A transport to a server in this process.
 *
 * Promises: bodies come in chunks of other sizes than they were made in, drawn per request, so that requests which overlap do not change
 * each other's; with the same seed and a clock that is moved by hand, the same requests give the same bytes in the same chunks. Rejects as
 * a client does: with `transport` when the connection fails, with the signal's reason when that aborts. Nothing is compressed.
 * Throws `argument` on a chunk size that is none.
 */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  options: InProcessOptions & { seed: number },
): InProcessTransport {
  const { seed, chunkBytes, token } = options;
  if (chunkBytes !== undefined && !(Number.isInteger(chunkBytes) && chunkBytes > 0)) {
    throw new InformerError('argument', `chunkBytes is ${chunkBytes}`, { hint: 'give a whole number of bytes, at least 1' });
  }
  const random = seededRandom(seed);
  const life = new AbortController();
  return {
    request: (init) => exchange(handle, withToken(init, token), life.signal, seededRandom(random() * 2 ** 32), chunkBytes),
    close: async () => life.abort(),
  };
}

async function exchange(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  init: ApiRequest,
  life: AbortSignal,
  random: Random,
  chunkBytes: number | undefined,
): Promise<ApiResponse> {
  init.signal?.throwIfAborted();
  if (life.aborted) throw new InformerError('transport', `${what(init)}: the transport is closed`);
  const linked = scope(life);
  const gone = init.signal && onAbort(init.signal, () => linked.abort());
  const release = () => {
    gone?.[Symbol.dispose]();
    linked[Symbol.dispose]();
  };
  try {
    const response = await handle({ ...init, headers: uncompressed(init.headers), signal: linked.signal });
    return { ...response, body: received(recut(response.body, random, chunkBytes), init, life, release) };
  } catch (error) {
    release();
    throw failureOf(error, init);
  }
}

/** The body as its reader meets it: it breaks when the reader aborts or the transport closes, and lets go of everything at its end. */
async function* received(body: Body, init: ApiRequest, life: AbortSignal, release: () => void): Body {
  try {
    for await (const chunk of body) {
      if (init.signal?.aborted || life.aborted) break;
      yield chunk;
    }
    init.signal?.throwIfAborted();
    if (life.aborted) throw new InformerError('transport', `${what(init)}: the transport was closed`);
  } catch (error) {
    throw failureOf(error, init);
  } finally {
    release();
  }
}

/** Most pieces are of the size they came in. */
const LONGEST = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 2000, 200, 30, 3];

/** Gives a body's bytes in pieces of other sizes, each at once: a network keeps no boundaries. */
async function* recut(body: AsyncIterable<Uint8Array>, random: Random, chunkBytes: number | undefined): Body {
  for await (const chunk of body) {
    const longest = chunkBytes ?? (LONGEST[Math.floor(random() * LONGEST.length)] as number);
    for (let at = 0; at < chunk.length; ) {
      const length = longest === Number.POSITIVE_INFINITY ? chunk.length : 1 + Math.floor(random() * longest);
      yield chunk.subarray(at, at + length);
      at += length;
    }
  }
}

function withToken(init: ApiRequest, token: string | undefined): ApiRequest {
  return token === undefined ? init : { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } };
}

/** How far the compressor gets at a time is up to the machine, not the seed. */
function uncompressed(headers: ApiRequest['headers'] = {}): ApiRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding'));
}

function failureOf(error: unknown, init: ApiRequest): unknown {
  if (init.signal?.aborted) return init.signal.reason;
  return error instanceof InformerError ? error : new InformerError('transport', `${what(init)}: ${messageOf(error)}`, { cause: error });
}

function what({ method, path }: ApiRequest): string {
  return `${method} ${path.split('?', 1)[0]}`;
}
