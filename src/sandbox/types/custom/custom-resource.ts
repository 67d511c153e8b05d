import { isJsonMap, jsonText } from '../../../kit/exact-json.ts';
import type { UnknownObject } from '../../../model/object.ts';
import { badRequest, type FieldProblem, invalid } from '../../status/statuses.ts';
import type { ApiType, JsonSchema } from '../api-type.ts';
import { copy } from '../copy.ts';
import { equalJson } from '../equal.ts';
import { own, setOwn } from '../own-fields.ts';
import { withPatternLimit } from './patterns.ts';
import { schemaProblems } from './schema-problems.ts';
import { ruleProblems } from './validation-rules.ts';

/** How a write treats fields that the schema does not have. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface AdmitOptions {
  readonly fieldValidation?: FieldValidation | undefined;
  readonly warn?: ((text: string) => void) | undefined;
  /** Other problems of the written text: `duplicate field "spec.foo"`. */
  readonly duplicates?: readonly string[] | undefined;
  /** The stored object that is replaced. A problem that it had already is accepted when its value did not change. */
  readonly before?: UnknownObject | undefined;
}

/**
 * Prunes, defaults and validates a custom resource by its schema. Changes the object.
 * Throws 400 for unknown fields when validation is strict, 422 for values that the schema forbids.
 */
export function admitCustom(
  type: ApiType,
  object: UnknownObject,
  { fieldValidation, warn, duplicates = [], before }: AdmitOptions,
): void {
  const schema = type.custom?.schema;
  if (!schema) return;
  reportDecodingProblems(type, [...duplicates, ...pruneRoot(object, schema).map(unknownField)], {
    fieldValidation,
    warn,
  });
  setSchemaDefaults(object, schema);
  const problems = withPatternLimit(() => allProblems(object, schema, before));
  const { group } = type.gvr;
  if (problems.length > 0) invalid({ group, kind: type.kind }, object.metadata.name ?? '', problems);
}

/** Problems that prevent the evaluation of rules, which could fail for the wrong reason. */
const BLOCKING = new Set<FieldProblem['reason']>([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const UNCHECKED: FieldProblem = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  detail:
    'null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** The problems of an object, without those that the stored object has already. Source: KEP-4008. */
function allProblems(object: UnknownObject, schema: JsonSchema, before: UnknownObject | undefined): FieldProblem[] {
  const found = schemaProblems(object, schema);
  const old = before && found.length > 0 ? schemaProblems(before, schema) : [];
  const isOld = (p: FieldProblem) =>
    old.some((o) => o.field === p.field && o.reason === p.reason && o.detail === p.detail);
  const problems = before
    ? found.filter((p) => !isOld(p) || !equalJson(placeOf(p, before), placeOf(p, object)))
    : found;
  if (!hasRules(schema)) return problems;
  if (problems.some(({ reason }) => BLOCKING.has(reason))) return [...problems, UNCHECKED];
  return [...problems, ...ruleProblems(object, schema, before)];
}

/** The value that a problem is about. A problem without a field has the path in its text. */
function placeOf({ field, detail = '' }: FieldProblem, object: UnknownObject): unknown {
  const path = field === '<nil>' ? (/^"": "([^"]*)"/.exec(detail)?.[1] ?? '') : field;
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], object);
}

const withRules = new WeakMap<JsonSchema, boolean>();

function hasRules(schema: JsonSchema): boolean {
  let has = withRules.get(schema);
  if (has === undefined) {
    has = jsonText(schema).includes('"x-kubernetes-validations"');
    withRules.set(schema, has);
  }
  return has;
}

/** Adds the defaults of a schema to an object that was stored before the schema had them. Changes the object. */
export function setSchemaDefaults(object: UnknownObject, schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (name !== 'metadata') setOwn(object, name, withDefaults(own(object, name), property));
  }
  for (const name of Object.keys(object)) if (object[name] === undefined) delete object[name];
}

/** Removes the fields that the schema does not have from a custom resource. Returns their paths. */
export function unknownFieldsOf({ custom }: ApiType, object: UnknownObject): string[] {
  return custom?.schema ? pruneRoot(object, custom.schema) : [];
}

/**
 * Reports problems of the written text, such as `unknown field "spec.foo"`: with 400 when validation is strict, else as
 * warnings.
 */
export function reportDecodingProblems(
  { kind, gvr }: ApiType,
  problems: readonly string[],
  { fieldValidation = 'Warn', warn }: AdmitOptions,
): void {
  if (fieldValidation === 'Strict' && problems.length > 0) {
    const list = problems.join(', ');
    badRequest(
      `${kind} in version ${JSON.stringify(gvr.version)} cannot be handled as a ${kind}: strict decoding error: ${list}`,
    );
  }
  if (fieldValidation === 'Warn') for (const problem of problems) warn?.(problem);
}

export function unknownField(path: string): string {
  return `unknown field "${path}"`;
}

const ROOT_FIELDS = ['apiVersion', 'kind', 'metadata'];

function pruneRoot(object: UnknownObject, schema: JsonSchema): string[] {
  const unknown: string[] = [];
  prune(
    object,
    { ...schema, properties: { ...schema.properties, ...Object.fromEntries(ROOT_FIELDS.map((f) => [f, KEEP])) } },
    '',
    unknown,
  );
  return unknown;
}

const KEEP: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Removes what the schema does not have. A part without properties loses all fields, unless it preserves unknown
 * fields.
 */
function prune(value: unknown, schema: JsonSchema, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const [i, item] of value.entries()) prune(item, schema.items, `${path}[${i}]`, unknown);
    return;
  }
  if (!isJsonMap(value)) return;
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const known = own(schema.properties, name) ?? others;
    if (known) prune(inner, known, at, unknown);
    else if (!keepsAll && !(schema['x-kubernetes-embedded-resource'] && ROOT_FIELDS.includes(name))) {
      delete value[name];
      unknown.push(at);
    }
  }
}

/** A value with the defaults of its schema, at every depth. */
function withDefaults(value: unknown, schema: JsonSchema): unknown {
  const present =
    value === undefined || (value === null && !schema.nullable && isTyped(schema)) ? copy(schema.default) : value;
  if (isJsonMap(present)) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const inner = withDefaults(own(present, name), property);
      if (inner !== undefined) setOwn(present, name, inner);
      else delete present[name];
    }
    const others = schema.additionalProperties;
    if (typeof others === 'object')
      for (const name in present) setOwn(present, name, withDefaults(present[name], others) ?? present[name]);
  }
  if (Array.isArray(present) && schema.items) {
    const { items } = schema;
    return present.map((item) => withDefaults(item, items) ?? item);
  }
  return present;
}

/** Whether a schema has a type. Without one, null is a value like any other. */
function isTyped(schema: JsonSchema): boolean {
  return schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true;
}
