import type { Address } from '../../model/field-path.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { selectableFields } from '../../stream/conditions/server-side-filter.ts';

/** Whether it is known how an API server reads a field of a type for a field selector. */
export const isFieldKnown = (type: ResourceType, field: string): boolean => selectableFields(type).has(field);

/**
 * The value of a field as an API server reads it for a field selector: an absent text is ''. Source: the
 * ToSelectableFields of the registries of kube-apiserver.
 */
export function selectorFieldValue({ gvr }: ResourceType, object: ReadonlyObject, field: string): string {
  const [path = field, otherwise = ''] = DEPARTURES[`${formatGvr(gvr)} ${field}`] ?? [];
  const value = textAt(object, path);
  if (value !== '') return value;
  return otherwise.includes('.') ? textAt(object, otherwise) : otherwise;
}

/** The fields of an object that {@link selectorFieldValue} looks at. */
export function fieldsOfSelector({ gvr }: ResourceType, field: string): readonly Address[] {
  const [path = field, otherwise = ''] = DEPARTURES[`${formatGvr(gvr)} ${field}`] ?? [];
  return [path, ...(otherwise.includes('.') ? [otherwise] : [])].map((text) => text.split('.'));
}

/** Fields that have another path, and the text, or the path, that stands for an absent value. */
const DEPARTURES: Readonly<Record<string, readonly [path: string, otherwise: string]>> = {
  'v1/nodes spec.unschedulable': ['spec.unschedulable', 'false'],
  'v1/replicationcontrollers status.replicas': ['status.replicas', '0'],
  'batch/v1/jobs status.successful': ['status.succeeded', '0'],
  'v1/events reportingComponent': ['reportingComponent', 'source.component'],
};

function textAt(object: ReadonlyObject, path: string): string {
  let value: unknown = object;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined | null)?.[part];
  return value === undefined || value === null ? '' : String(value);
}
