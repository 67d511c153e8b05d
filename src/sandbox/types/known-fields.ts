import { isJsonMap } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from './api-type.ts';
import { builtinMessage, type FieldType, type Message } from './fields/field-table.ts';

const HEAD = new Set(['kind', 'apiVersion']);

/** Removes the fields that a built-in type does not have from an object. Returns their paths: `spec.foo`. */
export function dropUnknownFields(type: ApiType, object: UnknownObject): string[] {
  const message = type.custom ? undefined : builtinMessage(formatGroupVersion(type.gvr), type.kind);
  const dropped: string[] = [];
  if (message) dropFrom(object, message, '', dropped);
  return dropped;
}

function dropFrom(value: Record<string, unknown>, message: Message, path: string, dropped: string[]): void {
  for (const name in value) {
    const at = path === '' ? name : `${path}.${name}`;
    const field = message.fields.get(name);
    if (field) dropBelow(value[name], field.type, at, dropped);
    else if (path !== '' || !HEAD.has(name)) {
      dropped.push(at);
      delete value[name];
    }
  }
}

function dropBelow(value: unknown, type: FieldType, at: string, dropped: string[]): void {
  if (type.is === 'scalar') return;
  if (type.is === 'message') {
    if (isJsonMap(value)) dropFrom(value, type.message, at, dropped);
  } else if (type.of.is === 'scalar') return;
  else if (type.is === 'list' && Array.isArray(value))
    value.forEach((item, i) => void dropBelow(item, type.of, `${at}[${i}]`, dropped));
  else if (type.is === 'map' && isJsonMap(value))
    for (const key in value) dropBelow(value[key], type.of, `${at}.${key}`, dropped);
}
