import { isContainer, jsonText } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { badRequest } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import data from '../types/data/field-labels.json' with { type: 'json' };

/** Field labels with the value that each has when the object lacks the field. */
type Labels = Readonly<Record<string, string>>;

/**
 * Field labels beyond metadata.name and metadata.namespace. Source: the AddFieldLabelConversion functions of
 * kubernetes/pkg/apis.
 */
const FIELD_LABELS: Readonly<Record<string, Labels>> = data;

/** The names that clients of events.k8s.io use for field labels of events. */
const EVENT_LABELS: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  reportingController: 'reportingComponent',
};

/** Throws 400, with the message of the type, when objects cannot be selected by a label. */
export function checkFieldLabel(type: ApiType, label: string): void {
  if (label === 'metadata.name' || (label === 'metadata.namespace' && (type.namespaced || !type.custom))) return;
  if (type.custom) {
    if (type.custom.selectableFields.includes(label)) return;
    badRequest(`field label not supported: ${label}`);
  }
  const labels = FIELD_LABELS[type.storage];
  if (labels && Object.hasOwn(labels, storedLabel(type, label))) return;
  if (labels) badRequest(`field label not supported: ${label}`);
  badRequest(`${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

/** The value of a field label that {@link checkFieldLabel} has accepted. */
export function fieldValue(type: ApiType, object: UnknownObject, label: string): string {
  const path = storedLabel(type, label);
  if (type.storage === 'events' && path === 'source') return sourceOf(object);
  let value: unknown = object;
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as UnknownObject)[step] : undefined;
  if (value === undefined || value === null) return FIELD_LABELS[type.storage]?.[path] ?? '';
  return isContainer(value) ? jsonText(value) : String(value);
}

function storedLabel(type: ApiType, label: string): string {
  if (formatGroupVersion(type.gvr) !== 'events.k8s.io/v1') return label;
  const [head = '', ...rest] = label.split('.');
  return [EVENT_LABELS[head] ?? head, ...rest].join('.');
}

function sourceOf(object: UnknownObject): string {
  const { component } = (object.source ?? {}) as { component?: string };
  return component || String(object.reportingComponent ?? '');
}
