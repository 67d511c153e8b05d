const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The path from a JSON value to an object's metadata: keys, and `[]` for the first element of a list. */
export type MetadataPath = readonly (Buffer | typeof FIRST)[];

const FIRST = '[]';

/** In an object itself. */
export const OF_OBJECT = pathOf('metadata');
/** In the row of a table. */
export const OF_ROW = pathOf('object', 'metadata');
/** In a watch event. */
export const OF_EVENT = pathOf('object', 'metadata');
/** In a watch event of a table. */
export const OF_TABLE_EVENT = pathOf('object', 'rows', FIRST, 'object', 'metadata');

const MANAGED_FIELDS = Buffer.from('managedFields');

function pathOf(...keys: string[]): MetadataPath {
  return keys.map((key) => (key === FIRST ? FIRST : Buffer.from(key)));
}

/** A range of bytes to leave out. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the member `managedFields` of the metadata at `path`, with one of the commas around it: the other bytes are the
 * same JSON without it. Undefined if it is missing, or not in the form that servers write (an escape in a key, a value
 * that is not a list); then the caller removes it from the parsed object. The bytes are taken to be valid JSON; parsing
 * the rest checks that.
 */
export function findManagedFields(bytes: Buffer, path: MetadataPath): Cut | undefined {
  const open = openAt(bytes, path);
  if (open === undefined) return undefined;
  const at = memberOf(bytes, open, MANAGED_FIELDS);
  if (at === undefined) return undefined;
  const value = valueAt(bytes, at, MANAGED_FIELDS);
  if (bytes[value] !== OPEN_BRACKET) return undefined;
  const end = endOfList(bytes, value);
  return end === undefined ? undefined : withComma(bytes, at, end);
}

/** The text of the list in the range of {@link findManagedFields}. */
export const listIn = (bytes: Buffer, { from, to }: Cut): string =>
  bytes.toString('utf8', bytes.indexOf(OPEN_BRACKET, from), bytes.lastIndexOf(CLOSE_BRACKET, to) + 1);

/** The string at `key` in the object at `path`, if the bytes, which may be cut anywhere, have it whole. */
export function stringAt(bytes: Buffer, path: MetadataPath, key: string): string | undefined {
  const open = openAt(bytes, path);
  if (open === undefined) return undefined;
  const value = fieldAt(bytes, open, Buffer.from(key));
  if (value === undefined || bytes[value] !== QUOTE) return undefined;
  const end = endOfString(bytes, value);
  return end >= bytes.length ? undefined : textIn(bytes.toString('utf8', value, end + 1));
}

/** The text of a JSON string; undefined if it is broken. */
function textIn(json: string): string | undefined {
  let text: string | undefined;
  try {
    text = JSON.parse(json);
  } catch {
    // the decoder of the whole value reports it
  }
  return text;
}

/** The index of the bracket that opens the object at `path`, or undefined. */
function openAt(bytes: Buffer, path: MetadataPath): number | undefined {
  let open: number | undefined = skipSpace(bytes, 0);
  for (const step of path) {
    open = step === FIRST ? firstOf(bytes, open) : fieldAt(bytes, open, step);
    if (open === undefined) return undefined;
  }
  return open;
}

/** The index of the quote of a key in the object that opens at `open`, or undefined. Reads no further than the key. */
function memberOf(bytes: Buffer, open: number, key: Buffer): number | undefined {
  if (bytes[open] !== OPEN_BRACE) return undefined;
  const { length } = bytes;
  let depth = 0;
  for (let i = open + 1; i < length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      if (depth === 0 && isKey(bytes, i, key)) return i;
      i = endOfString(bytes, i);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth-- === 0) return undefined;
    }
  }
  return undefined;
}

/** Whether the string at `quote` is this key: a key is followed by a colon. */
function isKey(bytes: Buffer, quote: number, key: Buffer): boolean {
  const { length } = key;
  if (bytes[quote + length + 1] !== QUOTE) return false;
  for (let i = 0; i < length; i++) if (bytes[quote + 1 + i] !== key[i]) return false;
  return bytes[skipSpace(bytes, quote + length + 2)] === COLON;
}

/** The index of the quote that ends a string, or the length if there is none. */
function endOfString(bytes: Buffer, quote: number): number {
  const { length } = bytes;
  let i = quote + 1;
  while (i < length) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) return i;
    i += byte === BACKSLASH ? 2 : 1;
  }
  return length;
}

function fieldAt(bytes: Buffer, open: number, key: Buffer): number | undefined {
  const at = memberOf(bytes, open, key);
  return at === undefined ? undefined : valueAt(bytes, at, key);
}

/** The index of the value behind a key and its colon. */
function valueAt(bytes: Buffer, quote: number, key: Buffer): number {
  return skipSpace(bytes, skipSpace(bytes, quote + key.length + 2) + 1);
}

function firstOf(bytes: Buffer, open: number): number | undefined {
  return bytes[open] === OPEN_BRACKET ? skipSpace(bytes, open + 1) : undefined;
}

/**
 * The index after a list, or undefined if it does not end. Managed fields contain no lists, so the first closing bracket ends
 * the list if no other opens before it and it is not inside a string. A member right after it proves the latter, and so
 * does an even number of quotes before it.
 */
export function endOfList(bytes: Buffer, open: number): number | undefined {
  const close = bytes.indexOf(CLOSE_BRACKET, open);
  if (close === -1) return undefined;
  const isFlat = bytes.lastIndexOf(OPEN_BRACKET, close) === open;
  if (isFlat && (isOutsideStrings(bytes, close) || hasEvenQuotes(bytes, open, close))) return close + 1;
  return endOfValue(bytes, open);
}

/** Whether every string that begins between two places ends there. It takes a third of the time of {@link endOfValue}. */
function hasEvenQuotes(bytes: Buffer, from: number, to: number): boolean {
  let isEven = true;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isEven = !isEven;
    else if (byte === BACKSLASH) i++;
  }
  return isEven;
}

/**
 * Whether a key follows, after commas and brackets only. Inside a string, its quote would end the string, and JSON has
 * no letter after that.
 */
function isOutsideStrings(bytes: Buffer, from: number): boolean {
  let i = from;
  while (BETWEEN_MEMBERS.has(bytes[i])) i++;
  return bytes[i] === QUOTE && LETTERS.has(bytes[i + 1]);
}

const BETWEEN_MEMBERS: ReadonlySet<number | undefined> = new Set(Buffer.from('{}],'));
const LETTERS: ReadonlySet<number | undefined> = new Set(
  Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
);

function endOfValue(bytes: Buffer, open: number): number | undefined {
  const { length } = bytes;
  let depth = 0;
  for (let i = open; i < length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (--depth === 0) return i + 1;
    }
  }
  return undefined;
}

/** A member and the comma before it; for the first member, the comma after it. */
function withComma(bytes: Buffer, from: number, to: number): Cut {
  let before = from - 1;
  while (isSpace(bytes[before])) before--;
  if (bytes[before] === COMMA) return { from: before, to };
  const behind = skipSpace(bytes, to);
  return { from, to: bytes[behind] === COMMA ? behind + 1 : to };
}

function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while (isSpace(bytes[i])) i++;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The largest buffer to keep. Longer texts are joined from strings. */
const MOST_KEPT = 256 * 1024;

let room = Buffer.alloc(0);

/** A text, and its bytes in a buffer that is used again for the next one; none for a long text. */
interface Spliced {
  readonly text: string;
  readonly bytes: Buffer | undefined;
}

/**
 * The text of `head` (ASCII) and of the bytes from `from` on, without the range `cut`, as one flat string. A text
 * joined from strings would be copied once more when it is parsed, and would leave twice the garbage.
 */
export function splice(
  bytes: Buffer,
  { head = '', from = 0, cut }: { head?: string; from?: number; cut: Cut | undefined },
): Spliced {
  const length = head.length + bytes.length;
  if (length > MOST_KEPT) {
    const rest = cut
      ? bytes.toString('utf8', from, cut.from) + bytes.toString('utf8', cut.to)
      : bytes.toString('utf8', from);
    return { text: head + rest, bytes: undefined };
  }
  if (room.length < length) room = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_KEPT));
  let end = room.write(head, 0, 'latin1');
  end += bytes.copy(room, end, from, cut ? cut.from : bytes.length);
  if (cut) end += bytes.copy(room, end, cut.to);
  return { text: room.toString('utf8', 0, end), bytes: room.subarray(0, end) };
}

/** As {@link splice}, for the text alone. */
export const splicedText = (bytes: Buffer, options: { head?: string; from?: number; cut: Cut | undefined }): string =>
  splice(bytes, options).text;
