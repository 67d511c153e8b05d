import { onAbort, scope } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { type RandomSource, seededRandom } from '../../kit/random.ts';
import type { ApiRequest, ApiResponse } from '../api/exchange.ts';

/** Options of {@link Sandbox.transport}. */
export interface InProcessOptions {
  /** The seed of the chunk sizes. Default: the seed of the sandbox. */
  readonly seed?: number | undefined;
  /**
   * The largest chunk in bytes, at least 1. By default most chunks are sent whole, and some in pieces, down to single
   * bytes.
   */
  readonly chunkBytes?: number | undefined;
  /** The token of the requests. Without it they are the administrator's. */
  readonly token?: string | undefined;
}

/** A transport without a socket. It has the shape of the client's `Transport`. */
export interface InProcessTransport extends AsyncDisposable {
  request(init: ApiRequest): Promise<ApiResponse>;
  /** Breaks every open request; later requests are refused. */
  close(): Promise<void>;
}

type Body = AsyncGenerator<Uint8Array, void, void>;

/**
 * A transport to a server in this process.
 *
 * Promises: bodies are cut into chunks of random sizes, as a network does. The sizes are drawn for each request
 * separately, so parallel requests do not influence each other: with the same seed and a FakeClock, the same requests
 * get the same bytes in the same chunks. A request rejects as a client's does: with `transport` when the connection
 * fails, with the reason of its signal when that aborts. Nothing is compressed. Throws `argument` for a chunk size that
 * is not a whole number of at least 1.
 */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  options: InProcessOptions & { seed: number },
): InProcessTransport {
  const { seed, chunkBytes, token } = options;
  if (chunkBytes !== undefined && !(Number.isInteger(chunkBytes) && chunkBytes > 0)) {
    throw new InformerError('argument', `chunkBytes is ${chunkBytes}`, {
      hint: 'give a whole number of bytes, at least 1',
    });
  }
  const random = seededRandom(seed);
  const life = new AbortController();
  return {
    request: (init) =>
      exchange(handle, withToken(init, token), life.signal, seededRandom(random() * 2 ** 32), chunkBytes),
    close: async () => life.abort(),
    [Symbol.asyncDispose]: async () => life.abort(),
  };
}

async function exchange(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  init: ApiRequest,
  life: AbortSignal,
  random: RandomSource,
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

/** A body that breaks when its reader aborts or the transport closes, and calls `release` at its end. */
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

/** The largest sizes to draw from. Infinity leaves a chunk whole. */
const LONGEST = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 2000, 200, 30, 3];

/** Cuts the chunks of a body into smaller ones of random sizes. */
async function* recut(body: AsyncIterable<Uint8Array>, random: RandomSource, chunkBytes: number | undefined): Body {
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

/** Headers that ask for no compression: the chunks of a compressor depend on the machine, not on the seed. */
function uncompressed(headers: ApiRequest['headers'] = {}): ApiRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding'));
}

function failureOf(error: unknown, init: ApiRequest): unknown {
  if (init.signal?.aborted) return init.signal.reason;
  return error instanceof InformerError
    ? error
    : new InformerError('transport', `${what(init)}: ${messageOf(error)}`, { cause: error });
}

function what({ method, path }: ApiRequest): string {
  return `${method} ${path.split('?', 1)[0]}`;
}
