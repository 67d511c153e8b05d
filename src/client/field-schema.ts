import { compareText } from '../kit/text-order.ts';
import type { GroupVersionKind } from '../model/gvr.ts';
import type { Client } from './client.ts';

type Json = Readonly<Record<string, unknown>>;
const mapOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** What a schema says about a path: `field` = the field exists; `none` = it does not; `open` = any name is possible. */
export interface FieldVerdict {
  readonly is: 'field' | 'none' | 'open';
  /** The number of steps that lead to known fields. For `none`, the step at this index is the unknown one. */
  readonly known: number;
  /** The names of the known fields beside the unknown one. */
  readonly beside: readonly string[];
}

/** A known field, and what its value is. */
export interface KnownField {
  readonly name: string;
  readonly is: 'list' | 'map' | 'object' | 'scalar';
  /** Its description; '' if there is none. */
  readonly about: string;
}

/** The fields of one kind, from the server's OpenAPI schema. */
export interface FieldSchema {
  /** Follows field names. An undefined step means every item of a list or every value of a map. */
  look(steps: readonly (string | undefined)[]): FieldVerdict;
  /** The known fields of what the steps lead to, by name. None where any name is possible. */
  below(steps: readonly (string | undefined)[]): KnownField[];
}

/**
 * Loads the schema of a kind with two requests; the second response has about a megabyte for the core group. Undefined
 * if the server has no schema of the kind. Rejects as {@link Client.raw} does. Source: KEP-2896 OpenAPI v3.
 */
export async function loadFieldSchema(
  client: Pick<Client, 'raw'>,
  { group, version, kind }: GroupVersionKind,
  signal?: AbortSignal,
): Promise<FieldSchema | undefined> {
  const { paths } = mapOf(JSON.parse(await client.raw('/openapi/v3', { signal })));
  const { serverRelativeURL } = mapOf(mapOf(paths)[group === '' ? `api/${version}` : `apis/${group}/${version}`]);
  if (typeof serverRelativeURL !== 'string' || !serverRelativeURL.startsWith('/')) return undefined;
  const document = mapOf(JSON.parse(await client.raw(serverRelativeURL, { signal })));
  const schemas = mapOf(mapOf(document.components).schemas);
  const root = Object.values(schemas)
    .map(mapOf)
    .find((schema) => isOf(schema, { group, version, kind }));
  return (
    root && { look: (steps) => lookFrom(root, schemas, steps), below: (steps) => fieldsBelow(root, schemas, steps) }
  );
}

function fieldsBelow(root: Json, schemas: Json, steps: readonly (string | undefined)[]): KnownField[] {
  let at = resolved(root, schemas);
  for (const step of steps) {
    const next = step === undefined ? (at.items ?? at.additionalProperties) : ownField(at, step);
    if (next === undefined) return [];
    at = resolved(mapOf(next), schemas);
  }
  return Object.entries(mapOf(at.properties))
    .map(([name, schema]) => knownField(name, mapOf(schema), resolved(mapOf(schema), schemas)))
    .sort((a, b) => compareText(a.name, b.name));
}

const ownField = (schema: Json, name: string) => {
  const properties = mapOf(schema.properties);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
};

function knownField(name: string, own: Json, value: Json): KnownField {
  const isMap = typeof value.additionalProperties === 'object' && value.additionalProperties !== null;
  const is = value.items !== undefined ? 'list' : isMap ? 'map' : value.properties !== undefined ? 'object' : 'scalar';
  const about = [own.description, value.description].find((text) => typeof text === 'string' && text !== '');
  return { name, is, about: String(about ?? '') };
}

function isOf(schema: Json, wanted: GroupVersionKind): boolean {
  const kinds = schema['x-kubernetes-group-version-kind'];
  return (
    Array.isArray(kinds) &&
    kinds
      .map(mapOf)
      .some(({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind)
  );
}

function lookFrom(root: Json, schemas: Json, steps: readonly (string | undefined)[]): FieldVerdict {
  let at = resolved(root, schemas);
  for (const [known, step] of steps.entries()) {
    const properties = mapOf(at.properties);
    const names = Object.keys(properties);
    const isMap = typeof at.additionalProperties === 'object' && at.additionalProperties !== null;
    if (step === undefined) {
      if (at.items === undefined && !isMap) return { is: 'open', known, beside: [] };
      at = resolved(mapOf(at.items ?? at.additionalProperties), schemas);
    } else if (at.items !== undefined) {
      return { is: 'open', known, beside: [] };
    } else if (Object.hasOwn(properties, step)) {
      at = resolved(mapOf(properties[step]), schemas);
    } else if (
      names.length === 0 ||
      isMap ||
      at.additionalProperties === true ||
      at['x-kubernetes-preserve-unknown-fields'] === true
    ) {
      const isScalar =
        ['string', 'integer', 'number', 'boolean'].includes(String(at.type)) &&
        at['x-kubernetes-int-or-string'] !== true;
      return { is: isScalar ? 'none' : 'open', known, beside: [] };
    } else {
      return { is: 'none', known, beside: names };
    }
  }
  return { is: 'field', known: steps.length, beside: [] };
}

/** The schema that a schema refers to, or the schema itself. */
function resolved(schema: Json, schemas: Json, depth = 0): Json {
  if (depth > 8) return {};
  const parts = [schema.$ref, ...(Array.isArray(schema.allOf) ? schema.allOf.map((part) => mapOf(part).$ref) : [])];
  const name = parts.find((ref): ref is string => typeof ref === 'string')?.replace(/^#\/components\/schemas\//, '');
  return name === undefined ? schema : resolved(mapOf(schemas[name]), schemas, depth + 1);
}
