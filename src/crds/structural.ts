import { InformerError, messageOf } from '../kit/error.ts';
import type { SchemaSource } from './schema-source.ts';

/** A structural schema, as a CustomResourceDefinition has it. Source: apiextensions/v1 JSONSchemaProps. */
export interface StructuralSchema {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  required?: string[];
  enum?: unknown[];
  nullable?: boolean;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  pattern?: string;
  anyOf?: object[];
  [more: string]: unknown;
}

type Json = Record<string, unknown>;

/** The structural schema of a schema in code. Throws `argument`, with the path, for what a definition cannot say. */
export function structuralOf(source: SchemaSource, where: string): StructuralSchema {
  let schema: Json;
  try {
    schema = source['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    throw new InformerError('argument', `${where} has no JSON schema: ${messageOf(error)}`, { cause: error });
  }
  if (schema.$defs || schema.definitions)
    throw refusal(where, 'a schema refers to itself', 'let the inner part be z.unknown(), or limit the depth');
  return structural(schema, where);
}

/** Without a meaning for a server. */
const DROPPED = new Set(['$schema', '$id', 'id', 'title', 'examples', 'deprecated', 'readOnly', 'contentEncoding']);

function structural(given: Json, where: string): StructuralSchema {
  if ('$ref' in given) throw refusal(where, 'a schema refers to itself', 'let the inner part be z.unknown()');
  const { anyOf, oneOf, allOf, propertyNames, ...rest } = given;
  const choices = (anyOf ?? oneOf) as Json[] | undefined;
  if (choices) return chosen(rest, choices, where);
  if (allOf) return structural({ ...rest, ...joined(allOf as Json[], where) }, where);
  if (propertyNames && Object.keys(propertyNames).some((key) => key !== 'type'))
    throw refusal(where, 'keys of a map have a schema', "use a rule: celRules({ rule: 'self.all(key, …)' })");
  const schema = inOpenApi(Object.fromEntries(Object.entries(rest).filter(([key]) => !DROPPED.has(key))));
  if (schema.type === 'object') return objectOf(schema, where);
  if (schema.type === 'array') return listOf(schema, where);
  if (schema.type === 'integer') return wholeNumber(schema);
  if (schema.type === 'string') return textOf(schema, where);
  if (schema.type === undefined && !schema['x-kubernetes-int-or-string'])
    return { 'x-kubernetes-preserve-unknown-fields': true, ...schema };
  return schema;
}

/** The words of OpenAPI 3.0 for those of JSON Schema. */
function inOpenApi({ const: value, type, exclusiveMinimum, exclusiveMaximum, ...rest }: Json): StructuralSchema {
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type];
  return {
    ...rest,
    ...(value === undefined ? {} : { enum: [value] }),
    ...(types.length === 1 && types[0] !== undefined ? { type: types[0] as string } : {}),
    ...(Array.isArray(type) && types.length < type.length ? { nullable: true } : {}),
    ...(typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {}),
    ...(typeof exclusiveMaximum === 'number' ? { maximum: exclusiveMaximum, exclusiveMaximum: true } : {}),
  };
}

/** A choice that a definition can say: a value or null, a number or text, one of several values. */
function chosen(rest: Json, choices: readonly Json[], where: string): StructuralSchema {
  const others = choices.filter(({ type }) => type !== 'null');
  const [first = {}] = others;
  if (others.length === 1) return { ...structural({ ...first, ...rest }, where), nullable: true };
  const types = new Set(others.map(({ type }) => type));
  if (types.size === 2 && types.has('integer') && types.has('string')) {
    const known = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
    const { pattern } = others.find(({ type }) => type === 'string') ?? {};
    return { ...rest, ...known, ...(pattern ? { pattern: String(pattern) } : {}) };
  }
  const values = others.map(({ enum: some, const: one }) =>
    one === undefined ? (some as unknown[] | undefined) : [one],
  );
  if (types.size === 1 && values.every((some) => some !== undefined))
    return { ...rest, type: String(first.type), enum: values.flat() };
  throw refusal(
    where,
    'a choice of types',
    "make each an optional field of one object, and add celRules({ rule: 'has(self.a) != has(self.b)' })",
  );
}

function joined(parts: readonly Json[], where: string): Json {
  if (!parts.every(({ type }) => type === 'object'))
    throw refusal(where, 'an intersection of what are no objects', 'write one schema');
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Json;
  const required = [...new Set(parts.flatMap((part) => (part.required ?? []) as string[]))];
  return { ...Object.assign({}, ...parts), properties, ...(required.length > 0 ? { required } : {}) };
}

function objectOf(
  { additionalProperties, properties, required, ...rest }: StructuralSchema,
  where: string,
): StructuralSchema {
  const others = additionalProperties as Json | boolean | undefined;
  const isOpen = others === true || (typeof others === 'object' && Object.keys(others).length === 0);
  if (properties && typeof others === 'object' && !isOpen)
    throw refusal(where, 'a type for the fields that it does not name', 'use z.record() in a field of its own');
  const inner = Object.entries(properties ?? {}).map(([name, each]) => [name, structural(each, `${where}.${name}`)]);
  return {
    ...rest,
    ...(required ? { required: required.toSorted() } : {}),
    ...(properties ? { properties: Object.fromEntries(inner) } : {}),
    ...(typeof others === 'object' && !isOpen ? { additionalProperties: structural(others, `${where}.*`) } : {}),
    ...(isOpen ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}

function listOf({ items, uniqueItems, ...rest }: StructuralSchema, where: string): StructuralSchema {
  if (!items || Array.isArray(items) || 'prefixItems' in rest)
    throw refusal(where, 'a tuple', 'use an object with a field for each part');
  return {
    ...rest,
    items: structural(items, `${where}[]`),
    ...(uniqueItems ? { 'x-kubernetes-list-type': 'set' } : {}),
  };
}

const INT32 = 2 ** 31;

/** A whole number with the format of its range, which says the bounds that are those of the format. */
function wholeNumber({ minimum, maximum, ...rest }: StructuralSchema): StructuralSchema {
  const [low = -Infinity, high = Infinity] = [minimum, maximum];
  const isSmall = low >= -INT32 && high < INT32;
  const format = rest.format ?? (isSmall ? 'int32' : 'int64');
  const says = (bound: number) => (isSmall ? bound === -INT32 || bound === INT32 - 1 : !isBelowLimit(bound));
  return {
    ...rest,
    format,
    ...(minimum === undefined || says(minimum) ? {} : { minimum }),
    ...(maximum === undefined || says(maximum) ? {} : { maximum }),
  };
}

const isBelowLimit = (bound: number) => Math.abs(bound) < Number.MAX_SAFE_INTEGER;

/** The formats that a server checks by itself. Source: apiextensions-apiserver apiserver/validation/formats.go. */
const FORMATS = new Set(
  'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration date-time datetime'.split(
    ' ',
  ),
);

/** Text: by a format that servers know, else by its pattern. */
function textOf({ format, pattern, ...rest }: StructuralSchema, where: string): StructuralSchema {
  const known = format === 'base64' ? 'byte' : format;
  if (known !== undefined && FORMATS.has(known)) return { ...rest, format: known };
  if (pattern !== undefined && NOT_RE2.test(pattern))
    throw refusal(
      where,
      `the pattern ${pattern} looks around or back`,
      'a server cannot: use another pattern, or a rule',
    );
  return { ...rest, ...(pattern === undefined ? {} : { pattern }) };
}

const NOT_RE2 = /\(\?(?:[=!]|<[=!])|\\[1-9]/;

function refusal(where: string, what: string, hint: string): InformerError {
  return new InformerError('argument', `${where}: ${what}, which a definition cannot say`, { hint });
}
