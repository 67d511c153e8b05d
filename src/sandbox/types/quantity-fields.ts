import { isJsonMap } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from './api-type.ts';
import { builtinMessage, type FieldType, type Message } from './fields/field-table.ts';
import { storedQuantity } from './stored-quantity.ts';

/**
 * Writes the quantities of an object as a server stores them: `500m` for `0.5`. Changes the object. A custom resource
 * has no quantities: its schema knows texts and numbers only.
 */
export function storeQuantities(type: ApiType, object: UnknownObject): void {
  const message = type.custom ? undefined : builtinMessage(formatGroupVersion(type.gvr), type.kind);
  if (message) storeIn(object, message);
}

type Fields = Record<string, unknown>;

function storeIn(fields: Fields, message: Message): void {
  for (const { name, type } of fieldsWithQuantities(message)) {
    if (fields[name] !== undefined) fields[name] = stored(fields[name], type, message);
  }
}

/** A value with its quantities in the stored form. Maps and lists are changed in place. */
function stored(value: unknown, type: FieldType, within: Message, inMap = false): unknown {
  if (type.is === 'scalar') return storedQuantity(value, { milli: inMap && within.qualified.startsWith(CORE) });
  if (type.is === 'message') {
    if (isJsonMap(value)) storeIn(value, type.message);
  } else if (type.is === 'list') {
    if (Array.isArray(value)) for (const i of value.keys()) value[i] = stored(value[i], type.of, within);
  } else if (isJsonMap(value)) {
    for (const key in value) value[key] = stored(value[key], type.of, within, true);
  }
  return value;
}

/** The package whose maps of quantities are rounded. Source: kubernetes/pkg/apis/core/v1 SetDefaults_ResourceList. */
const CORE = 'io.k8s.api.core.v1.';

interface Part {
  readonly name: string;
  readonly type: FieldType;
}

const known = new WeakMap<Message, readonly Part[]>();

/** The fields of a message that are quantities, or in which there are some. */
function fieldsWithQuantities(message: Message): readonly Part[] {
  let parts = known.get(message);
  if (!parts) {
    parts = [...message.fields.values()].filter(({ type }) => holdsQuantities(type, new Set([message])));
    known.set(message, parts);
  }
  return parts;
}

function holdsQuantities(type: FieldType, seen: Set<Message>): boolean {
  if (type.is === 'scalar') return type.scalar === 'Quantity';
  if (type.is !== 'message') return holdsQuantities(type.of, seen);
  if (seen.has(type.message)) return false;
  seen.add(type.message);
  return [...type.message.fields.values()].some((field) => holdsQuantities(field.type, seen));
}
