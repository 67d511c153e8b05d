import { InformerError } from '../kit/error.ts';
import { findManagedFields, type MetadataPath } from './managed-fields.ts';

/** Turns the bytes of one JSON value into that value. `offset` is where they began in the body. */
export type Decode<T> = (bytes: Buffer, offset: number) => T;

/** JSON as it is. Throws `decode` with the byte offset. */
export function decodeJson<T>(bytes: Buffer, offset: number): T {
  return parse(bytes.toString('utf8'), offset);
}

/**
 * JSON without the `managedFields` of the metadata at `path`: cut out before they are parsed where they are written as servers write them.
 * The caller takes them off the result where they were not. Throws `decode` with the byte offset.
 */
export function decodeTrimmed<T>(bytes: Buffer, offset: number, path: MetadataPath): T {
  const cut = findManagedFields(bytes, path);
  return cut ? parse(bytes.toString('utf8', 0, cut.from) + bytes.toString('utf8', cut.to), offset) : decodeJson(bytes, offset);
}

/** The value of a JSON text. Throws `decode` with the byte offset. */
export function parse<T>(text: string, offset: number): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw brokenJson(offset, withoutData(cause), cause);
  }
}

/** The error for bytes that are not what the protocol promises. It quotes none of them: they may be a Secret's. */
export function brokenJson(offset: number, what: string, cause?: unknown): InformerError {
  return new InformerError('decode', `broken JSON at byte ${offset} of the response: ${what}`, { cause });
}

/** Takes `metadata.managedFields` off an object, in place; the rest of it is not touched. */
export function dropManagedFields<T>(object: T): T {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: unknown } };
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...kept } = metadata; // a copy: `delete` would turn it into a slow dictionary
  (object as { metadata: object }).metadata = kept;
  return object;
}

/** V8 quotes the text around the fault at the end of its message. */
function withoutData(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '') : 'not JSON';
}
