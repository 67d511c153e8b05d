import { loadPath, type PathValues } from '../../expr/jsonpath/path-values.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareKeys } from './arrange.ts';

/** The order that `--sort-by` asks for. */
export interface SortOrder {
  readonly path: PathValues;
  /** The largest first. */
  readonly isDescending: boolean;
}

/** `-` before the expression of `--sort-by` asks for the opposite order. */
export function splitSortOrder(text: string): { readonly expression: string; readonly isDescending: boolean } {
  const isDescending = text.startsWith('-');
  return { expression: isDescending ? text.slice(1) : text, isDescending };
}

/**
 * Reads the `--sort-by` of a stream: a JSONPath, with `-` before it for the opposite order. Throws `argument` for
 * anything else.
 */
export async function sortOrderOf(text: string): Promise<SortOrder> {
  const { expression, isDescending } = splitSortOrder(text);
  return { path: await loadPath(expression, { flag: '--sort-by' }), isDescending };
}

/** Compares two objects by what the path finds first in each; each object is looked at once. */
export function comparing({ path, isDescending }: SortOrder): (a: ReadonlyObject, b: ReadonlyObject) => number {
  const keys = new WeakMap<ReadonlyObject, unknown>();
  const keyOf = (object: ReadonlyObject) => {
    if (!keys.has(object)) keys.set(object, path.values(object)[0]);
    return keys.get(object);
  };
  return (a, b) => (isDescending ? compareKeys(keyOf(b), keyOf(a)) : compareKeys(keyOf(a), keyOf(b)));
}
