import type { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { checkFieldLabel, fieldValue } from './field-labels.ts';
import type { ReadOptions } from './read-options.ts';

/** Whether the selectors of a request match an object. */
export type Selection = (object: StoredObject) => boolean;

/**
 * The selectors of a request as one predicate; undefined when every object matches. Throws 400 for a field label that
 * cannot be selected by.
 */
export function selectionOf(
  type: ApiType,
  { labels, fields, part }: Pick<ReadOptions, 'labels' | 'fields'> & Partial<Pick<ReadOptions, 'part'>>,
): Selection | undefined {
  for (const { field } of fields.requirements) checkFieldLabel(type, field);
  if (labels.matchesEverything && fields.matchesEverything && !part) return undefined;
  return ({ object }) =>
    (!part || part.keeps(object)) &&
    labels.matches(object.metadata.labels) &&
    fields.matches((label) => fieldValue(type, object, label));
}
