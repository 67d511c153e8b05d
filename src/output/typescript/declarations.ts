import { type OpenApiSchema, type OpenApiSchemas, referredName, schemaOrNone } from '../../client/openapi-schemas.ts';
import { compareText } from '../../kit/text-order.ts';
import { docComment } from './doc-comment.ts';
import nullFields from './null-fields.json' with { type: 'json' };
import { typeNames } from './type-names.ts';

/** A kind whose type is wanted. */
export interface WantedKind {
  /** The name of its schema. */
  readonly schema: string;
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * TypeScript declarations of these kinds and of all that their schemas refer to: the kinds first, then the others by
 * name. The same schemas give the same text. No text of a schema becomes code: names and descriptions are quoted or
 * made harmless.
 */
export function declarations(kinds: readonly WantedKind[], schemas: OpenApiSchemas): string {
  return new Declarations(kinds, new Map(Object.entries(schemas))).text();
}

/** A schema with a name of its own: the kind that is wanted, if it is one, and its fields that may be null. */
interface Named {
  readonly root?: WantedKind | undefined;
  readonly nulls?: readonly string[] | undefined;
}

/** Schemas that JSON has as text or numbers, by the ends of their names, and why. Source: apimachinery's marshalling. */
const SCALARS: readonly (readonly [name: RegExp, type: string])[] = [
  [/\.api\.resource\.Quantity$/, 'string'],
  [/\.util\.intstr\.IntOrString$/, 'number | string'],
  [/\.meta\.v1\.(Micro)?Time$/, 'string'],
];

/**
 * The fields that Go types of Kubernetes write as null when they are empty, by schema without its version. OpenAPI does
 * not say so. Source: Kubernetes 1.36, k8s.io/api and others (`npm run kubernetes-data`).
 */
const NULL_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(nullFields));

class Declarations {
  readonly #kinds: ReadonlyMap<string, WantedKind>;
  readonly #schemas: ReadonlyMap<string, OpenApiSchema>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #reached: readonly string[];

  constructor(kinds: readonly WantedKind[], schemas: ReadonlyMap<string, OpenApiSchema>) {
    this.#schemas = schemas;
    const sorted = kinds.toSorted((a, b) => compareText(a.apiVersion, b.apiVersion) || compareText(a.kind, b.kind));
    this.#kinds = new Map(sorted.map((kind) => [kind.schema, kind]));
    this.#reached = reachedFrom([...this.#kinds.keys()], schemas);
    this.#names = typeNames(this.#reached, new Map(sorted.map(({ schema, kind }) => [schema, kind])));
  }

  text(): string {
    const nameOf = (schema: string) => this.#names.get(schema) ?? '';
    const roots = [...this.#kinds.keys()];
    const others = this.#reached
      .filter((schema) => !this.#kinds.has(schema))
      .sort((a, b) => compareText(nameOf(a), nameOf(b)));
    return [...roots, ...others].map((schema) => this.#declaration(schema)).join('\n');
  }

  #declaration(name: string): string {
    const schema = this.#schemas.get(name) ?? {};
    const about = docComment(textIn(schema.description), '');
    const type = SCALARS.find(([pattern]) => pattern.test(name))?.[1];
    const head = `${about}export `;
    if (type === undefined && isStruct(schema))
      return `${head}interface ${this.#names.get(name)} ${this.#body(schema, '', { root: this.#kinds.get(name), nulls: nullsOf(name) })}\n`;
    return `${head}type ${this.#names.get(name)} = ${type ?? this.#type(schema, '')};\n`;
  }

  /** The type of a value, as an expression. */
  #type(schema: OpenApiSchema, indent: string): string {
    const type = this.#typeWithoutNull(schema, indent);
    return schema.nullable === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #typeWithoutNull(schema: OpenApiSchema, indent: string): string {
    const referred = referredName(schema);
    if (referred !== undefined) return this.#names.get(referred) ?? 'unknown';
    if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return 'number | string';
    if (Array.isArray(schema.enum)) return literals(schema.enum) ?? this.#plainType(schema, indent);
    return this.#plainType(schema, indent);
  }

  #plainType(schema: OpenApiSchema, indent: string): string {
    switch (schema.type) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array': {
        const item = schema.items === undefined ? 'unknown' : this.#type(schemaOrNone(schema.items), indent);
        return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
      }
      case 'object':
        return this.#objectType(schema, indent);
      default:
        return isStruct(schema) ? this.#objectType(schema, indent) : this.#oneOf(schema, indent);
    }
  }

  /** A choice among types that have no type in common. One among conditions (`required`) says nothing of the type. */
  #oneOf({ oneOf, anyOf }: OpenApiSchema, indent: string): string {
    const choices = (Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []).map(schemaOrNone);
    if (choices.length === 0 || choices.some((each) => each.type === undefined && referredName(each) === undefined))
      return 'unknown';
    return [...new Set(choices.map((each) => this.#type(each, indent)))].join(' | ');
  }

  #objectType(schema: OpenApiSchema, indent: string): string {
    if (isStruct(schema) || schema['x-kubernetes-embedded-resource'] === true) return this.#body(schema, indent);
    const values = schema.additionalProperties;
    const value = typeof values === 'object' && values !== null ? this.#type(schemaOrNone(values), indent) : 'unknown';
    return `{ [key: string]: ${value} }`;
  }

  /** The fields between braces. */
  #body(schema: OpenApiSchema, indent: string, { root, nulls = [] }: Named = {}): string {
    const inner = `${indent}  `;
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const properties = new Map(Object.entries(schemaOrNone(schema.properties)));
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    if (isEmbedded) {
      for (const name of ['apiVersion', 'kind']) properties.set(name, properties.get(name) ?? { type: 'string' });
      properties.set('metadata', properties.get('metadata') ?? { type: 'object' });
    }
    const fields = [...properties].map(([name, value]) => {
      const own = schemaOrNone(value);
      const isRequired = required.has(name) || (root && name === 'metadata') || (isEmbedded && name !== 'metadata');
      const type = rootType(name, root) ?? this.#type(nulls.includes(name) ? { ...own, nullable: true } : own, inner);
      return `${docComment(textIn(own.description), inner)}${inner}${fieldName(name)}${isRequired ? '' : '?'}: ${type};\n`;
    });
    const isOpen =
      schema['x-kubernetes-preserve-unknown-fields'] === true ||
      isEmbedded ||
      (schema.additionalProperties !== undefined && schema.additionalProperties !== false);
    const open = isOpen ? `${inner}[key: string]: unknown;\n` : '';
    return `{\n${fields.join('')}${open}${indent}}`;
  }
}

/** `io.k8s.api.core.v1.Event` → the fields of `io.k8s.api.core.Event`. */
const nullsOf = (schema: string) => NULL_FIELDS.get(schema.replace(/\.v\d\w*(?=\.\w+$)/, ''));

/** Items of a list have neither, but no other value is possible. */
function rootType(name: string, root: WantedKind | undefined): string | undefined {
  if (!root) return undefined;
  return name === 'apiVersion' ? quoted(root.apiVersion) : name === 'kind' ? quoted(root.kind) : undefined;
}

const isStruct = (schema: OpenApiSchema) => Object.keys(schemaOrNone(schema.properties)).length > 0;
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/** A name as it is, or in quotes. */
const fieldName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** A text in single quotes, in ASCII. */
function quoted(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${inner}'`;
}

/** The values of an enum; undefined if one of them is no plain value. */
function literals(values: readonly unknown[]): string | undefined {
  const found = values.map((value) =>
    typeof value === 'string'
      ? quoted(value)
      : value === null || ['number', 'boolean'].includes(typeof value)
        ? String(value)
        : undefined,
  );
  return found.length === 0 || found.includes(undefined) ? undefined : [...new Set(found)].join(' | ');
}

/** The schemas that these refer to, through others too, and they themselves. */
function reachedFrom(roots: readonly string[], schemas: ReadonlyMap<string, OpenApiSchema>): string[] {
  const reached = new Set(roots);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const name = referredName(value as OpenApiSchema);
      if (name !== undefined && schemas.has(name)) reached.add(name);
      Object.values(value).forEach(visit);
    }
  };
  for (const name of reached) if (!SCALARS.some(([pattern]) => pattern.test(name))) visit(schemas.get(name));
  return [...reached];
}
