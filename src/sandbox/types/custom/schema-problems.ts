import { isJsonMap, jsonText } from '../../../kit/exact-json.ts';
import { type FieldProblem, notImplemented } from '../../status/statuses.ts';
import type { JsonSchema } from '../api-type.ts';
import { equalJson } from '../equal.ts';
import { own } from '../own-fields.ts';
import { hasFormat } from './formats.ts';
import { goPattern } from './patterns.ts';

/**
 * The problems of a value by its schema, in the server's words. Throws 501 for a pattern that cannot be compiled: the
 * check of definitions does not look at every place where one can be.
 * Source: kube-openapi validation/errors and validation/validate, apiextensions-apiserver apiserver/validation.
 */
export function schemaProblems(object: object, schema: JsonSchema): FieldProblem[] {
  const problems: FieldProblem[] = [];
  check(object, schema, '', problems);
  return problems;
}

function check(value: unknown, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  if (value === null && schema.nullable) return;
  if (!hasType(value, schema)) {
    const found = JSON.stringify(typeName(value));
    const wanted = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type;
    add(problems, path, 'FieldValueTypeInvalid', `${found}: ${path} in body must be of type ${wanted}: ${found}`);
    if (schema.type === 'integer') checkFormat(value, schema, path, problems);
    checkEnum(value, schema, path, problems);
    return;
  }
  checkJunctors(value, schema, path, problems);
  if (typeof value === 'string') checkString(value, schema, path, problems);
  if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, path, problems);
  if (Array.isArray(value)) checkList(value, schema, path, problems);
  checkEnum(value, schema, path, problems);
  if (isJsonMap(value)) checkMap(value, schema, path, problems);
}

function checkEnum(value: unknown, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  if (schema.enum && !schema.enum.some((allowed) => equalJson(allowed, value))) {
    const allowed = schema.enum.map((v) => JSON.stringify(typeof v === 'string' ? v : jsonText(v))).join(', ');
    add(problems, path, 'FieldValueNotSupported', `${jsonText(value)}: supported values: ${allowed}`);
  }
}

function add(problems: FieldProblem[], field: string, reason: FieldProblem['reason'], detail?: string): void {
  problems.push({ field, reason, detail });
}

function hasType(value: unknown, schema: JsonSchema): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || isWhole(value);
  switch (schema.type) {
    case 'integer':
      return isWhole(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonMap(value);
    default:
      return true;
  }
}

/** Whether a number is an integer of 64 bits. */
function isWhole(value: unknown): value is number | bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return typeof value === 'number' && Number.isInteger(value) && isWhole(BigInt(value));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}

/** Checks allOf, anyOf, oneOf and not. As on the real server, their problems have no field: the path is in the text. */
function checkJunctors(
  value: unknown,
  { allOf, anyOf, oneOf, not }: JsonSchema,
  path: string,
  problems: FieldProblem[],
): void {
  const report = (rule: string) => add(problems, '<nil>', 'FieldValueInvalid', `"": ${JSON.stringify(path)} ${rule}`);
  const results = (schemas: readonly JsonSchema[] = []) =>
    schemas.map((schema) => {
      const found: FieldProblem[] = [];
      check(value, schema, path, found);
      return found;
    });
  const any = results(anyOf);
  if (anyOf?.length && any.every((r) => r.length > 0)) {
    report('must validate at least one schema (anyOf)');
    problems.push(...nearest(any));
  }
  const one = results(oneOf);
  const valid = one.filter((r) => r.length === 0).length;
  if (oneOf?.length && valid !== 1) {
    report(
      `must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`,
    );
    if (valid === 0) problems.push(...nearest(one));
  }
  const all = results(allOf);
  problems.push(...all.flat());
  const kept = all.filter((r) => r.length === 0).length;
  if (kept < all.length) report(`must validate all the schemas (allOf)${kept === 0 ? '. None validated' : ''}`);
  if (not && results([not])[0]?.length === 0) report('must not validate the schema (not)');
}

function nearest(results: readonly FieldProblem[][]): FieldProblem[] {
  return results.reduce((best, r) => (r.length < best.length ? r : best));
}

function checkNumber(value: number | bigint, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const report = (rule: string) =>
    add(problems, path, 'FieldValueInvalid', `${value}: ${path} in body should be ${rule}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) report(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    report(`${exclusiveMaximum ? 'less than' : 'less than or equal to'} ${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    report(`${exclusiveMinimum ? 'greater than' : 'greater than or equal to'} ${minimum}`);
  }
  if (isWhole(value)) checkFormat(value, format === undefined ? {} : { format }, path, problems);
}

/** Checks that a number is an integer of the size of its format. As on a real server, the problem has no field. */
function checkFormat(value: unknown, { format }: JsonSchema, path: string, problems: FieldProblem[]): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') return;
  const bits = format === 'int32' ? 32 : 64;
  if (isWhole(value) && BigInt.asIntN(bits, BigInt(value)) === BigInt(value)) return;
  const sort = format === undefined ? '(default format)' : `with format ${format}`;
  add(problems, '<nil>', 'FieldValueInvalid', `"": Checked value must be of type integer ${sort} in ${path}`);
}

function isMultiple(value: number | bigint, of: number): boolean {
  return typeof value === 'bigint' && Number.isSafeInteger(of)
    ? value % BigInt(of) === 0n
    : Number.isInteger(Number(value) / of);
}

function checkString(
  value: string,
  { minLength, maxLength, pattern, format }: JsonSchema,
  path: string,
  problems: FieldProblem[],
): void {
  const shown = JSON.stringify(value);
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) {
    add(problems, path, 'FieldValueTooLong', `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`);
  }
  if (minLength !== undefined && length < minLength) {
    add(problems, path, 'FieldValueInvalid', `${shown}: ${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined && !matches(pattern, value)) {
    add(problems, path, 'FieldValueInvalid', `${shown}: ${path} in body should match '${pattern}'`);
  }
  if (format !== undefined && !hasFormat(format, value)) {
    add(problems, path, 'FieldValueTypeInvalid', `${shown}: ${path} in body must be of type ${format}: ${shown}`);
  }
}

function matches(pattern: string, value: string): boolean {
  const readable = goPattern(pattern) ?? notImplemented(`the pattern ${JSON.stringify(pattern)}`);
  return readable.test(value);
}

function checkList(value: readonly unknown[], schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const { minItems, maxItems, items } = schema;
  const { length } = value;
  if (items) for (const [i, item] of value.entries()) check(item, items, `${path}[${i}]`, problems);
  if (minItems !== undefined && length < minItems) {
    add(problems, path, 'FieldValueInvalid', `${length}: ${path} in body should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && length > maxItems) tooMany(length, maxItems, path, problems);
  checkUnique(value, schema, path, problems);
}

function tooMany(length: number, most: number, path: string, problems: FieldProblem[]): void {
  add(problems, path, 'FieldValueTooMany', `${length}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`);
}

/**
 * Finds equal items in a set, and items with equal keys in a map list. Source: apiextensions-apiserver schema/listtype.
 */
function checkUnique(value: readonly unknown[], schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const id = jsonText(listType === 'map' && isJsonMap(item) ? keyOf(item, keys) : item);
    if (seen.has(id)) add(problems, `${path}[${i}]`, 'FieldValueDuplicate', id);
    seen.add(id);
  }
}

function keyOf(item: Record<string, unknown>, keys: readonly string[]): object {
  const sorted = [...keys].sort().filter((key) => item[key] !== undefined);
  return Object.fromEntries(sorted.map((key) => [key, item[key]]));
}

function checkMap(value: Record<string, unknown>, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { length } = Object.keys(value);
  if (schema.maxProperties !== undefined && length > schema.maxProperties)
    tooMany(length, schema.maxProperties, path, problems);
  if (schema.minProperties !== undefined && length < schema.minProperties) {
    add(
      problems,
      path,
      'FieldValueInvalid',
      `${length}: ${path} in body should have at least ${schema.minProperties} properties`,
    );
  }
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const [name, inner] of Object.entries(value)) {
    const known = own(schema.properties, name) ?? others;
    if (known && !(path === '' && name === 'metadata')) check(inner, known, at(name), problems);
  }
  for (const name of schema.required ?? [])
    if (own(value, name) === undefined) add(problems, at(name), 'FieldValueRequired');
  if (!schema['x-kubernetes-embedded-resource']) return;
  for (const name of ['apiVersion', 'kind'])
    if (!value[name]) add(problems, at(name), 'FieldValueRequired', 'must not be empty');
}
