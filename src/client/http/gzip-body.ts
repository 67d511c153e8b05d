import { builtin } from '../../kit/builtin.ts';
import { RawBody } from './http-dispatch.ts';
import { LARGEST_OBJECT, OversizedError } from './limits.ts';

/**
 * The number of bytes that are inflated at a time. Each piece costs a round trip to the inflating thread; meanwhile the
 * reader works on the piece before. Measured: bench/README.md.
 */
const INFLATED_CHUNK = 128 * 1024;

/**
 * The text of a gzip body, inflated on another thread while it arrives. Closing it closes the body. Its reader gets an
 * error if the bytes are not gzip or end too early, and an {@link OversizedError} if they expand far more than text
 * does.
 */
export function gunzipped(body: RawBody): RawBody {
  const gunzip = builtin.zlib().createGunzip({ chunkSize: INFLATED_CHUNK });
  const text = new RawBody();
  const expansion = new Expansion();
  let hasRoom: (() => void) | undefined;
  const room = () => new Promise<void>((resolve) => (hasRoom = resolve));
  const fail = (error: unknown) => {
    text.end({ error });
    gunzip.destroy();
    body.close();
  };
  gunzip
    .on('data', (chunk: Buffer) => {
      const error = expansion.grown(chunk.length);
      if (error) fail(error);
      else text.push(chunk);
    })
    .on('end', () => text.end())
    .on('error', fail)
    .on('drain', () => hasRoom?.())
    .on('close', () => hasRoom?.());
  text.begin({
    get paused() {
      return gunzip.isPaused();
    },
    pause: () => gunzip.pause(),
    resume: () => gunzip.resume(),
    abort: (reason) => fail(reason),
  });
  void feed();
  return text;

  async function feed(): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await body.next();
        if (done || gunzip.destroyed) break;
        expansion.fed(value.length);
        if (!gunzip.write(value)) await room();
      }
      gunzip.end();
    } catch (error) {
      fail(error);
    }
  }
}

/**
 * The largest ratio of the size of a body to its compressed size. Lists of API servers have ratios of ten to thirty; a
 * gzip bomb has a ratio of a thousand.
 */
const LARGEST_EXPANSION = 400;

/** Compares the number of compressed bytes with the number of inflated bytes. */
class Expansion {
  #compressed = 0;
  #text = 0;

  fed(bytes: number): void {
    this.#compressed += bytes;
  }

  grown(bytes: number): OversizedError | undefined {
    this.#text += bytes;
    if (this.#text <= LARGEST_OBJECT || this.#text <= LARGEST_EXPANSION * this.#compressed) return undefined;
    const grown = `its first ${this.#compressed} bytes became ${this.#text}`;
    return new OversizedError(`the answer's gzip expands more than the limit of ${LARGEST_EXPANSION} times: ${grown}`, {
      hint: 'this is not a list of objects; disable-compression: true in the kubeconfig turns compression off',
    });
  }
}
