import type { TableColumn } from '../../../model/cells.ts';
import type { UnknownObject } from '../../../model/object.ts';
import type { ApiType, ConversionWebhook, CustomTraits, JsonSchema, Subresource } from '../api-type.ts';

/** The parts of a CustomResourceDefinition's spec that the server uses. Source: apiextensions/v1. */
export interface CrdSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: {
    readonly plural: string;
    readonly singular?: string;
    readonly kind: string;
    readonly listKind?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly CrdVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: ConversionWebhook };
}

export interface CrdVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: NonNullable<CustomTraits['scale']> };
  readonly additionalPrinterColumns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly description?: string;
    readonly priority?: number;
    readonly jsonPath: string;
  }[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export function specOf(crd: UnknownObject): CrdSpec {
  return crd.spec as CrdSpec;
}

/** The key of the collection that stores the objects of a definition. */
export function storageOf({ group, names }: CrdSpec): string {
  return `${names.plural}.${group}`;
}

/** The verbs of custom types, in the order of their discovery. Source: apiextensions-apiserver discovery controller. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const CHANGE_VERBS = ['get', 'patch', 'update'];

/** The types that a definition serves: one for each served version, the most stable version first. */
export function typesOf(crd: UnknownObject): ApiType[] {
  const spec = specOf(crd);
  const served = spec.versions.filter((v) => v.served).sort((a, b) => byPriority(a.name, b.name));
  return served.map((version, i) => typeOf(spec, version, i === 0));
}

function typeOf(spec: CrdSpec, version: CrdVersion, preferred: boolean): ApiType {
  const { group, names, scope } = spec;
  const subresourceTypes = subresourcesOf(spec, version);
  return {
    gvr: { group, version: version.name, resource: names.plural },
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    subresources: [...subresourceTypes.keys()],
    subresourceTypes,
    preferred,
    storage: storageOf(spec),
    custom: { ...traitsOf(version), ...conversionOf(spec) },
  };
}

/** A definition with one version needs no conversion. */
function conversionOf({ conversion, versions }: CrdSpec): Pick<CustomTraits, 'storedVersion' | 'conversion'> {
  const stored = versions.find(({ storage }) => storage)?.name;
  const converts = conversion?.strategy === 'Webhook' && versions.length > 1;
  return { ...(stored ? { storedVersion: stored } : {}), ...(converts ? { conversion: conversion.webhook } : {}) };
}

function subresourcesOf({ names }: CrdSpec, { subresources }: CrdVersion): Map<string, Subresource> {
  const found = new Map<string, Subresource>();
  if (subresources?.status)
    found.set('status', { name: 'status', kind: names.kind, group: '', version: '', verbs: CHANGE_VERBS });
  if (subresources?.scale)
    found.set('scale', { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: CHANGE_VERBS });
  return found;
}

/** The column of a type that defines none. Source: apiextensions-apiserver customresource/tableconvertor. */
const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function traitsOf({
  schema,
  additionalPrinterColumns,
  selectableFields,
  subresources,
}: CrdVersion): Omit<CustomTraits, 'storedVersion'> {
  return {
    columns: (additionalPrinterColumns?.length ? additionalPrinterColumns : [AGE]).map((column) => ({
      column: columnOf(column),
      jsonPath: column.jsonPath,
    })),
    selectableFields: (selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
    ...(subresources?.scale ? { scale: subresources.scale } : {}),
    schema: schema?.openAPIV3Schema,
  };
}

function columnOf({
  name,
  type,
  format = '',
  description,
  priority = 0,
  jsonPath,
}: NonNullable<CrdVersion['additionalPrinterColumns']>[number]): TableColumn {
  return {
    name,
    type,
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
  };
}

/**
 * Orders versions: stable, then beta, then alpha, higher numbers first; all other names last, by name.
 * Source: apimachinery version.CompareKubeAwareVersionStrings.
 */
export function byPriority(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)];
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return (y[i] as number) - (x[i] as number);
  return a < b ? -1 : 1;
}

function rank(version: string): readonly number[] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!found) return [0, 0, 0];
  const stability = found[2] === 'alpha' ? 1 : found[2] === 'beta' ? 2 : 3;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}
