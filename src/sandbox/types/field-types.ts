import { isJsonMap } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import { unsupportedValue } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import type { ApiType } from './api-type.ts';
import { builtinMessage, type FieldType, type Message, type Scalar } from './fields/field-table.ts';
import { goPlusV, goSharpV, goTypeOf } from './go-text.ts';
import { readServerQuantity } from './stored-quantity.ts';

/** A value that does not have the type of its field. */
export interface Mismatch {
  /** `spec.containers[0].image`. */
  readonly path: string;
  /** The message that has the field: `Container`. */
  readonly of: string;
  readonly value: unknown;
  readonly type: FieldType;
}

/**
 * The values of an object that do not have the types of their fields. Fields that the field table does not have are not
 * checked.
 */
export function mismatches(type: ApiType, object: UnknownObject): Mismatch[] {
  const found: Mismatch[] = [];
  visit(type, object, (value, fieldType, path, of) => {
    if (!fits(value, fieldType)) found.push({ path, of, value, type: fieldType });
  });
  return found;
}

/**
 * Replaces null in a map or a list by the empty value of its type, as Go does. In a CustomResourceDefinition, fields
 * that are null are removed, except `default`, which can be null. Changes the object.
 */
export function emptyNulls(type: ApiType, object: UnknownObject): void {
  const isDefinition = type.kind === 'CustomResourceDefinition';
  visit(type, object, (value, fieldType) => {
    if (isDefinition && fieldType.is === 'message' && isJsonMap(value)) dropNulls(value);
    if (fieldType.is !== 'list' && fieldType.is !== 'map') return;
    const parts = value as Record<string, unknown>;
    if (isJsonMap(value) || Array.isArray(value))
      for (const key in parts) if (parts[key] === null) parts[key] = emptyOf(fieldType.of);
  });
}

function dropNulls(fields: Record<string, unknown>): void {
  for (const name in fields) if (fields[name] === null && name !== 'default') delete fields[name];
}

function emptyOf(type: FieldType): unknown {
  if (type.is === 'message') return {};
  return type.is === 'scalar' ? (EMPTY[type.scalar] ?? null) : null;
}

const EMPTY: Partial<Readonly<Record<Scalar, unknown>>> = {
  string: '',
  bytes: '',
  int: 0,
  long: 0,
  number: 0,
  bool: false,
  Quantity: '0',
  IntOrString: 0,
};

/** The fields whose value is not one of the allowed strings. Status is not checked. */
export function choiceProblems(type: ApiType, object: UnknownObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(type, object, (value, fieldType, path) => {
    const values = fieldType.is === 'scalar' ? fieldType.values : undefined;
    if (!values || typeof value !== 'string' || value === '' || values.includes(value) || path.startsWith('status.'))
      return;
    problems.push(unsupportedValue(path, value, values));
  });
  return problems;
}

/**
 * The error text of the real server's decoder for a mismatch. Source: sigs.k8s.io/json UnmarshalTypeError, apimachinery
 * api/resource.
 */
export function decodeProblem({ gvr }: ApiType, { path, of, value, type }: Mismatch): string {
  const quantity = type.is === 'scalar' && type.scalar === 'Quantity' ? quantityProblem(value) : undefined;
  if (quantity !== undefined) return quantity;
  if (type.is === 'scalar' && type.scalar === 'Time' && typeof value === 'string') {
    return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`;
  }
  if (type.is === 'scalar' && type.scalar === 'bytes' && typeof value === 'string')
    return `illegal base64 data at input byte ${badByte(value)}`;
  const bare = path.replaceAll(/\[\d+\]/g, '');
  return `json: cannot unmarshal ${jsonName(value, type)} into Go struct field ${of}.${bare} of type ${goType(type, gvr.version)}`;
}

/** The error text of server-side apply for a mismatch. Source: structured-merge-diff typed/validate.go. */
export function applyProblem({ value, type }: Mismatch): string {
  const wanted = type.is === 'scalar' ? (APPLY_NAMES[type.scalar] ?? 'string') : type.is === 'list' ? 'list' : 'map';
  return expected(wanted, value);
}

/**
 * The problem of a value that is not of the wanted kind. Each kind shows the value in another notation of Go.
 * Source: structured-merge-diff typed/validate.go validateScalar, typed/helpers.go listValue and mapValue.
 */
export function expected(wanted: string, value: unknown): string {
  const shown =
    wanted === NUMERIC
      ? goTypeOf(value)
      : wanted === 'string'
        ? `&value.valueUnstructured{Value:${goSharpV(value)}}`
        : `&{${goPlusV(value)}}`;
  return `expected ${wanted}, got ${shown}`;
}

/** The kind of a number in the words of server-side apply. */
export const NUMERIC = 'numeric (int or float)';

const APPLY_NAMES: Partial<Readonly<Record<Scalar, string>>> = {
  bool: 'boolean',
  int: NUMERIC,
  long: NUMERIC,
  number: NUMERIC,
};

type See = (value: unknown, type: FieldType, path: string, of: string) => void;

function visit(type: ApiType, object: UnknownObject, see: See): void {
  const message = type.custom
    ? builtinMessage('meta.k8s.io/v1', 'ObjectMeta')
    : builtinMessage(formatGroupVersion(type.gvr), type.kind);
  if (message && type.custom) visitMessage(object.metadata as Record<string, unknown>, message, 'metadata.', see);
  else if (message) visitMessage(object, message, '', see);
}

function visitMessage(fields: Record<string, unknown>, message: Message, prefix: string, see: See): void {
  for (const name in fields) {
    const field = message.fields.get(name);
    if (field) visitValue(fields[name], field.type, prefix + name, message.name, see);
  }
}

function visitValue(value: unknown, type: FieldType, path: string, of: string, see: See): void {
  if (value === null || value === undefined) return;
  see(value, type, path, of);
  if (type.is === 'message' && isJsonMap(value)) visitMessage(value, type.message, `${path}.`, see);
  else if (type.is === 'list' && Array.isArray(value))
    for (const [i, item] of value.entries()) visitValue(item, type.of, `${path}[${i}]`, of, see);
  else if (type.is === 'map' && isJsonMap(value))
    for (const key in value) visitValue(value[key], type.of, path, of, see);
}

function quantityProblem(value: unknown): string | undefined {
  if (!['string', 'number', 'bigint'].includes(typeof value)) return undefined;
  const quantity = readServerQuantity(String(value));
  return typeof quantity === 'string' ? quantity : undefined;
}

function fits(value: unknown, type: FieldType): boolean {
  if (type.is === 'scalar') return FITS[type.scalar](value);
  return type.is === 'list' ? Array.isArray(value) : isJsonMap(value);
}

const FITS: Readonly<Record<Scalar, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  int: Number.isInteger,
  long: (value) => Number.isInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value),
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => typeof value === 'string' && badByte(value) === undefined,
  any: () => true,
  Quantity: (value) => ['string', 'number', 'bigint'].includes(typeof value) && !quantityProblem(value),
  Time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value),
  MicroTime: () => true, // micro-times.ts checks these
  IntOrString: (value) => typeof value === 'string' || typeof value === 'number',
};

/**
 * The position of the first byte that is not base64, line ends not counted. Source: Go encoding/base64
 * CorruptInputError.
 */
function badByte(text: string): number | undefined {
  const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  const at = plain.search(/[^A-Za-z0-9+/]/);
  if (at < 0) return plain.length % 4 === 0 ? undefined : plain.length - (plain.length % 4);
  const padding = '='.repeat(4 - (at % 4));
  if (padding.length > 2 || plain[at] !== '=') return at;
  if (plain.length < at + padding.length) return plain.length;
  return plain.slice(at) === padding ? undefined : at + 1;
}

function jsonName(value: unknown, type: FieldType): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  const isFraction =
    typeof value === 'number' && type.is === 'scalar' && (type.scalar === 'int' || type.scalar === 'long');
  return isFraction || typeof value === 'bigint' ? `number ${value}` : typeof value;
}

const GO_NAMES: Readonly<Record<Scalar, string>> = {
  string: 'string',
  int: 'int32',
  long: 'int64',
  number: 'float64',
  bool: 'bool',
  bytes: '[]uint8',
  any: 'interface {}',
  Quantity: 'resource.Quantity',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  IntOrString: 'intstr.IntOrString',
};

function goType(type: FieldType, version: string): string {
  if (type.is === 'scalar') return GO_NAMES[type.scalar];
  if (type.is !== 'message') return `${type.is === 'list' ? '[]' : 'map[string]'}${goType(type.of, version)}`;
  const parts = type.message.qualified.split('.');
  return `${parts.at(-2) ?? version}.${type.message.name}`;
}
