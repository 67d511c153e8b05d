import { formatGroupVersion } from '../../model/gvr.ts';
import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { shared } from '../store/structure-sharing.ts';
import type { ApiType } from '../types/api-type.ts';
import { FieldSet } from '../types/field-set.ts';
import { appliedFieldsOf, compare } from '../types/fields.ts';
import { shapeOf } from '../types/merge-rules.ts';

/** A field manager: its name, how it writes, and the subresource that it writes to, if any. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string | undefined;
}

/** An entry of managedFields with its fields as a set. */
export interface Ownership {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** Metadata fields that have no owner. Source: apimachinery util/managedfields/internal stripmeta.go. */
const UNOWNED = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const satisfies readonly (keyof ObjectMeta | 'selfLink')[];

/** An object without the fields that have no owner. */
export function owned(object: UnknownObject): UnknownObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = object;
  const kept = Object.entries(metadata).filter(([name]) => !(UNOWNED as readonly string[]).includes(name));
  return { metadata: Object.fromEntries(kept), ...fields };
}

/**
 * The managed fields after `manager` replaced `before` by `after`: it owns the changed fields, and no other manager
 * owns them any more.
 */
export function afterUpdate(
  type: ApiType,
  before: UnknownObject,
  after: UnknownObject,
  manager: FieldManager,
  time: string,
): ManagedFieldsEntry[] {
  const { changed, removed } = compare(owned(before), owned(after), shapeOf(type));
  // a stored object without managed fields gets none
  if (!before.metadata.managedFields?.length && before.metadata.uid) return [];
  if (!before.metadata.managedFields?.length)
    return asLastOf(type, write([{ entry: newEntry(type, manager, time), fields: changed }]));
  const gone = changed.union(removed);
  const entries = before.metadata.managedFields;
  if (gone.isEmpty) return entries;
  const own = entries.find((entry) => isOf(entry, manager, type));
  const others = entries.filter((entry) => entry !== own);
  if (
    own?.fieldsV1 &&
    Object.keys(own.fieldsV1).length > 0 &&
    removed.isEmpty &&
    !others.some((entry) => gone.touches(entry.fieldsV1 ?? {}))
  ) {
    // the usual case, in which no entry has to be parsed
    const more = reorder({ ...newEntry(type, manager, time), fieldsV1: changed.addedTo(own.fieldsV1) });
    return [...others, more].sort(byPlace);
  }
  const ownerships = read(entries);
  const mine = ownerships.find((o) => o.entry === own);
  const rest = ownerships.filter((o) => o !== mine);
  const [losers, untouched] = [rest.filter((o) => o.fields.meets(gone)), rest.filter((o) => !o.fields.meets(gone))];
  const fields = (mine?.fields.minus(removed) ?? new FieldSet()).union(changed);
  // a manager that gains no field keeps its time
  const entry = own && changed.isEmpty ? own : newEntry(type, manager, time);
  const rewritten = [...losers.map((o) => ({ ...o, fields: o.fields.minus(gone) })), { entry, fields }];
  return [...untouched.map(({ entry }) => entry), ...encode(rewritten)].sort(byPlace);
}

const last = new WeakMap<ApiType, ManagedFieldsEntry[]>();

/**
 * Shares equal entries with the object of the type that was created before: most new objects of a type have the same
 * fields.
 */
function asLastOf(type: ApiType, entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const kept = shared(last.get(type), entries);
  last.set(type, kept);
  return kept;
}

export function read(entries: readonly ManagedFieldsEntry[] | undefined): Ownership[] {
  return (entries ?? []).map((entry) => ({ entry, fields: FieldSet.fromFieldsV1(entry.fieldsV1 ?? {}) }));
}

/** Encodes managed fields as they are stored: in the server's order, without entries that own no field. */
export function write(ownerships: readonly Ownership[]): ManagedFieldsEntry[] {
  return encode(ownerships).sort(byPlace);
}

function encode(ownerships: readonly Ownership[]): ManagedFieldsEntry[] {
  return ownerships
    .map(({ entry, fields }) => reorder({ ...entry, fieldsV1: fields.toFieldsV1() }))
    .filter(({ fieldsV1 }) => Object.keys(fieldsV1 ?? {}).length > 0);
}

export function newEntry(type: ApiType, manager: FieldManager, time: string): ManagedFieldsEntry {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: formatGroupVersion(type.gvr),
    ...(manager.subresource === 'scale' ? {} : { time }), // a real server sets no time for a write to `scale`
    fieldsType: 'FieldsV1',
    fieldsV1: {},
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  };
}

/**
 * Whether an entry is the manager's own. The API version counts for updates only: an applier is the same manager in
 * every version.
 */
export function isOf(entry: ManagedFieldsEntry, manager: FieldManager, type: ApiType): boolean {
  return (
    entry.manager === manager.name &&
    entry.operation === manager.operation &&
    (entry.subresource ?? '') === (manager.subresource ?? '') &&
    (manager.operation === 'Apply' || entry.apiVersion === formatGroupVersion(type.gvr))
  );
}

/** The fields that the manager of an applied configuration owns by it. */
export function claimedBy(type: ApiType, applied: UnknownObject): FieldSet {
  const { metadata, ...fields } = owned(applied);
  return appliedFieldsOf(Object.keys(metadata).length > 0 ? { metadata, ...fields } : fields, shapeOf(type));
}

function reorder(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const { subresource, ...rest } = entry;
  return subresource ? { ...rest, subresource } : rest;
}

/**
 * The order of managed fields. Source: apimachinery util/managedfields/internal managedfields.go
 * sortEncodedManagedFields.
 */
function byPlace(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  const order = (field: 'operation' | 'time' | 'manager' | 'apiVersion' | 'subresource') => {
    const [x, y] = [a[field] ?? '', b[field] ?? ''];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  return order('operation') || order('time') || order('manager') || order('apiVersion') || order('subresource');
}
