import { FieldSelector } from '../../model/field-selector.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { Selectors } from '../../model/list-options.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** Whether the selectors of a LIST match an object, by its labels and by the fields under the selector's own paths. */
export function isSelected(object: ReadonlyObject, { labelSelector, fieldSelector }: Selectors = {}): boolean {
  if (labelSelector && !LabelSelector.parse(labelSelector).matches(object.metadata.labels)) return false;
  return !fieldSelector || FieldSelector.parse(fieldSelector).matches((field) => textAt(object, field));
}

function textAt(object: unknown, field: string): string {
  let value = object;
  for (const name of field.split('.')) value = (Object(value) as Record<string, unknown>)[name];
  return value === undefined || value === null ? '' : String(value);
}
