import { createHash } from 'node:crypto';
import { pathOf } from '../../model/gvr.ts';
import type { ApiType } from '../types/api-type.ts';
import type { TypeRegistry } from '../types/type-registry.ts';
import { SchemaSet } from './openapi-schemas.ts';

/** A document as it is sent, and the hash of its content. */
export interface OpenApiDocument {
  readonly body: Buffer;
  readonly hash: string;
}

/**
 * The answer to `/openapi/v3`: the address of the document of each group and version. The address contains the hash of
 * the document.
 */
export function openApiIndex(types: TypeRegistry): object {
  const entry = (name: string) => ({
    serverRelativeURL: `/openapi/v3/${name}?hash=${openApiDocument(types, name)?.hash}`,
  });
  return { paths: Object.fromEntries([...servedDocuments(types).keys()].map((name) => [name, entry(name)])) };
}

/**
 * The document `/openapi/v3/apis/GROUP/VERSION`, or `/openapi/v3/api/v1`: the requests with their options, and the
 * schemas of the kinds. Undefined for a document that is not served.
 */
export function openApiDocument(types: TypeRegistry, name: string): OpenApiDocument | undefined {
  const served = servedDocuments(types).get(name);
  if (!served) return undefined;
  const known = served.some((type) => type.custom) ? customDocuments(types) : BUILTIN;
  const content = `${name} ${served.map((type) => type.gvr.resource).join()}`;
  const found = known.get(content) ?? makeDocument(served);
  known.set(content, found);
  return found;
}

/** The names of all documents: `api/v1`, `apis/apps/v1`. */
export function openApiNames(types: TypeRegistry): string[] {
  return [...servedDocuments(types).keys()];
}

/**
 * The documents of groups without custom types, by name and resources: feature gates decide which resources a group
 * has. All servers in this process share them.
 */
const BUILTIN = new Map<string, OpenApiDocument>();

const custom = new WeakMap<
  TypeRegistry,
  { readonly generation: number; readonly documents: Map<string, OpenApiDocument> }
>();

function customDocuments(types: TypeRegistry): Map<string, OpenApiDocument> {
  const { generation } = types;
  let known = custom.get(types);
  if (known?.generation !== generation) known = { generation, documents: new Map() };
  custom.set(types, known);
  return known.documents;
}

function servedDocuments(types: TypeRegistry): Map<string, readonly ApiType[]> {
  return new Map(
    types.groups.flatMap((g) => g.versions.map((v) => [documentName(g.name, v.version), v.types] as const)),
  );
}

function makeDocument(types: readonly ApiType[]): OpenApiDocument {
  const schemas = new SchemaSet();
  const paths = Object.fromEntries(types.flatMap((type) => pathsOf(type, schemas)));
  const info = { title: 'Kubernetes', version: 'v1.36.0' };
  const body = Buffer.from(
    `${JSON.stringify({ openapi: '3.0.0', info, paths, components: { schemas: schemas.all() } })}\n`,
  );
  return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

function documentName(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

const WRITES = ['create', 'update', 'patch'];
const METHODS: Readonly<Record<string, string>> = {
  create: 'post',
  update: 'put',
  patch: 'patch',
  get: 'get',
  list: 'get',
  delete: 'delete',
};
const ON_COLLECTION = new Set(['create', 'list']);

interface Operand {
  readonly kind: object;
  readonly schema: string | undefined;
  readonly strategic: boolean;
}

function pathsOf(type: ApiType, schemas: SchemaSet): [string, object][] {
  const namespace = type.namespaced ? '{namespace}' : undefined;
  const collection = decodeURIComponent(pathOf(type.gvr, { namespace }));
  const object = decodeURIComponent(pathOf(type.gvr, { namespace, name: '{name}' }));
  const { group, version } = type.gvr;
  const own: Operand = {
    kind: { group, version, kind: type.kind },
    schema: schemas.add(type),
    strategic: !type.custom,
  };
  const below = [...type.subresourceTypes.values()].map((sub): [string, object] => {
    const operand: Operand =
      sub.group === ''
        ? { ...own, kind: { group, version, kind: sub.kind } }
        : {
            kind: { group: sub.group, version: sub.version, kind: sub.kind },
            schema: schemas.addKind(`${sub.group}/${sub.version}`, sub.kind),
            strategic: !type.custom,
          };
    return [`${object}/${sub.name}`, operations(sub.verbs, operand)];
  });
  const onCollection = type.verbs.filter((verb) => ON_COLLECTION.has(verb));
  const onObject = type.verbs.filter((verb) => !ON_COLLECTION.has(verb));
  return [[collection, operations(onCollection, own)], [object, operations(onObject, own)], ...below];
}

function operations(verbs: readonly string[], operand: Operand): object {
  return Object.fromEntries(
    verbs.filter((verb) => verb in METHODS).map((verb) => [METHODS[verb], operation(verb, operand)]),
  );
}

function operation(verb: string, operand: Operand): object {
  const query = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
  return {
    parameters: WRITES.includes(verb) ? ['dryRun', 'fieldManager', 'fieldValidation'].map(query) : [],
    ...(WRITES.includes(verb) ? { requestBody: { required: true, content: contentOf(verb, operand) } } : {}),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': operand.kind,
  };
}

const PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** The content types that a write accepts. Clients read from them whether a kind accepts strategic merge patches. */
function contentOf(verb: string, { schema, strategic }: Operand): object {
  const patches = strategic ? [...PATCHES, 'application/strategic-merge-patch+json'] : PATCHES;
  const taken = verb === 'patch' ? patches : ['application/json', 'application/yaml'];
  const of = schema && verb !== 'patch' ? { schema: { $ref: `#/components/schemas/${schema}` } } : {};
  return Object.fromEntries(taken.map((type) => [type, of]));
}
