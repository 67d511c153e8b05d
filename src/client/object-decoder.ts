import { InformerError } from '../kit/error.ts';
import { findManagedFields, type MetadataPath } from './managed-fields.ts';
import { splicedText } from './spliced-text.ts';

/** Turns the bytes of one JSON value into that value. `offset` is where they began in the body. */
export type Decode<T> = (bytes: Buffer, offset: number) => T;

/** JSON as it is. Throws `decode` with the byte offset. */
export function decodeJson<T>(bytes: Buffer, offset: number): T {
  try {
    return JSON.parse(bytes.toString('utf8')) as T;
  } catch (cause) {
    throw brokenJson(offset, withoutData(cause), cause);
  }
}

/**
 * JSON without the `managedFields` of the metadata at `path`: cut out before they are parsed where they are written as servers write them.
 * The caller takes them off the result where they were not. Throws `decode` with the byte offset.
 */
export function decodeTrimmed<T>(bytes: Buffer, offset: number, path: MetadataPath): T {
  const cut = findManagedFields(bytes, path);
  const trimmed = cut && parseOrNone<T>(splicedText(bytes, { cut }));
  return trimmed ?? decodeJson(bytes, offset); // what is wrong is told of the bytes as they came
}

/** The value of a JSON text; undefined for one that is broken. */
export function parseOrNone<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
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
