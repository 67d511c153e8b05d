import { formatGroupVersion } from '../../model/gvr.ts';
import type { ApiType } from '../types/api-type.ts';
import { describeCommon, describeField, describeMessage } from '../types/fields/descriptions.ts';
import { builtinMessage, type Field, type FieldType, type Message, type Scalar } from '../types/fields/field-table.ts';

type Schema = Record<string, unknown>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const OBJECT_META = `${META}.ObjectMeta`;

/** Scalars that have a schema with a name, to which other schemas refer. */
const NAMED_SCALARS: Readonly<Record<string, { readonly name: string; readonly schema: Schema }>> = {
  Quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    schema: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  Time: { name: `${META}.Time`, schema: { type: 'string', format: 'date-time' } },
  MicroTime: { name: `${META}.MicroTime`, schema: { type: 'string', format: 'date-time' } },
  IntOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
};

const PLAIN_SCALARS: Readonly<Partial<Record<Scalar, Schema>>> = {
  int: { type: 'integer', format: 'int32' },
  long: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  any: { type: 'object' },
};

/**
 * The schemas of a document by name: those of its kinds and of every type that they contain. The schema of a built-in
 * kind is made from the field table, the schema of a custom kind from its definition. A built-in kind that the field
 * table does not have gets no schema.
 */
export class SchemaSet {
  readonly #schemas = new Map<string, Schema>();

  /** Adds the schema of a type and returns the name of the schema; undefined for a kind without one. */
  add({ gvr, kind, custom }: ApiType): string | undefined {
    if (custom)
      return this.#addCustom(
        gvr,
        kind,
        custom.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      );
    return this.addKind(formatGroupVersion(gvr), kind);
  }

  /** Adds the schema of a built-in kind and returns its name; undefined for a kind without one. */
  addKind(apiVersion: string, kind: string): string | undefined {
    const message = builtinMessage(apiVersion, kind);
    if (!message) return undefined;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    this.#schemas.set(message.qualified, {});
    this.#schemas.set(message.qualified, withKind(this.#ofMessage(message), { group, version, kind }));
    return message.qualified;
  }

  all(): Record<string, Schema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #addCustom({ group, version }: ApiType['gvr'], kind: string, schema: object): string {
    const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
    const metadata = builtinMessage('meta.k8s.io/v1', 'ObjectMeta');
    if (metadata) this.#addMessage(metadata);
    const { properties = {}, ...rest } = schema as { properties?: Schema };
    const meta = { allOf: [reference(OBJECT_META)], description: describeCommon('metadata') };
    this.#schemas.set(
      name,
      withKind({ ...rest, type: 'object', properties: { ...properties, metadata: meta } }, { group, version, kind }),
    );
    return name;
  }

  #addMessage(message: Message): void {
    if (this.#schemas.has(message.qualified)) return;
    this.#schemas.set(message.qualified, {}); // set before the fields are read: a message may contain itself
    this.#schemas.set(message.qualified, this.#ofMessage(message));
  }

  #ofMessage(message: Message): Schema {
    const fields = [...message.fields.values()];
    const required = fields.filter((f) => f.required).map((f) => f.name);
    return {
      ...described(describeMessage(message.name)),
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#ofField(message, field)])),
      ...(message.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  #ofField({ name }: Message, field: Field): Schema {
    const schema = this.#ofType(field.type);
    const refers = '$ref' in schema;
    const isObject = field.type.is === 'message';
    return {
      ...described(describeField(name, field.name) ?? (isObject ? describeCommon(field.name) : undefined)),
      ...(refers ? { allOf: [schema], ...(isObject ? { default: {} } : {}) } : schema),
      ...mergeRules(field),
    };
  }

  #ofType(type: FieldType): Schema {
    if (type.is === 'scalar') return this.#ofScalar(type.scalar, type.values);
    if (type.is === 'message') {
      this.#addMessage(type.message);
      return reference(type.message.qualified);
    }
    const of = this.#asItem(type.of);
    return type.is === 'list' ? { type: 'array', items: of } : { type: 'object', additionalProperties: of };
  }

  #asItem(type: FieldType): Schema {
    const schema = this.#ofType(type);
    return '$ref' in schema ? { allOf: [schema], ...(type.is === 'message' ? { default: {} } : {}) } : schema;
  }

  #ofScalar(scalar: Scalar, values: readonly string[] | undefined): Schema {
    const named = NAMED_SCALARS[scalar];
    if (!named) return { ...(PLAIN_SCALARS[scalar] ?? { type: 'string' }), ...(values ? { enum: values } : {}) };
    this.#schemas.set(named.name, { ...described(describeMessage(scalar)), ...named.schema });
    return reference(named.name);
  }
}

function mergeRules({ type, atomic, keys, set, patchStrategy, patchKey }: Field): Schema {
  const listType = keys ? 'map' : set ? 'set' : patchStrategy ? undefined : 'atomic';
  return {
    ...(type.is === 'list' && listType ? { 'x-kubernetes-list-type': listType } : {}),
    ...(keys ? { 'x-kubernetes-list-map-keys': keys } : {}),
    ...(patchKey ? { 'x-kubernetes-patch-merge-key': patchKey } : {}),
    ...(patchStrategy ? { 'x-kubernetes-patch-strategy': patchStrategy } : {}),
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

function withKind(schema: Schema, gvk: { group: string; version: string; kind: string }): Schema {
  const text = (name: string) => ({ ...described(describeCommon(name)), type: 'string' });
  const properties = { apiVersion: text('apiVersion'), kind: text('kind'), ...(schema.properties as Schema) };
  return { ...schema, properties, 'x-kubernetes-group-version-kind': [gvk] };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function described(description: string | undefined): Schema {
  return description === undefined ? {} : { description };
}
