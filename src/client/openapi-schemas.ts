import type { GroupVersionKind } from '../model/gvr.ts';
import type { Client } from './client.ts';

/** A part of an OpenAPI document that may be anything. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The schemas of one group and version, by name. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

/** The value as a map; an empty one if it is none. */
export const schemaOrNone = (value: unknown): OpenApiSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as OpenApiSchema) : {};

/**
 * Loads the schemas of a group and version with two requests; the second response has about a megabyte for the core
 * group. Undefined if the server has no document of them. Rejects as {@link Client.raw} does. Source: KEP-2896 OpenAPI
 * v3.
 */
export async function loadOpenApiSchemas(
  client: Pick<Client, 'raw'>,
  { group, version }: Pick<GroupVersionKind, 'group' | 'version'>,
  signal?: AbortSignal,
): Promise<OpenApiSchemas | undefined> {
  const { paths } = schemaOrNone(JSON.parse(await client.raw('/openapi/v3', { signal })));
  const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const { serverRelativeURL } = schemaOrNone(schemaOrNone(paths)[name]);
  if (typeof serverRelativeURL !== 'string' || !serverRelativeURL.startsWith('/')) return undefined;
  const document = schemaOrNone(JSON.parse(await client.raw(serverRelativeURL, { signal })));
  const schemas = schemaOrNone(schemaOrNone(document.components).schemas);
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, schemaOrNone(schema)]));
}

/** The name of the schema of a kind. */
export function schemaNameOf(schemas: OpenApiSchemas, wanted: GroupVersionKind): string | undefined {
  return Object.keys(schemas).find((name) => isOf(schemas[name] ?? {}, wanted));
}

function isOf(schema: OpenApiSchema, wanted: GroupVersionKind): boolean {
  const kinds = schema['x-kubernetes-group-version-kind'];
  return (
    Array.isArray(kinds) &&
    kinds
      .map(schemaOrNone)
      .some(({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind)
  );
}

const PREFIX = '#/components/schemas/';

/** The name of the schema that a schema refers to, itself or as its only part; undefined if it refers to none. */
export function referredName({ $ref, allOf }: OpenApiSchema): string | undefined {
  const parts = [$ref, ...(Array.isArray(allOf) ? allOf.map((part) => schemaOrNone(part).$ref) : [])];
  const found = parts.find((part): part is string => typeof part === 'string');
  return found?.startsWith(PREFIX) ? found.slice(PREFIX.length) : found;
}
