import type { IncludeObject } from '../../client/decode/table.ts';
import { jsonText } from '../../kit/exact-json.ts';
import { cellsAt } from '../../model/cell-ages.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { CachedCollection } from './cached-collection.ts';
import { unserved } from './refusal.ts';

/** The form of objects that a request asks for. */
export type ReadForm =
  | { readonly kind: 'object' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'table'; readonly include: IncludeObject };

const TABLE = /;\s*as=Table\b/;
const METADATA = /;\s*as=PartialObjectMetadata/;

/** The form that a request accepts first. Throws what sends it to the cluster if the cache has less than that. */
export function formOf(accept: string, include: string | null, collection: CachedCollection): ReadForm {
  const [first = ''] = accept.split(',');
  const isWhole = collection.as === 'object' || (typeof collection.as === 'object' && collection.as.table === 'Object');
  const whole = `whole objects of ${collection.name} are not cached`;
  if (METADATA.test(first)) return { kind: 'metadata' };
  if (!TABLE.test(first)) return isWhole ? { kind: 'object' } : unserved(whole);
  if (typeof collection.as !== 'object') return unserved(`tables of ${collection.name} are not cached`);
  if (include === 'Object' && !isWhole) return unserved(whole);
  return { kind: 'table', include: include === 'Object' || include === 'None' ? include : 'Metadata' };
}

/** The beginning and end of a list, around items that commas divide. */
export function listAround(
  form: ReadForm,
  { type }: CachedCollection,
  version: ResourceVersion,
  columns: readonly TableColumn[],
): readonly [string, string] {
  const metadata = `"metadata":${JSON.stringify({ resourceVersion: version })}`;
  if (form.kind === 'table')
    return [
      `{"kind":"Table","apiVersion":"meta.k8s.io/v1",${metadata},"columnDefinitions":${jsonText(columns)},"rows":[`,
      ']}\n',
    ];
  const [kind, apiVersion] =
    form.kind === 'metadata'
      ? ['PartialObjectMetadataList', 'meta.k8s.io/v1']
      : [`${type.kind}List`, formatGroupVersion(type.gvr)];
  return [`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${metadata},"items":[`, ']}\n'];
}

/** One item of a list, or row of a table, with the cells that it has at this time, wall-clock ms. */
export function itemText(form: ReadForm, object: ReadonlyObject, now: number): string {
  if (form.kind === 'object') return jsonText(object);
  if (form.kind === 'metadata') return jsonText(metadataOnly(object));
  const included = form.include === 'None' ? null : form.include === 'Object' ? object : metadataOnly(object);
  const row = cellsOf(object);
  return jsonText({ cells: row ? cellsAt(row, now) : [], object: included });
}

/** The object of a watch event. `columns` are undefined if an earlier event had the same. */
export function eventObjectText(
  form: ReadForm,
  object: ReadonlyObject,
  { columns, now }: { readonly columns: readonly TableColumn[] | undefined; readonly now: number },
): string {
  if (form.kind !== 'table') return itemText(form, object, now);
  const version = JSON.stringify({ resourceVersion: object.metadata.resourceVersion });
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${version},"columnDefinitions":${jsonText(columns ?? null)},"rows":[${itemText(form, object, now)}]}`;
}

/** The object of a bookmark: of tables one without columns and cells, which clients do not read. */
export function bookmarkText(form: ReadForm, { type }: CachedCollection, version: ResourceVersion): string {
  const metadata = { resourceVersion: version, creationTimestamp: null };
  const [kind, apiVersion] =
    form.kind === 'object' ? [type.kind, formatGroupVersion(type.gvr)] : ['PartialObjectMetadata', 'meta.k8s.io/v1'];
  const object = { kind, apiVersion, metadata };
  if (form.kind !== 'table') return jsonText(object);
  const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: version } };
  return jsonText({ ...table, columnDefinitions: null, rows: [{ cells: [], object }] });
}

function metadataOnly({ metadata }: ReadonlyObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
