import type { JsonSchema } from '../api-type.ts';
import { escaped } from './validation-rules.ts';

type Scalar = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration' | 'type';

/**
 * A type in a rule, as far as it is known before the rule is evaluated. `dyn` is any type, and each type that this
 * check does not know: nothing that has it is refused.
 */
export type RuleType =
  | { readonly kind: 'dyn' | Scalar }
  | { readonly kind: 'list'; readonly of: RuleType }
  | { readonly kind: 'map'; readonly key: RuleType; readonly of: RuleType }
  | { readonly kind: 'object'; readonly name: string; readonly field: (name: string) => RuleType | undefined };

export const DYN: RuleType = { kind: 'dyn' };
export const BOOL: RuleType = { kind: 'bool' };
export const INT: RuleType = { kind: 'int' };
export const STRING: RuleType = { kind: 'string' };

export const listTypeOf = (of: RuleType): RuleType => ({ kind: 'list', of });
export const mapTypeOf = (key: RuleType, of: RuleType): RuleType => ({ kind: 'map', key, of });

const FORMATS: Readonly<Record<string, Scalar>> = {
  byte: 'bytes',
  date: 'timestamp',
  'date-time': 'timestamp',
  duration: 'duration',
};
const SCALARS: Readonly<Record<string, Scalar>> = { boolean: 'bool', integer: 'int', number: 'double' };

/**
 * The type that a rule sees for a schema; undefined for a schema without a type, whose field rules do not have.
 * `isResource` is true for the root of an object, whose kind and name each rule may read.
 * Source: apiserver pkg/cel/common schemas.go SchemaDeclType.
 */
export function typeOfSchema(schema: JsonSchema, name: string, isResource = false): RuleType | undefined {
  if (schema['x-kubernetes-int-or-string']) return DYN;
  const { type, format = '', items, additionalProperties } = schema;
  if (schema['x-kubernetes-embedded-resource'] || isResource) return objectType(schema, name, true);
  if (type === 'array') {
    const of = items && typeOfSchema(items, `${name}.@idx`);
    return of && listTypeOf(of);
  }
  if (type === 'object') {
    if (typeof additionalProperties !== 'object') return objectType(schema, name, false);
    const of = typeOfSchema(additionalProperties, `${name}.@elem`);
    return of && mapTypeOf(STRING, of);
  }
  if (type === 'string') return { kind: (Object.hasOwn(FORMATS, format) && FORMATS[format]) || 'string' };
  const scalar = type !== undefined && Object.hasOwn(SCALARS, type) ? SCALARS[type] : undefined;
  return scalar && { kind: scalar };
}

const METADATA: RuleType = {
  kind: 'object',
  name: 'ObjectMeta',
  field: (name) => (name === 'name' || name === 'generateName' ? STRING : undefined),
};

const RESOURCE: Readonly<Record<string, RuleType>> = { kind: STRING, apiVersion: STRING, metadata: METADATA };

/** An object with the fields of its schema. Their types are made when a rule reads them. */
function objectType({ properties = {} }: JsonSchema, name: string, isResource: boolean): RuleType {
  const schemas = new Map<string, JsonSchema>();
  for (const [property, schema] of Object.entries(properties)) {
    schemas.set(property, schema);
    schemas.set(escaped(property), schema);
  }
  const field = (wanted: string) => {
    if (isResource && Object.hasOwn(RESOURCE, wanted)) return RESOURCE[wanted];
    const schema = schemas.get(wanted);
    return schema && typeOfSchema(schema, `${name}.${wanted}`);
  };
  return { kind: 'object', name, field };
}

/** A type in the words of the server. */
export function typeText(type: RuleType): string {
  if (type.kind === 'list') return `list(${typeText(type.of)})`;
  if (type.kind === 'map') return `map(${typeText(type.key)}, ${typeText(type.of)})`;
  return type.kind === 'object' ? type.name : type.kind;
}

/** The types that can be null. */
const NULLABLE = new Set(['null', 'object', 'timestamp', 'duration']);

/** The type of a value that has either type; undefined if no value can have both. */
export function commonType(a: RuleType, b: RuleType): RuleType | undefined {
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (a.kind === 'list' && b.kind === 'list') {
    const of = commonType(a.of, b.of);
    return of && listTypeOf(of);
  }
  if (a.kind === 'map' && b.kind === 'map') {
    const [key, of] = [commonType(a.key, b.key), commonType(a.of, b.of)];
    return key && of && mapTypeOf(key, of);
  }
  if (a.kind === 'object' && b.kind === 'object') return a.name === b.name ? a : undefined;
  if (a.kind === b.kind) return a;
  if (a.kind === 'null') return NULLABLE.has(b.kind) ? b : undefined;
  return b.kind === 'null' && NULLABLE.has(a.kind) ? a : undefined;
}
