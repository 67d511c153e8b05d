import { jsonText, parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { internal } from '../status/statuses.ts';
import type { ApiType, JsonSchema } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { unknownFieldsOf } from '../types/custom/custom-resource.ts';
import { applyProblem, emptyNulls, expected, mismatches } from '../types/field-types.ts';
import { isFieldMap, itemKey } from '../types/fields.ts';
import { dropUnknownFields } from '../types/known-fields.ts';
import { own } from '../types/own-fields.ts';
import { fieldShape, type Shape, shapeOf } from '../types/shape.ts';

/**
 * Refuses a configuration that is no object of its type: unknown fields, list items without their key or with the key of another.
 * Throws 500, without a reason, as the real server does. Source: structured-merge-diff typed/validate.go.
 */
export function checkTyped(type: ApiType, configuration: UnknownObject, name: string): void {
  emptyNulls(type, configuration);
  const shape = shapeOf(type);
  const unknown = type.custom ? unknownFieldsOf(type, copy(configuration)) : dropUnknownFields(type, copy(configuration));
  const problems = [
    ...unknown.map((path) => `${typedPath(path, configuration, shape)}: field not declared in schema`),
    ...listProblems(configuration, shape, ''),
    ...mismatches(type, configuration).map((m) => `${typedPath(m.path, configuration, shape)}: ${applyProblem(m)}`),
    ...(type.custom?.schema ? customProblems(configuration, type.custom.schema, shape, '') : []),
  ];
  if (problems.length === 0) return;
  const told = problems.length === 1 ? problems[0] : ['errors:', ...problems.map((p) => `  ${p}`)].join('\n');
  const gvk = `${type.gvr.group === '' ? '/' : ''}${formatGroupVersion(type.gvr)}, Kind=${type.kind}`;
  internal(`failed to create typed patch object (${configuration.metadata.namespace ?? ''}/${name}; ${gvk}): ${told}`);
}

/** `spec.containers[0].foo` as it is told here: `.spec.containers[name="c"].foo`. */
function typedPath(path: string, object: UnknownObject, root: Shape): string {
  let value: unknown = object;
  let shape: Shape | undefined = root;
  let told = '';
  for (const [, field, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (field !== undefined) {
      shape = fieldShape(shape, field);
      value = isFieldMap(value) ? value[field] : undefined;
      told += `.${field}`;
      continue;
    }
    const item: unknown = Array.isArray(value) ? value[Number(index)] : undefined;
    told += shape?.keys && isFieldMap(item) ? keyText(item, shape.keys) : `[${index}]`;
    shape = shape?.items;
    value = item;
  }
  return told;
}

function keyText(item: Record<string, unknown>, keys: readonly string[]): string {
  const entries = Object.entries(parseJson(itemKey(item, keys)) as Record<string, unknown>);
  return `[${entries.map(([key, value]) => `${key}=${jsonText(value)}`).join(',')}]`;
}

function listProblems(value: unknown, shape: Shape | undefined, path: string): string[] {
  if (isFieldMap(value)) {
    return Object.entries(value).flatMap(([name, inner]) => listProblems(inner, fieldShape(shape, name), `${path}.${name}`));
  }
  if (!Array.isArray(value) || !(shape?.keys || shape?.set)) return [];
  const seen = new Set<string>();
  return value.flatMap((item: unknown, i) => {
    const missing = isFieldMap(item) ? shape.keys?.find((key) => item[key] === undefined && key !== 'protocol') : undefined;
    if (missing) {
      const why = `associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`;
      return [`${path}: element ${i}: ${why}`];
    }
    const key = shape.keys && isFieldMap(item) ? keyText(item, shape.keys) : `[=${jsonText(item)}]`;
    if (seen.has(key)) return [`${path}: duplicate entries for key ${key}`];
    seen.add(key);
    return listProblems(item, shape.items, `${path}${key}`);
  });
}

/** Values of a custom resource that are not of the type its schema says. */
function customProblems(value: unknown, schema: JsonSchema, shape: Shape | undefined, path: string): string[] {
  if (value === null || value === undefined || schema['x-kubernetes-int-or-string']) return [];
  const wanted = SCHEMA_TYPES[schema.type ?? ''];
  if (wanted && !wanted.fits(value)) return [`${path}: ${expected(wanted.name, value)}`];
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  if (isFieldMap(value)) {
    return Object.entries(value).flatMap(([name, inner]) => {
      const known = own(schema.properties, name) ?? others;
      return known && !(path === '' && name === 'metadata') ? customProblems(inner, known, fieldShape(shape, name), `${path}.${name}`) : [];
    });
  }
  const { items } = schema;
  if (!Array.isArray(value) || !items) return [];
  return value.flatMap((item: unknown, i) => {
    const at = shape?.keys && isFieldMap(item) ? keyText(item, shape.keys) : `[${i}]`;
    return customProblems(item, items, shape?.items, `${path}${at}`);
  });
}

const SCHEMA_TYPES: Readonly<Record<string, { readonly name: string; readonly fits: (value: unknown) => boolean }>> = {
  array: { name: 'list', fits: Array.isArray },
  boolean: { name: 'boolean', fits: (value) => typeof value === 'boolean' },
  integer: { name: 'numeric (int or float)', fits: (value) => typeof value === 'number' || typeof value === 'bigint' },
  number: { name: 'numeric (int or float)', fits: (value) => typeof value === 'number' || typeof value === 'bigint' },
  object: { name: 'map', fits: isFieldMap },
  string: { name: 'string', fits: (value) => typeof value === 'string' },
};
