import { jsonText } from '../../../kit/exact-json.ts';
import type { UnknownObject } from '../../../model/object.ts';
import { badRequest, type FieldProblem, invalid } from '../../status/statuses.ts';
import type { ApiType, JsonSchema } from '../api-type.ts';
import { copy } from '../copy.ts';
import { equalJson } from '../equal.ts';
import { isFieldMap } from '../fields.ts';
import { own, setOwn } from '../own-fields.ts';
import { ruleProblems } from './rules.ts';
import { schemaProblems } from './schema-problems.ts';

/** What to do about fields the schema does not know. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface AdmitOptions {
  readonly fieldValidation?: FieldValidation | undefined;
  readonly warn?: ((text: string) => void) | undefined;
  /** What else was wrong with how the object was written: `duplicate field "spec.foo"`. */
  readonly duplicates?: readonly string[] | undefined;
  /** What the object takes the place of. What was wrong there already and did not change is let pass. */
  readonly before?: UnknownObject | undefined;
}

/**
 * Prunes, defaults and checks a custom resource by its schema. Changes the object.
 * Throws 400 for unknown fields when strict, 422 for what the schema forbids.
 */
export function admitCustom(type: ApiType, object: UnknownObject, { fieldValidation, warn, duplicates = [], before }: AdmitOptions): void {
  const schema = type.custom?.schema;
  if (!schema) return;
  tellStrict(type, [...duplicates, ...pruneRoot(object, schema).map(unknownField)], { fieldValidation, warn });
  setSchemaDefaults(object, schema);
  const problems = allProblems(object, schema, before);
  const { group } = type.gvr;
  if (problems.length > 0) invalid({ group, kind: type.kind }, object.metadata.name ?? '', problems);
}

/** Problems that keep rules from being looked at: they could fail for the wrong reason. */
const BLOCKING = new Set<FieldProblem['reason']>(['FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid']);

const UNCHECKED: FieldProblem = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  detail: 'null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** What is wrong now and was not so before. Source: KEP-4008 for what is let pass. */
function allProblems(object: UnknownObject, schema: JsonSchema, before: UnknownObject | undefined): FieldProblem[] {
  const found = schemaProblems(object, schema);
  const old = before && found.length > 0 ? schemaProblems(before, schema) : [];
  const stood = (p: FieldProblem) => old.some((o) => o.field === p.field && o.reason === p.reason && o.detail === p.detail);
  const problems = before ? found.filter((p) => !stood(p) || !equalJson(placeOf(p, before), placeOf(p, object))) : found;
  if (!hasRules(schema)) return problems;
  if (problems.some(({ reason }) => BLOCKING.has(reason))) return [...problems, UNCHECKED];
  return [...problems, ...ruleProblems(object, schema, before)];
}

/** The value a problem is about. Those told of no field name it in their text. */
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

/** Fills in what a schema gives by default, in an object that was stored before the schema said so. Changes the object. */
export function setSchemaDefaults(object: UnknownObject, schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (name !== 'metadata') setOwn(object, name, withDefaults(own(object, name), property));
  }
  for (const name of Object.keys(object)) if (object[name] === undefined) delete object[name];
}

/** The fields of a custom resource its schema does not know; they are taken out of it. */
export function unknownFieldsOf({ custom }: ApiType, object: UnknownObject): string[] {
  return custom?.schema ? pruneRoot(object, custom.schema) : [];
}

/** Refuses with 400 what was wrong with how an object was written, or warns of it: `unknown field "spec.foo"`. */
export function tellStrict({ kind, gvr }: ApiType, problems: readonly string[], { fieldValidation = 'Warn', warn }: AdmitOptions): void {
  if (fieldValidation === 'Strict' && problems.length > 0) {
    const told = problems.join(', ');
    badRequest(`${kind} in version ${JSON.stringify(gvr.version)} cannot be handled as a ${kind}: strict decoding error: ${told}`);
  }
  if (fieldValidation === 'Warn') for (const problem of problems) warn?.(problem);
}

export function unknownField(path: string): string {
  return `unknown field "${path}"`;
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
  if (!isFieldMap(value)) return;
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

/** A value with the schema's defaults filled in, below it too. */
function withDefaults(value: unknown, schema: JsonSchema): unknown {
  const present = value === undefined || (value === null && !schema.nullable && isTyped(schema)) ? copy(schema.default) : value;
  if (isFieldMap(present)) {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const inner = withDefaults(own(present, name), property);
      if (inner !== undefined) setOwn(present, name, inner);
      else delete present[name];
    }
    const others = schema.additionalProperties;
    if (typeof others === 'object') for (const name in present) setOwn(present, name, withDefaults(present[name], others) ?? present[name]);
  }
  if (Array.isArray(present) && schema.items) {
    const { items } = schema;
    return present.map((item) => withDefaults(item, items) ?? item);
  }
  return present;
}

/** A schema that says nothing of the type lets null be. */
function isTyped(schema: JsonSchema): boolean {
  return schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true;
}
