import { InformerError } from '../../kit/error.ts';
import { joinKey } from '../../model/key.ts';
import type { ObjectMeta } from '../../model/object.ts';
import { UnreadableObject } from '../../model/unreadable.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import { LARGEST_OBJECT, LONGEST_SKIPPED, type OversizedError, tooLarge } from '../http/limits.ts';
import { OF_EVENT, stringAt } from './managed-fields.ts';
import { brokenJson, type Decode, decodeJson } from './object-decoder.ts';
import type { LeavesOut } from './unwanted.ts';

const NEWLINE = 0x0a;

/** The number of bytes of an oversized line in which the type, name and version of its object are searched. */
const LONGEST_HEAD = 64 * 1024;

/** Settings of a {@link WatchDecoder}. */
export interface WatchDecoderOptions<T> {
  decode?: Decode<WatchEvent<T>> | undefined;
  /** Lines that are left out without being decoded. */
  leavesOut?: LeavesOut | undefined;
  /** Largest line that is decoded, in bytes. */
  limit?: number | undefined;
  /** The number of further bytes that are read and dropped to find the end of an oversized line. */
  mostSkipped?: number | undefined;
}

/**
 * Turns the bytes of a watch into events, one batch for each chunk. Nothing is left out:
 * - A line that is not an event throws `decode` with its byte offset, after the events before it were returned.
 * - A line beyond the limit becomes an event with an {@link UnreadableObject}. It throws `decode` if its first bytes do
 *   not show its type, or if its end is too far away.
 * - A stream that ends within a line was cut: it throws `transport`, because a new watch can get the rest.
 * - An event of an unknown type is passed on; the reflector decides about it.
 */
export class WatchDecoder<T> {
  readonly #decode: Decode<WatchEvent<T>>;
  readonly #leavesOut: LeavesOut | undefined;
  readonly #limit: number;
  readonly #mostSkipped: number;
  /** Bytes in the chunks before the current one. */
  #before = 0;
  /** The parts of the present line in earlier chunks. */
  readonly #parts: Buffer[] = [];
  #lineStartedAt = 0;
  /** Set while the rest of an oversized line is dropped. */
  #oversized: WatchEvent<UnreadableObject> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #leftOut = 0;

  constructor({
    decode = decodeJson,
    leavesOut,
    limit = LARGEST_OBJECT,
    mostSkipped = LONGEST_SKIPPED,
  }: WatchDecoderOptions<T> = {}) {
    this.#decode = decode;
    this.#leavesOut = leavesOut;
    this.#limit = limit;
    this.#mostSkipped = mostSkipped;
  }

  /** Takes the next bytes, and returns the events of the lines that are now complete. */
  push(bytes: Uint8Array): WatchEvent<T>[] {
    if (this.#failure) throw this.#failure.error;
    const events: WatchEvent<T>[] = [];
    try {
      this.#take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), events);
    } catch (error) {
      this.#failure = { error };
      if (events.length === 0) throw error;
    }
    return events;
  }

  /** The number of lines that were left out so far. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Whether a line after the last returned events cannot be decoded. The next call throws its error. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  #take(chunk: Buffer, events: WatchEvent<T>[]): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#line(chunk.subarray(start, end), events);
      start = end + 1;
      this.#lineStartedAt = this.#before + start;
    }
    this.#before += chunk.length;
    if (start < chunk.length) this.#begun(chunk.subarray(start));
  }

  /** Ends the stream. A last line without a newline counts if it is whole. */
  finish(): WatchEvent<T>[] {
    if (this.#failure) throw this.#failure.error;
    const events: WatchEvent<T>[] = [];
    const length = this.#before - this.#lineStartedAt;
    if (this.#oversized) throw endedWithin(length, this.#lineStartedAt);
    try {
      this.#line(Buffer.alloc(0), events);
    } catch (cause) {
      if (!isSyntaxError(cause)) throw cause;
      throw endedWithin(length, this.#lineStartedAt, cause);
    }
    return events;
  }

  /** Takes the start of a line whose end has not arrived. */
  #begun(part: Buffer): void {
    const length = this.#before - this.#lineStartedAt;
    if (!this.#oversized) this.#parts.push(part);
    if (length <= this.#limit) return;
    this.#oversized ??= this.#unreadable(this.#parts.splice(0));
    if (length > this.#limit + this.#mostSkipped) throw this.#tooLong();
  }

  /** The event of a line beyond the limit. Throws if its first bytes do not show its type. */
  #unreadable(parts: readonly Buffer[]): WatchEvent<UnreadableObject> {
    const head = Buffer.concat(parts, Math.min(LONGEST_HEAD, lengthOf(parts)));
    const type = stringAt(head, [], 'type');
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') throw this.#tooLong();
    const metadata: ObjectMeta = {};
    for (const key of ['namespace', 'name', 'uid', 'resourceVersion'] as const) {
      const value = stringAt(head, OF_EVENT, key);
      if (value !== undefined) metadata[key] = value;
    }
    return { type, object: new UnreadableObject(metadata, this.#tooLong(metadata)) };
  }

  #tooLong({ namespace, name }: ObjectMeta = {}): OversizedError {
    const whose = name === undefined ? '' : ` about ${JSON.stringify(joinKey(namespace, name))}`;
    return tooLarge(`a line of the watch${whose}`, { offset: this.#lineStartedAt, limit: this.#limit });
  }

  #line(last: Buffer, events: WatchEvent<T>[]): void {
    const earlier = this.#parts.splice(0);
    const parts = [...earlier, last];
    if (!this.#oversized && lengthOf(parts) > this.#limit) this.#oversized = this.#unreadable(parts);
    if (this.#oversized) {
      events.push(this.#oversized as WatchEvent<T>);
      this.#oversized = undefined;
      return;
    }
    const line = earlier.length === 0 ? last : Buffer.concat(parts);
    if (isBlank(line)) return;
    if (this.#leavesOut?.(line)) {
      this.#leftOut++;
      return;
    }
    const event = this.#decode(line, this.#lineStartedAt);
    if (!isEvent(event)) throw brokenJson(this.#lineStartedAt, 'the line is not a watch event');
    events.push(event);
  }
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function endedWithin(length: number, offset: number, cause?: unknown): InformerError {
  const message = `the connection ended within a line: ${length} bytes of it came, from byte ${offset} of the response on`;
  return new InformerError('transport', message, { cause });
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof SyntaxError;
}

const BLANKS: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r'));

function isBlank(line: Buffer): boolean {
  let i = 0;
  while (BLANKS.has(line[i])) i++;
  return i === line.length;
}

function isEvent(value: unknown): boolean {
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null;
}
