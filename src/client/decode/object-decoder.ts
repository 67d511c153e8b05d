import { InformerError } from '../../kit/error.ts';
import { parseJson } from '../../kit/exact-json.ts';
import { type Cut, findManagedFields, listIn, type MetadataPath, splicedText } from './managed-fields.ts';

/** Turns the bytes of one JSON value into that value. `offset` is their position in the body. */
export type Decode<T> = (bytes: Buffer, offset: number) => T;

/** Parses the text of a value. `bytes` are the bytes of the text, together with the range `cut` that was left out. */
export type Parse = (bytes: Buffer, text: string, cut?: Cut) => unknown;

/** Takes a decoded value, and the text of the managedFields that it was decoded without. */
export type KeepText = (value: unknown, text: string) => void;

/** Keeps all numbers exact. */
const parseOne: Parse = (_, text) => parseJson(text);

/** Decodes JSON, by default with `parseJson`, which keeps numbers exact. Throws `decode` with the byte offset. */
export function decodeJson<T>(bytes: Buffer, offset: number, parse: Parse = parseOne): T {
  try {
    return parse(bytes, bytes.toString('utf8')) as T;
  } catch (cause) {
    const what = withoutData(cause);
    throw brokenJson(offset, what, new SyntaxError(what));
  }
}

/**
 * Decodes JSON without the `managedFields` of the metadata at `path`. They are cut out before parsing if they have the
 * form that servers write; otherwise the caller removes them from the result. Throws `decode` with the byte offset.
 */
export function decodeTrimmed<T>(
  bytes: Buffer,
  offset: number,
  path: MetadataPath,
  parse: Parse = parseOne,
  keep?: KeepText,
): T {
  const cut = findManagedFields(bytes, path);
  if (!cut) return decodeJson(bytes, offset, parse);
  const trimmed = parseOrNone<T>(splicedText(bytes, { cut }), (text) => parse(bytes, text, cut));
  if (trimmed === undefined) return decodeJson(bytes, offset, parse); // an error refers to the original bytes
  keep?.(trimmed, listIn(bytes, cut));
  return trimmed;
}

/** The value of a JSON text; undefined if it is broken. */
export function parseOrNone<T>(text: string, parse: (text: string) => unknown = parseJson): T | undefined {
  let value: T | undefined;
  try {
    value = parse(text) as T;
  } catch {
    // a broken text has no value
  }
  return value;
}

/** The error for bytes that break the protocol. It quotes none of them, because they may belong to a Secret. */
export function brokenJson(offset: number, what: string, cause?: unknown): InformerError {
  return new InformerError('decode', `broken JSON at byte ${offset} of the response: ${what}`, { cause });
}

/** Whether an object still has `metadata.managedFields`. */
export function hasManagedFields(object: unknown): object is { metadata: { managedFields: unknown } } {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: unknown } };
  return metadata?.managedFields !== undefined;
}

/** Removes `metadata.managedFields` from an object in place. */
export function dropManagedFields<T>(object: T): T {
  if (!hasManagedFields(object)) return object;
  const { managedFields: _, ...kept } = object.metadata; // a copy: `delete` would turn it into a slow dictionary
  (object as { metadata: object }).metadata = kept;
  return object;
}

/** The message of V8 without the text around the fault, which it quotes at the end. */
function withoutData(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '') : 'not JSON';
}
