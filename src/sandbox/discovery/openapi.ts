import { createHash } from 'node:crypto';
import { pathOf } from '../../model/gvr.ts';
import type { ApiType } from './api-type.ts';
import type { TypeRegistry } from './type-registry.ts';

/** `/openapi/v3`: one document per group and version. */
export function openApiIndex(types: TypeRegistry): object {
  const paths = types.groups.flatMap((g) => g.versions.map((v) => documentName(g.name, v.version)));
  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(`${path} ${types.generation}`)}` }]),
    ),
  };
}

/**
 * `/openapi/v3/apis/GROUP/VERSION`: which requests there are and which options they take, which is what kubectl looks at before it
 * writes. Tells no schemas, so that `kubectl explain` finds none. Undefined for a document that is not served.
 */
export function openApiDocument(types: TypeRegistry, name: string): object | undefined {
  const served = types.groups.flatMap((g) => g.versions.map((v) => ({ name: documentName(g.name, v.version), types: v.types })));
  const found = served.find((s) => s.name === name);
  if (!found) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.0' },
    paths: Object.fromEntries(found.types.flatMap(pathsOf)),
    components: { schemas: {} },
  };
}

function documentName(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
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

function pathsOf(type: ApiType): [string, object][] {
  const namespace = type.namespaced ? '{namespace}' : undefined;
  const collection = decodeURIComponent(pathOf(type.gvr, { namespace }));
  const object = decodeURIComponent(pathOf(type.gvr, { namespace, name: '{name}' }));
  return [
    [collection, operations(type, (verb) => ON_COLLECTION.has(verb))],
    [object, operations(type, (verb) => !ON_COLLECTION.has(verb))],
  ];
}

function operations(type: ApiType, wanted: (verb: string) => boolean): object {
  const verbs = type.verbs.filter((verb) => verb in METHODS && wanted(verb));
  return Object.fromEntries(verbs.map((verb) => [METHODS[verb], operation(type, verb)]));
}

function operation({ gvr, kind }: ApiType, verb: string): object {
  const query = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
  return {
    parameters: WRITES.includes(verb) ? ['dryRun', 'fieldManager', 'fieldValidation'].map(query) : [],
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': { group: gvr.group, version: gvr.version, kind },
  };
}
