import type { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { checkFieldLabel, fieldValue } from './field-labels.ts';
import type { ReadOptions } from './read-options.ts';

/** Whether a selector takes an object. */
export type Selection = (object: StoredObject) => boolean;

/** The selectors of a request as one test; undefined when everything is taken. Throws 400 on a field that cannot be selected by. */
export function selectionOf(type: ApiType, { labels, fields }: Pick<ReadOptions, 'labels' | 'fields'>): Selection | undefined {
  for (const { field } of fields.requirements) checkFieldLabel(type, field);
  if (labels.matchesEverything && fields.matchesEverything) return undefined;
  return ({ object }) => labels.matches(object.metadata.labels) && fields.matches((label) => fieldValue(type, object, label));
}
