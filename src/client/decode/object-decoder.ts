import { InformerError } from '../../kit/error.ts';
import { hasHuge, parseJson, parseManyJson } from '../../kit/exact-json.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { isBuiltInGroup } from '../../model/object-name.ts';
import { type Cut, findManagedFields, type MetadataPath } from './managed-fields.ts';
import { splicedText } from './spliced-text.ts';

/** Turns the bytes of one JSON value into that value. `offset` is where they began in the body. */
export type Decode<T> = (bytes: Buffer, offset: number) => T;

/** How the text of a value becomes the value; the bytes it was made of are at hand, `cut` is what was left out. */
export type Parse = (bytes: Buffer, text: string, cut?: Cut) => unknown;

/** Every number exact. */
const parseOne: Parse = (_, text) => parseJson(text);

/** JSON as it is, every number as `parseJson` has it unless `parse` is another. Throws `decode` with the byte offset. */
export function decodeJson<T>(bytes: Buffer, offset: number, parse: Parse = parseOne): T {
  try {
    return parse(bytes, bytes.toString('utf8')) as T;
  } catch (cause) {
    const what = withoutData(cause);
    throw brokenJson(offset, what, new SyntaxError(what));
  }
}

/**
 * JSON without the `managedFields` of the metadata at `path`: cut out before they are parsed where they are written as servers write them.
 * The caller takes them off the result where they were not. Throws `decode` with the byte offset.
 */
export function decodeTrimmed<T>(bytes: Buffer, offset: number, path: MetadataPath, parse: Parse = parseOne): T {
  const cut = findManagedFields(bytes, path);
  const trimmed = cut && parseOrNone<T>(splicedText(bytes, { cut }), (text) => parse(bytes, text, cut));
  return trimmed ?? decodeJson(bytes, offset, parse); // what is wrong is told of the bytes as they came
}

/** The value of a JSON text; undefined for one that is broken. */
export function parseOrNone<T>(text: string, parse: (text: string) => unknown = parseJson): T | undefined {
  try {
    return parse(text) as T;
  } catch {
    return undefined;
  }
}

/** Built-in groups whose types hold JSON of any shape: defaults in schemas, parameters of devices. */
const FREE_FORM = new Set(['apiextensions.k8s.io', 'resource.k8s.io']);

/** Objects of a built-in type that are looked at for numbers of every kind. */
const FIRST = 1_000;

/**
 * The parser for the objects of one LIST or one watch. Whole numbers are always exact. Numbers that no double can hold (`1e400`) are looked
 * for in every custom resource. Types of Kubernetes' own have no fields for floating-point numbers, so there the first thousand objects
 * are searched, and all that follow once one was found: the search costs a quarter of the time that parsing takes.
 * Source: Kubernetes API conventions, "Primitive types".
 */
export function parserOf({ group }: Pick<GroupVersionResource, 'group'>): Parse {
  let left = isBuiltInGroup(group) && !FREE_FORM.has(group) ? FIRST : Number.POSITIVE_INFINITY;
  return (bytes, text, cut) => {
    if (left <= 0) return parseManyJson(bytes, text, cut);
    left--;
    if (hasHuge(text)) left = Number.POSITIVE_INFINITY;
    return parseJson(text);
  };
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
