import { InformerError } from '../kit/error.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { brokenJson, type Decode, decodeJson } from './object-decoder.ts';

const NEWLINE = 0x0a;

/**
 * Turns the bytes of a watch into events, one batch for each chunk. Nothing is skipped: a line that is not an event throws `decode`
 * with its byte offset; a stream that ends within a line was cut off, which is `transport`: the rest of it can be asked for again.
 * Types it does not know are passed on; judging them is the reflector's.
 */
export class WatchDecoder<T> {
  readonly #decode: Decode<WatchEvent<T>>;
  /** Bytes in the chunks before the current one. */
  #before = 0;
  /** The begun line, as far as earlier chunks had it. */
  #parts: Buffer[] = [];
  #lineStartedAt = 0;

  constructor(decode: Decode<WatchEvent<T>> = decodeJson) {
    this.#decode = decode;
  }

  /** Takes the next bytes; gives the events whose lines they complete. */
  push(bytes: Uint8Array): WatchEvent<T>[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const events: WatchEvent<T>[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#line(chunk.subarray(start, end), events);
      start = end + 1;
      this.#lineStartedAt = this.#before + start;
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    this.#before += chunk.length;
    return events;
  }

  /** Tells that the stream has ended. A last line without its newline counts if it is whole. */
  finish(): WatchEvent<T>[] {
    const events: WatchEvent<T>[] = [];
    const length = this.#before - this.#lineStartedAt;
    try {
      this.#line(Buffer.alloc(0), events);
    } catch (cause) {
      if (!isSyntaxError(cause)) throw cause;
      const message = `the connection ended within a line: ${length} bytes of it came, from byte ${this.#lineStartedAt} of the response on`;
      throw new InformerError('transport', message, { cause });
    }
    return events;
  }

  #line(last: Buffer, events: WatchEvent<T>[]): void {
    const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    if (isBlank(line)) return;
    const event = this.#decode(line, this.#lineStartedAt);
    if (!isEvent(event)) throw brokenJson(this.#lineStartedAt, 'the line is not a watch event');
    events.push(event);
  }
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof SyntaxError;
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length < 3 && line.toString('latin1').trim() === '');
}

function isEvent(value: unknown): boolean {
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null;
}
