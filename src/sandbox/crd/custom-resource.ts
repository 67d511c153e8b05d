import type { UnknownObject } from '../../model/object.ts';
import { isMap } from '../apply/fields.ts';
import type { ApiType, JsonSchema } from '../discovery/api-type.ts';
import { badRequest, invalid } from '../http/statuses.ts';
import { copy } from '../write/copy.ts';
import { schemaProblems } from './schema-problems.ts';

/** What to do about fields the schema does not know. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface AdmitOptions {
  readonly fieldValidation?: FieldValidation | undefined;
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * Prunes, defaults and checks a custom resource by its schema. Changes the object.
 * Throws 400 for unknown fields when strict, 422 for what the schema forbids.
 */
export function admitCustom(type: ApiType, object: UnknownObject, { fieldValidation = 'Warn', warn }: AdmitOptions): void {
  const schema = type.custom?.schema;
  if (!schema) return;
  tellUnknown(type, pruneRoot(object, schema), { fieldValidation, warn });
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (name !== 'metadata') object[name] = withDefaults(object[name], property);
  for (const name of Object.keys(object)) if (object[name] === undefined) delete object[name];
  const problems = schemaProblems(object, schema);
  const { group } = type.gvr;
  if (problems.length > 0) invalid({ group, kind: type.kind }, object.metadata.name ?? '', problems);
}

/** Refuses fields nobody knows with 400 when strict, or warns of them. */
export function tellUnknown(type: ApiType, unknown: readonly string[], { fieldValidation = 'Warn', warn }: AdmitOptions): void {
  if (fieldValidation === 'Strict' && unknown.length > 0) refuseUnknown(type, unknown);
  if (fieldValidation === 'Warn') for (const path of unknown) warn?.(`unknown field "${path}"`);
}

function refuseUnknown({ kind, gvr }: ApiType, unknown: readonly string[]): never {
  const fields = unknown.map((path) => `unknown field "${path}"`).join(', ');
  badRequest(`${kind} in version ${JSON.stringify(gvr.version)} cannot be handled as a ${kind}: strict decoding error: ${fields}`);
}

const ROOT_FIELDS = ['apiVersion', 'kind', 'metadata'];

function pruneRoot(object: UnknownObject, schema: JsonSchema): string[] {
  const unknown: string[] = [];
  prune(object, { ...schema, properties: { ...schema.properties, ...Object.fromEntries(ROOT_FIELDS.map((f) => [f, KEEP])) } }, '', unknown);
  return unknown;
}

const KEEP: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Takes out what the schema does not name. A part that says nothing of its fields loses them all, unless it preserves unknown ones. */
function prune(value: unknown, schema: JsonSchema, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const [i, item] of value.entries()) prune(item, schema.items, `${path}[${i}]`, unknown);
    return;
  }
  if (!isMap(value)) return;
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const known = schema.properties?.[name] ?? others;
    if (known) prune(inner, known, at, unknown);
    else if (!keepsAll && !(schema['x-kubernetes-embedded-resource'] && ROOT_FIELDS.includes(name))) {
      delete value[name];
      unknown.push(at);
    }
  }
}

/** A value with the schema's defaults filled in, below it too. */
function withDefaults(value: unknown, schema: JsonSchema): unknown {
  const present = value === undefined ? copy(schema.default) : value;
  if (isMap(present)) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const inner = withDefaults(present[name], property);
      if (inner !== undefined) present[name] = inner;
    }
  }
  if (Array.isArray(present) && schema.items) {
    const { items } = schema;
    return present.map((item) => withDefaults(item, items));
  }
  return present;
}
