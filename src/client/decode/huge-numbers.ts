import { hasHuge, parseJson, parseManyJson } from '../../kit/exact-json.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { isBuiltInGroup } from '../../model/object-name.ts';
import type { Parse } from './object-decoder.ts';

/** Built-in groups whose types contain JSON of any shape: defaults in schemas, parameters of devices. */
const FREE_FORM = new Set(['apiextensions.k8s.io', 'resource.k8s.io']);

/** The number of objects of a built-in type that are searched for large numbers. */
const FIRST = 1_000;

/**
 * The parser for the objects of one LIST or one watch. Whole numbers are always exact. Numbers that are too large for a
 * double (`1e400`) are searched in every custom resource. Built-in types have no fields for floating-point numbers, so
 * there only the first thousand objects are searched, and all further ones after one was found: the search costs a
 * quarter of the time of parsing.
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
