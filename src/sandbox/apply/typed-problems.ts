import { isJsonMap, jsonText, parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { internal } from '../status/statuses.ts';
import type { ApiType, JsonSchema } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { unknownFieldsOf } from '../types/custom/custom-resource.ts';
import { applyProblem, emptyNulls, expected, mismatches, NUMERIC } from '../types/field-types.ts';
import { itemKey } from '../types/fields.ts';
import { dropUnknownFields } from '../types/known-fields.ts';
import { fieldShape, type Shape, shapeOf } from '../types/merge-rules.ts';
import { own } from '../types/own-fields.ts';

/**
 * Throws when an applied configuration does not fit its type: for unknown fields, values of a wrong type, and list
 * items whose key is missing or a duplicate. The error is a 500 without a reason, as on a real server. Source:
 * structured-merge-diff typed/validate.go.
 */
export function checkTyped(type: ApiType, configuration: UnknownObject, name: string): void {
  emptyNulls(type, configuration);
  const shape = shapeOf(type);
  const unknown = type.custom
    ? unknownFieldsOf(type, copy(configuration))
    : dropUnknownFields(type, copy(configuration));
  const misfits = type.custom?.schema ? misfitsOf(configuration, type.custom.schema, shape, '') : [];
  const unknownPaths = unknown.map((path) => typedPath(path, configuration, shape));
  const problems = [
    ...unknownPaths
      .filter((path) => !misfits.some((m) => isBelow(path, m.path)))
      .map((path) => `${path}: field not declared in schema`),
    ...listProblems(configuration, shape, ''),
    ...mismatches(type, configuration).map((m) => `${typedPath(m.path, configuration, shape)}: ${applyProblem(m)}`),
    ...misfits.map(({ path, problem }) => `${path}: ${problem}`),
  ];
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : ['errors:', ...problems.map((p) => `  ${p}`)].join('\n');
  const gvk = `${type.gvr.group === '' ? '/' : ''}${formatGroupVersion(type.gvr)}, Kind=${type.kind}`;
  internal(`failed to create typed patch object (${configuration.metadata.namespace ?? ''}/${name}; ${gvk}): ${text}`);
}

/** A path in the notation of these errors: `.spec.containers[name="c"].foo` for `spec.containers[0].foo`. */
function typedPath(path: string, object: UnknownObject, root: Shape): string {
  let value: unknown = object;
  let shape: Shape | undefined = root;
  let text = '';
  for (const [, field, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (field !== undefined) {
      shape = fieldShape(shape, field);
      value = isJsonMap(value) ? value[field] : undefined;
      text += `.${field}`;
      continue;
    }
    const item: unknown = Array.isArray(value) ? value[Number(index)] : undefined;
    text += shape?.keys && isJsonMap(item) ? keyText(item, shape.keys) : `[${index}]`;
    shape = shape?.items;
    value = item;
  }
  return text;
}

function keyText(item: Record<string, unknown>, keys: readonly string[]): string {
  const entries = Object.entries(parseJson(itemKey(item, keys)) as Record<string, unknown>);
  return `[${entries.map(([key, value]) => `${key}=${jsonText(value)}`).join(',')}]`;
}

function listProblems(value: unknown, shape: Shape | undefined, path: string): string[] {
  if (isJsonMap(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      listProblems(inner, fieldShape(shape, name), `${path}.${name}`),
    );
  }
  if (!Array.isArray(value) || !(shape?.keys || shape?.set)) return [];
  const seen = new Set<string>();
  return value.flatMap((item: unknown, i) => {
    const missing = isJsonMap(item)
      ? shape.keys?.find((key) => item[key] === undefined && key !== 'protocol')
      : undefined;
    if (missing) {
      const why = `associative list with keys has an element that omits key field ${JSON.stringify(missing)} (and doesn't have default value)`;
      return [`${path}: element ${i}: ${why}`];
    }
    const key = shape.keys && isJsonMap(item) ? keyText(item, shape.keys) : `[=${jsonText(item)}]`;
    if (seen.has(key)) return [`${path}: duplicate entries for key ${key}`];
    seen.add(key);
    return listProblems(item, shape.items, `${path}${key}`);
  });
}

function isBelow(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
}

/** A value whose type is not that of its schema. */
interface Misfit {
  readonly path: string;
  readonly problem: string;
}

/** The values of a custom resource whose type is not that of the schema. Nothing below such a value is checked. */
function misfitsOf(value: unknown, schema: JsonSchema, shape: Shape | undefined, path: string): Misfit[] {
  if (value === null || value === undefined || schema['x-kubernetes-int-or-string']) return [];
  const wanted = SCHEMA_TYPES[schema.type ?? ''];
  if (wanted && !wanted.fits(value)) return [{ path, problem: expected(wanted.name, value) }];
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  if (isJsonMap(value)) {
    return Object.entries(value).flatMap(([name, inner]) => {
      const known = own(schema.properties, name) ?? others;
      return known && !(path === '' && name === 'metadata')
        ? misfitsOf(inner, known, fieldShape(shape, name), `${path}.${name}`)
        : [];
    });
  }
  const { items } = schema;
  if (!Array.isArray(value) || !items) return [];
  return value.flatMap((item: unknown, i) => {
    const at = shape?.keys && isJsonMap(item) ? keyText(item, shape.keys) : `[${i}]`;
    return misfitsOf(item, items, shape?.items, `${path}${at}`);
  });
}

const SCHEMA_TYPES: Readonly<Record<string, { readonly name: string; readonly fits: (value: unknown) => boolean }>> = {
  array: { name: 'list', fits: Array.isArray },
  boolean: { name: 'boolean', fits: (value) => typeof value === 'boolean' },
  integer: { name: NUMERIC, fits: (value) => typeof value === 'number' || typeof value === 'bigint' },
  number: { name: NUMERIC, fits: (value) => typeof value === 'number' || typeof value === 'bigint' },
  object: { name: 'map', fits: isJsonMap },
  string: { name: 'string', fits: (value) => typeof value === 'string' },
};
