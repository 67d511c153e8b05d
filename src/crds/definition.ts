import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { formatGroupVersion, type GroupVersionResource } from '../model/gvr.ts';
import type { KubeObject, UnknownObject } from '../model/object.ts';
import type { ObjectOf, SchemaSource } from './schema-source.ts';
import { type StructuralSchema, structuralOf } from './structural.ts';

/** A column that `kubectl get` prints. */
export interface PrinterColumn {
  name: string;
  /** A JSONPath: `.spec.replicas`. */
  path: string;
  /** Default: what the schema says of the path; `date` for a time. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date' | undefined;
  format?: string | undefined;
  description?: string | undefined;
  /** Above 0 for a column of `-o wide`. */
  priority?: number | undefined;
}

/** The paths of a scale subresource, as `.spec.replicas`. */
export interface ScalePaths {
  spec: string;
  status: string;
  labelSelector?: string | undefined;
}

/** A version of a resource. */
export interface VersionOptions<S extends SchemaSource = SchemaSource> {
  /** The schema of the object: `z.object({ spec, status: status.optional() })`. */
  schema: S;
  /** Whether objects are stored in this version. Exactly one is; the only version needs no word. */
  storage?: boolean | undefined;
  /** Default true. */
  served?: boolean | undefined;
  /** True, or the text of the warning that clients get. */
  deprecated?: boolean | string | undefined;
  /** Whether the status is a subresource. Default: whether the schema has one. */
  status?: boolean | undefined;
  scale?: ScalePaths | undefined;
  columns?: readonly PrinterColumn[] | undefined;
  /** Paths that field selectors can use: `.spec.host`. */
  selectableFields?: readonly string[] | undefined;
}

/** Where the webhook of a conversion is: a service in the cluster, or a URL. */
export type ConversionPlace =
  | { service: { namespace: string; name: string; path?: string; port?: number }; caBundle?: string | undefined }
  | { url: string; caBundle?: string | undefined };

/** Options of {@link defineResource}. */
export interface ResourceOptions<V extends Readonly<Record<string, VersionOptions>>> {
  group: string;
  kind: string;
  /** Default: the kind in lower case with a plural ending, `postgresclusters`. */
  plural?: string | undefined;
  singular?: string | undefined;
  shortNames?: readonly string[] | undefined;
  categories?: readonly string[] | undefined;
  /** Default `Namespaced`. */
  scope?: 'Namespaced' | 'Cluster' | undefined;
  /** The versions by name. */
  versions: V;
  /** The webhook that converts between the versions. Without one their objects differ by apiVersion only. */
  conversion?: ConversionPlace | undefined;
  annotations?: Readonly<Record<string, string>> | undefined;
}

/** A resource type that says the type of its objects. The property is for the compiler only. */
export type DefinedVersion<T> = GroupVersionResource & { readonly '~object': T };

/** A custom resource: its definition, and its versions by name. */
export interface DefinedResource<V extends Readonly<Record<string, VersionOptions>>> {
  readonly kind: string;
  /** The CustomResourceDefinition. */
  readonly definition: UnknownObject;
  readonly versions: { readonly [N in keyof V]: DefinedVersion<ObjectOf<V[N]['schema']>> };
}

/** The type of the objects of a version: `ResourceObject<typeof SHOPS.versions.v1>`. */
export type ResourceObject<R> = R extends { readonly '~object': infer T } ? T : never;

/**
 * A custom resource from schemas in code. The schemas may be of any library with Standard JSON Schema, such as zod from
 * 4.2. Throws `argument` for what a CustomResourceDefinition cannot say, with its path.
 * @example
 * const SHOPS = defineResource({
 *   group: 'example.com',
 *   kind: 'Shop',
 *   versions: { v1: { schema: z.object({ spec: z.object({ replicas: z.int32().min(1).default(1) }) }) } },
 * });
 * await client.resource(parseGvr('apiextensions.k8s.io/v1/customresourcedefinitions')).create(SHOPS.definition);
 * const shops = client.resource<ResourceObject<typeof SHOPS.versions.v1>>(SHOPS.versions.v1);
 */
export function defineResource<const V extends Readonly<Record<string, VersionOptions>>>(
  options: ResourceOptions<V>,
): DefinedResource<V> {
  checkOptions('defineResource', options, OPTIONS);
  const { group, kind, scope = 'Namespaced', shortNames, categories, conversion, annotations } = options;
  const plural = options.plural ?? pluralOf(kind.toLowerCase());
  const singular = options.singular ?? kind.toLowerCase();
  const names = Object.keys(options.versions);
  const stored = names.filter((name) => options.versions[name]?.storage ?? names.length === 1);
  if (stored.length !== 1)
    throw new InformerError(
      'argument',
      `${kind}.${group}: exactly one version has storage: true, not ${stored.length}`,
    );
  const versions = names.map((name) =>
    versionOf(name, options.versions[name] as VersionOptions, stored[0] === name, kind),
  );
  const definition: UnknownObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations ? { annotations: { ...annotations } } : {}) },
    spec: {
      group,
      names: {
        ...(categories ? { categories: [...categories] } : {}),
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames ? { shortNames: [...shortNames] } : {}),
        singular,
      },
      scope,
      versions,
      ...(conversion ? { conversion: conversionOf(conversion) } : {}),
    },
  };
  const typed = names.map((version) => [version, { group, version, resource: plural }]);
  return { kind, definition, versions: Object.fromEntries(typed) as DefinedResource<V>['versions'] };
}

const OPTIONS = {
  group: 'text',
  kind: 'text',
  plural: 'text',
  singular: 'text',
  shortNames: 'list',
  categories: 'list',
  scope: ['Namespaced', 'Cluster'],
  versions: 'object',
  conversion: 'object',
  annotations: 'object',
} as const satisfies KnownOptionsOf<ResourceOptions<never>>;

function versionOf(name: string, options: VersionOptions, storage: boolean, kind: string): object {
  const where = `${kind} ${name}`;
  checkOptions(where, options, VERSION_OPTIONS);
  const { schema: source, served = true, deprecated, scale, columns = [], selectableFields = [] } = options;
  const schema = withRoot(structuralOf(source, where), where);
  const { status = schema.properties?.status !== undefined } = options;
  const subresources = {
    ...(scale ? { scale: scaleOf(scale, schema, where) } : {}),
    ...(status ? { status: {} } : {}),
  };
  return {
    name,
    served,
    storage,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns.map((each) => columnOf(each, schema, where)) } : {}),
    ...(selectableFields.length > 0
      ? { selectableFields: selectableFields.map((path) => ({ jsonPath: checked(path, schema, where) })) }
      : {}),
  };
}

const VERSION_OPTIONS = {
  schema: true, // the schemas of some libraries are functions
  storage: 'boolean',
  served: 'boolean',
  deprecated: true,
  status: 'boolean',
  scale: 'object',
  columns: 'list',
  selectableFields: 'list',
} as const satisfies KnownOptionsOf<VersionOptions>;

/** The fields of every object, in the words that other generators use. Source: apimachinery meta/v1 TypeMeta. */
const ROOT: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: {
    type: 'string',
    description:
      'APIVersion defines the versioned schema of this representation of an object.\nServers should convert recognized schemas to the latest internal value, and\nmay reject unrecognized values.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  },
  kind: {
    type: 'string',
    description:
      'Kind is a string value representing the REST resource this object represents.\nServers may infer this from the endpoint the client submits requests to.\nCannot be updated.\nIn CamelCase.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  },
  metadata: { type: 'object' },
};

function withRoot(schema: StructuralSchema, where: string): StructuralSchema {
  if (schema.type !== 'object') throw new InformerError('argument', `${where}: the schema is not that of an object`);
  const { required, ...rest } = schema;
  const named = (required ?? []).filter((name) => !(name in ROOT));
  return {
    ...rest,
    properties: { ...schema.properties, ...ROOT },
    ...(named.length > 0 ? { required: named } : {}),
  };
}

function columnOf({ name, path, type, ...more }: PrinterColumn, schema: StructuralSchema, where: string): object {
  const { format, description, priority } = more;
  return {
    name,
    type: type ?? cellTypeOf(schemaAt(schema, path), `${where}: column ${name}`, path),
    jsonPath: path,
    ...(format ? { format } : {}),
    ...(description ? { description } : {}),
    ...(priority ? { priority } : {}),
  };
}

function cellTypeOf(found: StructuralSchema | undefined, where: string, path: string): string {
  const { type = 'string', format } = found ?? {};
  if (found === undefined && !path.startsWith('.metadata'))
    throw new InformerError('argument', `${where}: the schema has no ${path}`, { hint: 'name the type of the column' });
  if (format === 'date-time' || path === '.metadata.creationTimestamp') return 'date';
  return ['integer', 'number', 'boolean'].includes(type) ? type : 'string';
}

function scaleOf({ spec, status, labelSelector }: ScalePaths, schema: StructuralSchema, where: string): object {
  return {
    specReplicasPath: checked(spec, schema, where),
    statusReplicasPath: checked(status, schema, where),
    ...(labelSelector ? { labelSelectorPath: checked(labelSelector, schema, where) } : {}),
  };
}

function checked(path: string, schema: StructuralSchema, where: string): string {
  if (schemaAt(schema, path)) return path;
  throw new InformerError('argument', `${where}: the schema has no ${path}`);
}

/** The schema at a simple path; undefined for one that is not there. Filters and indexes lead to the items of a list. */
function schemaAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  const steps = path.match(/\.[A-Za-z_][\w-]*|\[[^[\]]*\]/g) ?? [];
  let at: StructuralSchema | undefined = schema;
  for (const step of steps)
    at = step.startsWith('[') ? at?.items : (at?.properties?.[step.slice(1)] ?? at?.additionalProperties);
  return at;
}

function conversionOf(place: ConversionPlace): object {
  const { caBundle, ...clientConfig } = place;
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: {
        ...('service' in clientConfig
          ? { service: { path: '/convert', port: 443, ...clientConfig.service } }
          : clientConfig),
        ...(caBundle ? { caBundle } : {}),
      },
      conversionReviewVersions: ['v1'],
    },
  };
}

function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

/** An object of a version, as a creation takes it: apiVersion and kind are filled in. */
export function objectOf<T extends KubeObject>(
  { kind }: { readonly kind: string },
  version: DefinedVersion<T>,
  object: Omit<T, 'apiVersion' | 'kind'>,
): T {
  return { apiVersion: formatGroupVersion(version), kind, ...object } as unknown as T;
}
