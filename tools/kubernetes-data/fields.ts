import type { OpenApiDocument, Schema } from './recordings.ts';
import type { TypesData } from './types.ts';

/** `fields.json`: by group and version, the text of each field by message. `field-table.ts` explains the texts. */
export type FieldsData = Readonly<Record<string, Block>>;

interface Block {
  readonly package: string;
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Schemas that are scalars in the field table. */
const SCALARS = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'Quantity'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 'Time'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'MicroTime'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'IntOrString'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', 'any'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'any'],
]);

/** Every kind has these two; the table has them only where an object contains another. */
const HEAD = ['apiVersion', 'kind'];

/**
 * The fields of the recorded messages. OpenAPI has their types, choices and merge rules, and says which are required.
 * It has no protobuf numbers, no pointers and no inline messages: of fields that are in the data these stay; for new
 * fields `warn` gets a line. Of a field that is gone the number stays, because older clients still send it. Messages
 * are added when a field or a served kind needs them. They are removed when no document and no field has them any more.
 */
export function updateFields(
  data: FieldsData,
  documents: readonly OpenApiDocument[],
  types: TypesData,
  warn: (line: string) => void,
): FieldsData {
  const schemas: Record<string, Schema> = Object.assign({}, ...documents.map(({ components }) => components.schemas));
  const blocks = Object.entries(data).map(
    ([groupVersion, block]) => [groupVersion, new BlockUpdate(groupVersion, block, schemas, warn)] as const,
  );
  const missing = (qualified: string) => blocks.find(([, block]) => block.lacks(qualified))?.[1].add(qualified);
  for (const [groupVersion, block] of blocks) {
    const kinds = Object.values(types[groupVersion] ?? {}).map(({ kind }) => `${block.package}.${kind}`);
    for (const kind of kinds.filter((name) => name in schemas)) missing(kind);
  }
  let before: number;
  do {
    before = sizeOf(blocks);
    for (const [, block] of blocks) block.update(missing);
  } while (sizeOf(blocks) > before);
  const used = new Set(blocks.flatMap(([, block]) => [...block.messageNames()]));
  for (const [groupVersion, block] of blocks)
    block.removeUnused(used, new Set(Object.values(types[groupVersion] ?? {}).map((t) => t.kind)));
  return Object.fromEntries(
    blocks.map(([groupVersion, block]) => [groupVersion, { package: block.package, messages: block.messages }]),
  );
}

function sizeOf(blocks: readonly (readonly [string, BlockUpdate])[]): number {
  return blocks.reduce((sum, [, { messages }]) => sum + Object.keys(messages).length, 0);
}

/** The messages of one group and version, while they are brought up to date. */
class BlockUpdate {
  readonly package: string;
  readonly messages: Record<string, Readonly<Record<string, string>>>;
  readonly #groupVersion: string;
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #warn: (line: string) => void;
  readonly #updated = new Set<string>();

  constructor(
    groupVersion: string,
    block: Block,
    schemas: Readonly<Record<string, Schema>>,
    warn: (line: string) => void,
  ) {
    this.package = block.package;
    this.messages = { ...block.messages };
    this.#groupVersion = groupVersion;
    this.#schemas = schemas;
    this.#warn = warn;
  }

  /** Whether a message is of this package and not yet in the data. */
  lacks(qualified: string): boolean {
    const name = qualified.slice(this.package.length + 1);
    return qualified.startsWith(`${this.package}.`) && !name.includes('.') && !(name in this.messages);
  }

  add(qualified: string): void {
    this.messages[qualified.slice(this.package.length + 1)] = {};
  }

  update(missing: (qualified: string) => void): void {
    for (const name of Object.keys(this.messages)) {
      const schema = this.#schemas[`${this.package}.${name}`];
      if (!schema || this.#updated.has(name)) continue;
      this.#updated.add(name);
      this.messages[name] = this.#message(name, schema, missing);
    }
  }

  /** The messages that fields refer to, by their short names. */
  messageNames(): Set<string> {
    const texts = Object.entries(this.messages).flatMap(([message, fields]) =>
      Object.entries(fields).flatMap(([field, text]) => (field === '' ? [] : ([[message, text]] as const))),
    );
    return new Set(
      texts.flatMap(([message, text]) =>
        [...text.matchAll(/\b[A-Z]\w*/g)].map(([name]) => name).filter((n) => n !== message),
      ),
    );
  }

  /** Removes messages that were part of a kind that was recorded, and are not any more. */
  removeUnused(used: ReadonlySet<string>, kinds: ReadonlySet<string>): void {
    const isRecorded = [...kinds].some((kind) => `${this.package}.${kind}` in this.#schemas);
    for (const name of isRecorded ? Object.keys(this.messages) : []) {
      if (used.has(name) || kinds.has(name) || `${this.package}.${name}` in this.#schemas) continue;
      delete this.messages[name];
      this.#warn(`${this.#groupVersion} ${name}: removed, because nothing refers to it any more`);
    }
  }

  #message(name: string, schema: Schema, missing: (qualified: string) => void): Record<string, string> {
    const message: Record<string, string> = schema['x-kubernetes-map-type'] === 'atomic' ? { '': 'atomic' } : {};
    const fresh = new Set(Object.keys(schema.properties ?? {}));
    for (const [field, text] of Object.entries(this.messages[name] ?? {})) {
      if (/ inline$/.test(text)) {
        message[field] = text;
        for (const inner of this.#fieldsOf(field)) fresh.delete(inner);
      } else if (fresh.delete(field)) message[field] = fieldText(schema, field, text, missing);
      else if (/^\d/.test(text)) message[field] = text.replace(/ .*/, ' retired');
    }
    const isKind = schema['x-kubernetes-group-version-kind'] !== undefined;
    for (const field of fresh) {
      if (isKind && HEAD.includes(field)) continue;
      message[field] = fieldText(schema, field, '', missing);
      this.#warn(
        `${this.#groupVersion} ${name}.${field}: new; add its protobuf number, and "pointer" where its zero is not absence`,
      );
    }
    return message;
  }

  /** The fields that a message of this package has, those of its inline messages included. */
  #fieldsOf(name: string): string[] {
    const { properties } = this.#schemas[`${this.package}.${name}`] ?? {};
    if (properties) return Object.keys(properties);
    return Object.entries(this.messages[name] ?? {}).flatMap(([field, text]) =>
      / inline$/.test(text) ? this.#fieldsOf(field) : [field],
    );
  }
}

function fieldText(message: Schema, name: string, before: string, missing: (qualified: string) => void): string {
  const schema = message.properties?.[name] ?? {};
  const keys = schema['x-kubernetes-list-map-keys'];
  const strategies = schema['x-kubernetes-patch-strategy']?.split(',') ?? [];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const words = [
    /^\d+/.exec(before)?.[0],
    typeText(schema, missing),
    / pointer\b/.test(before) && 'pointer',
    message.required?.includes(name) && 'required',
    schema['x-kubernetes-map-type'] === 'atomic' && 'atomic',
    keys && `keys=${keys.join(',')}`,
    schema['x-kubernetes-list-type'] === 'set' && 'set',
    strategies.includes('merge') && (mergeKey ? `merge=${mergeKey}` : 'merge'),
    strategies.includes('retainKeys') && 'retainKeys',
    strategies.includes('replace') && 'replace',
  ];
  return words.filter(Boolean).join(' ');
}

function typeText(schema: Schema, missing: (qualified: string) => void): string {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference) return namedText(reference.slice(reference.lastIndexOf('/') + 1), missing);
  switch (schema.type) {
    case 'array':
      return `[${typeText(schema.items ?? {}, missing)}]`;
    case 'object':
      return schema.additionalProperties ? `{${typeText(schema.additionalProperties, missing)}}` : 'any';
    case 'integer':
      return schema.format === 'int64' ? 'long' : 'int';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'number';
    case 'string':
      return schema.format === 'byte' ? 'bytes' : schema.enum ? `<${schema.enum.join('|')}>` : 'string';
    default:
      return 'any';
  }
}

function namedText(qualified: string, missing: (qualified: string) => void): string {
  const scalar = SCALARS.get(qualified);
  if (scalar) return scalar;
  missing(qualified);
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}
