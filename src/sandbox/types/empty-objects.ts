import { isJsonMap } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from './api-type.ts';
import { fromStorage } from './conversion.ts';
import { copy } from './copy.ts';
import data from './data/empty-objects.json' with { type: 'json' };

/**
 * An object of a built-in type on the wire when no field is set: Go writes structs and some lists even then.
 * Bookmarks are such objects. The fields of a new object are compared with one to find out which fields its writer
 * owns.
 * Source: the json tags of kubernetes/api without omitempty.
 */
const EMPTY: Readonly<Record<string, object>> = data;

/**
 * The empty object of a type, with the field names of the type. Each call returns a new object. A custom resource has
 * no such fields.
 */
export function emptyObject(type: ApiType): UnknownObject {
  const empty: UnknownObject = { metadata: {}, ...copy(type.custom ? {} : (EMPTY[type.storage] ?? {})) };
  return fromStorage(type, empty);
}

/** Adds the fields that its type always shows to an object. Present fields stay; a null struct counts as absent. */
export function fillIn(object: UnknownObject, type: ApiType): UnknownObject {
  return type.custom ? object : fill(object, emptyObject(type));
}

function fill<T extends Record<string, unknown>>(target: T, empty: Record<string, unknown>): T {
  const result: Record<string, unknown> = target;
  for (const [field, value] of Object.entries(empty)) {
    const present = result[field];
    if (present === undefined || (present === null && isJsonMap(value))) result[field] = value;
    else if (isJsonMap(value) && isJsonMap(present)) fill(present, value);
  }
  return target;
}
