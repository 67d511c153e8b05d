import { isDeepStrictEqual } from 'node:util';
import { isMap } from '../apply/fields.ts';
import type { JsonSchema } from '../discovery/api-type.ts';
import type { FieldProblem } from '../http/statuses.ts';

/** Where a value breaks its schema, in the server's words. Source: kube-openapi validation/errors, apiextensions-apiserver schema validation. */
export function schemaProblems(object: object, schema: JsonSchema): FieldProblem[] {
  const problems: FieldProblem[] = [];
  check(object, schema, '', problems);
  return problems;
}

function check(value: unknown, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  if (value === null && schema.nullable) return;
  if (!hasType(value, schema)) {
    const found = JSON.stringify(typeName(value));
    add(problems, path, 'FieldValueTypeInvalid', `${found}: ${path} in body must be of type ${schema.type}: ${found}`);
    return;
  }
  if (schema.enum && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) {
    const allowed = schema.enum.map((v) => JSON.stringify(v)).join(', ');
    add(problems, path, 'FieldValueNotSupported', `${JSON.stringify(value)}: supported values: ${allowed}`);
  }
  if (typeof value === 'number') checkNumber(value, schema, path, problems);
  if (typeof value === 'string') checkString(value, schema, path, problems);
  if (Array.isArray(value)) checkList(value, schema, path, problems);
  if (isMap(value)) checkMap(value, schema, path, problems);
}

function add(problems: FieldProblem[], field: string, reason: FieldProblem['reason'], detail?: string): void {
  problems.push({ field, reason, detail });
}

function hasType(value: unknown, schema: JsonSchema): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMap(value);
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkNumber(value: number, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const relation = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    add(problems, path, 'FieldValueInvalid', `${value}: ${path} in body should be ${relation} ${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const relation = exclusiveMaximum ? 'less than' : 'less than or equal to';
    add(problems, path, 'FieldValueInvalid', `${value}: ${path} in body should be ${relation} ${maximum}`);
  }
}

function checkString(value: string, { minLength, maxLength, pattern }: JsonSchema, path: string, problems: FieldProblem[]): void {
  const shown = JSON.stringify(value);
  const length = [...value].length;
  if (minLength !== undefined && length < minLength) {
    add(problems, path, 'FieldValueInvalid', `${shown}: ${path} in body should be at least ${minLength} chars long`);
  }
  if (maxLength !== undefined && length > maxLength) add(problems, path, 'FieldValueTooLong', `may not be more than ${maxLength} bytes`);
  if (pattern !== undefined && !matches(pattern, value)) {
    add(problems, path, 'FieldValueInvalid', `${shown}: ${path} in body should match '${pattern}'`);
  }
}

/** A pattern JavaScript cannot read counts as matched: Go's syntax has a few forms of its own. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function checkList(value: readonly unknown[], { minItems, maxItems, items }: JsonSchema, path: string, problems: FieldProblem[]): void {
  const { length } = value;
  if (minItems !== undefined && length < minItems) {
    add(problems, path, 'FieldValueInvalid', `${length}: ${path} in body should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && length > maxItems)
    add(problems, path, 'FieldValueTooMany', `${length}: must have at most ${maxItems} items`);
  if (items) for (const [i, item] of value.entries()) check(item, items, `${path}[${i}]`, problems);
}

function checkMap(value: Record<string, unknown>, schema: JsonSchema, path: string, problems: FieldProblem[]): void {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of schema.required ?? []) if (value[name] === undefined) add(problems, at(name), 'FieldValueRequired');
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const [name, inner] of Object.entries(value)) {
    const known = schema.properties?.[name] ?? others;
    if (known && !(path === '' && name === 'metadata')) check(inner, known, at(name), problems);
  }
}
