import { compareText } from '../kit/text-order.ts';
import type { GroupVersionKind } from '../model/gvr.ts';
import type { Client } from './client.ts';
import {
  loadOpenApiSchemas,
  type OpenApiSchema,
  type OpenApiSchemas,
  referredName,
  schemaNameOf,
  schemaOrNone,
} from './openapi-schemas.ts';

/**
 * The answer of a schema about a path: `field` = the field exists; `none` = it does not; `open` = any name is possible.
 */
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
 * Loads the schema of a kind as {@link loadOpenApiSchemas} does. Undefined if the server has no schema of the kind.
 */
export async function loadFieldSchema(
  client: Pick<Client, 'raw'>,
  kind: GroupVersionKind,
  signal?: AbortSignal,
): Promise<FieldSchema | undefined> {
  const schemas = await loadOpenApiSchemas(client, kind, signal);
  const name = schemas && schemaNameOf(schemas, kind);
  const root = name === undefined ? undefined : schemas?.[name];
  return (
    schemas &&
    root && { look: (steps) => lookFrom(root, schemas, steps), below: (steps) => fieldsBelow(root, schemas, steps) }
  );
}

function fieldsBelow(
  root: OpenApiSchema,
  schemas: OpenApiSchemas,
  steps: readonly (string | undefined)[],
): KnownField[] {
  let at = resolved(root, schemas);
  for (const step of steps) {
    const next = step === undefined ? (at.items ?? at.additionalProperties) : ownField(at, step);
    if (next === undefined) return [];
    at = resolved(schemaOrNone(next), schemas);
  }
  return Object.entries(schemaOrNone(at.properties))
    .map(([name, schema]) => knownField(name, schemaOrNone(schema), resolved(schemaOrNone(schema), schemas)))
    .sort((a, b) => compareText(a.name, b.name));
}

const ownField = (schema: OpenApiSchema, name: string) => {
  const properties = schemaOrNone(schema.properties);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
};

function knownField(name: string, own: OpenApiSchema, value: OpenApiSchema): KnownField {
  const isMap = typeof value.additionalProperties === 'object' && value.additionalProperties !== null;
  const is = value.items !== undefined ? 'list' : isMap ? 'map' : value.properties !== undefined ? 'object' : 'scalar';
  const about = [own.description, value.description].find((text) => typeof text === 'string' && text !== '');
  return { name, is, about: String(about ?? '') };
}

function lookFrom(root: OpenApiSchema, schemas: OpenApiSchemas, steps: readonly (string | undefined)[]): FieldVerdict {
  let at = resolved(root, schemas);
  for (const [known, step] of steps.entries()) {
    const properties = schemaOrNone(at.properties);
    const names = Object.keys(properties);
    const isMap = typeof at.additionalProperties === 'object' && at.additionalProperties !== null;
    if (step === undefined) {
      if (at.items === undefined && !isMap) return { is: 'open', known, beside: [] };
      at = resolved(schemaOrNone(at.items ?? at.additionalProperties), schemas);
    } else if (at.items !== undefined) {
      return { is: 'open', known, beside: [] };
    } else if (Object.hasOwn(properties, step)) {
      at = resolved(schemaOrNone(properties[step]), schemas);
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
function resolved(schema: OpenApiSchema, schemas: OpenApiSchemas, depth = 0): OpenApiSchema {
  if (depth > 8) return {};
  const name = referredName(schema);
  return name === undefined ? schema : resolved(schemas[name] ?? {}, schemas, depth + 1);
}
