import { formatGroupVersion } from '../../model/gvr.ts';
import type { ApiType, JsonSchema } from './api-type.ts';
import { builtinMessage, type Field, type FieldType, type Message } from './fields/field-table.ts';
import { own } from './own-fields.ts';

/**
 * How a field merges. Without a shape, a map merges key by key, and a list is replaced as a whole: the API reference
 * says so for fields without merge rules.
 */
export interface Shape {
  /** A map that is replaced as a whole. */
  readonly atomic?: boolean;
  /** For a list: the fields that identify an item. */
  readonly keys?: readonly string[] | undefined;
  /** A list of scalar values without duplicates. */
  readonly set?: boolean;
  /** Whether a strategic merge patch merges the list. An apply can differ. */
  readonly patchMerges?: boolean;
  /** The one field that identifies an item in a strategic merge patch. */
  readonly patchKey?: string | undefined;
  readonly fields?: Readonly<Record<string, Shape>> | undefined;
  /** The items of a list, or the values of a map. */
  readonly items?: Shape | undefined;
}

const ATOMIC: Shape = { atomic: true };
const SET: Shape = { set: true };
const PLAIN: Shape = {};

/** Whether the merge rules of a type are known. Without them the result of a strategic merge patch would be wrong. */
export function hasShape(type: ApiType): boolean {
  return type.custom !== undefined || builtinMessage(formatGroupVersion(type.gvr), type.kind) !== undefined;
}

const shapes = new WeakMap<ApiType, Shape>();

/** The merge rules of a type: from the field table for a built-in type, from the schema for a custom type. */
export function shapeOf(type: ApiType): Shape {
  let shape = shapes.get(type);
  if (!shape) {
    shape = type.custom ? ofCustom(type.custom.schema) : ofKind(formatGroupVersion(type.gvr), type.kind);
    shapes.set(type, shape);
  }
  return shape;
}

/** The shape of a field below a shape. */
export function fieldShape(shape: Shape | undefined, field: string): Shape | undefined {
  return own(shape?.fields, field) ?? (shape?.keys ? undefined : shape?.items);
}

function ofKind(apiVersion: string, kind: string): Shape {
  const message = builtinMessage(apiVersion, kind);
  return message ? ofMessage(message) : { fields: { metadata: ofKind('meta.k8s.io/v1', 'ObjectMeta') } };
}

function ofCustom(schema: JsonSchema | undefined): Shape {
  const own = schema ? ofSchema(schema) : PLAIN;
  return { ...own, fields: { ...own.fields, metadata: ofKind('meta.k8s.io/v1', 'ObjectMeta') } };
}

const messages = new WeakMap<Message, Shape>();

/** The fields are resolved at first use, because a message can contain itself. */
function ofMessage(message: Message): Shape {
  let shape = messages.get(message);
  if (shape) return shape;
  let fields: Readonly<Record<string, Shape>> | undefined;
  const get = () => {
    fields ??= Object.fromEntries([...message.fields.values()].map((field) => [field.name, ofField(field)]));
    return fields;
  };
  shape = message.atomic
    ? ATOMIC
    : {
        get fields() {
          return get();
        },
      };
  messages.set(message, shape);
  return shape;
}

function ofField({ type, atomic, keys, set, patchStrategy = '', patchKey }: Field): Shape {
  if (atomic) return ATOMIC;
  if (type.is !== 'list') return ofType(type);
  const patchMerges = patchStrategy.includes('merge');
  return {
    ...(keys ? { keys } : {}),
    ...(set ? SET : {}),
    ...(patchMerges ? { patchMerges, patchKey } : {}),
    items: ofType(type.of),
  };
}

function ofType(type: FieldType): Shape {
  if (type.is === 'message') return ofMessage(type.message);
  return type.is === 'scalar' ? PLAIN : { items: ofType(type.of) };
}

function ofSchema(schema: JsonSchema): Shape {
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const inner = schema.items ?? values;
  const listType = schema['x-kubernetes-list-type'];
  return {
    ...(schema['x-kubernetes-map-type'] === 'atomic' ? ATOMIC : {}),
    ...(listType === 'map' ? { keys: schema['x-kubernetes-list-map-keys'] ?? [] } : {}),
    ...(listType === 'set' ? SET : {}),
    ...(inner ? { items: ofSchema(inner) } : {}),
    ...(schema.properties
      ? {
          fields: Object.fromEntries(
            Object.entries(schema.properties).map(([field, property]) => [field, ofSchema(property)]),
          ),
        }
      : {}),
  };
}
