import { jsonText, parseJson } from '../../kit/exact-json.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import { LAST_APPLIED } from '../../stream/redact.ts';

/**
 * The text under which an object is stored. Of a Secret it has no value: `data`, `stringData` and the copy of kubectl
 * are left out, and nothing is in their place. Numbers keep their digits.
 */
export function storedText(object: ReadonlyObject, isSecret: boolean): string {
  return jsonText(isSecret || object.kind === 'Secret' ? withoutValues(object) : object);
}

/** The object of a stored text. Throws `SyntaxError`. */
export const objectOfText = (text: string) => parseJson(text) as UnknownObject;

/** A Secret without its values. */
export function withoutValues(object: ReadonlyObject): ReadonlyObject {
  const { data: _1, stringData: _2, ...rest } = object as ReadonlyObject & { data?: unknown; stringData?: unknown };
  const { annotations } = object.metadata;
  if (annotations?.[LAST_APPLIED] === undefined) return rest;
  const { [LAST_APPLIED]: _3, ...kept } = annotations;
  return { ...rest, metadata: { ...object.metadata, annotations: kept } };
}
