import { createHash } from 'node:crypto';
import { isJsonMap } from '../../kit/exact-json.ts';
import type { TypeRegistry } from '../types/type-registry.ts';
import { type OpenApiDocument, openApiDocument, openApiNames } from './openapi.ts';

type Fields = Record<string, unknown>;

interface V3 {
  readonly info: Fields;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
  readonly components: { readonly schemas: Fields };
}

const made = new WeakMap<TypeRegistry, { readonly generation: number; readonly document: OpenApiDocument }>();

/**
 * The one document of `/openapi/v2`: the paths and schemas of all documents of v3, in the words of Swagger 2.0. What
 * Swagger cannot say is left out, as a real server does: choices between schemas, defaults and nullable fields.
 * Source: kube-openapi builder3/util, apiextensions-apiserver controller/openapi/v2.
 */
export function openApiV2Document(types: TypeRegistry): OpenApiDocument {
  const { generation } = types;
  const known = made.get(types);
  if (known?.generation === generation) return known.document;
  const document = makeDocument(types);
  made.set(types, { generation, document });
  return document;
}

function makeDocument(types: TypeRegistry): OpenApiDocument {
  const documents = openApiNames(types).map((name) => JSON.parse(String(openApiDocument(types, name)?.body)) as V3);
  const paths = Object.assign({}, ...documents.map((document) => mapped(document.paths, pathOf)));
  const definitions = Object.assign({}, ...documents.map(({ components }) => mapped(components.schemas, schemaOf)));
  const info = documents[0]?.info;
  const body = Buffer.from(`${JSON.stringify({ swagger: '2.0', info, paths, definitions })}\n`);
  return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

function mapped<T, R>(fields: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
}

function pathOf(operations: Readonly<Record<string, Fields>>): Record<string, Fields> {
  return mapped(operations, operationOf);
}

const JSON_AND_YAML = ['application/json', 'application/yaml'];

function operationOf({ parameters, requestBody, ...rest }: Fields): Fields {
  const inQuery = (parameters as { name: string }[]).map(({ name }) => ({ name, in: 'query', type: 'string' }));
  if (!requestBody) return { produces: JSON_AND_YAML, parameters: inQuery, ...rest };
  const { content } = requestBody as { content: Record<string, { schema?: Fields }> };
  const schema = schemaOf(Object.values(content)[0]?.schema ?? { type: 'object' });
  const inBody = { name: 'body', in: 'body', required: true, schema };
  return { consumes: Object.keys(content), produces: JSON_AND_YAML, parameters: [inBody, ...inQuery], ...rest };
}

const LEFT_OUT = ['oneOf', 'anyOf', 'not', 'nullable', 'default'];

function schemaOf(value: unknown): Fields {
  if (!isJsonMap(value)) return {};
  const { allOf, oneOf, properties, items, additionalProperties, $ref, ...rest } = value;
  for (const name of LEFT_OUT) delete rest[name];
  const [only] = (allOf as Fields[] | undefined) ?? [];
  const target = $ref ?? only?.$ref;
  return {
    ...rest,
    ...(typeof target === 'string' ? { $ref: target.replace('#/components/schemas/', '#/definitions/') } : {}),
    ...(Array.isArray(oneOf) && rest.type === undefined ? { type: 'string' } : {}), // a quantity, a number or a name
    ...(isJsonMap(properties) ? { properties: mapped(properties, schemaOf) } : {}),
    ...(items === undefined ? {} : { items: schemaOf(items) }),
    ...(isJsonMap(additionalProperties) ? { additionalProperties: schemaOf(additionalProperties) } : {}),
  };
}
