import { formatGroupVersion } from '../../model/gvr.ts';
import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { shared } from '../store/shared.ts';
import type { ApiType } from '../types/api-type.ts';
import { FieldSet } from '../types/field-set.ts';
import { appliedFieldsOf, compare } from '../types/fields.ts';
import { shapeOf } from '../types/shape.ts';

/** Who writes, and through which door. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string | undefined;
}

/** A manager's fields. */
export interface Ownership {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** Metadata nobody owns. Source: apimachinery util/managedfields/internal stripmeta.go. */
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

/** The part of an object that has owners. */
export function owned(object: UnknownObject): UnknownObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = object;
  const kept = Object.entries(metadata).filter(([name]) => !(UNOWNED as readonly string[]).includes(name));
  return { metadata: Object.fromEntries(kept), ...fields };
}

/** The managed fields after `manager` wrote `after` over `before`: it owns what changed, the others lose that. */
export function afterUpdate(
  type: ApiType,
  before: UnknownObject,
  after: UnknownObject,
  manager: Manager,
  time: string,
): ManagedFieldsEntry[] {
  const { changed, removed } = compare(owned(before), owned(after), shapeOf(type));
  if (!before.metadata.managedFields?.length && before.metadata.uid) return []; // who owns nothing of an object does not begin to
  if (!before.metadata.managedFields?.length) return asLastOf(type, write([{ entry: newEntry(type, manager, time), fields: changed }]));
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
    const more = reorder({ ...newEntry(type, manager, time), fieldsV1: changed.addedTo(own.fieldsV1) }); // the usual case: only what changed is read
    return [...others, more].sort(byPlace);
  }
  const ownerships = read(entries);
  const mine = ownerships.find((o) => o.entry === own);
  const rest = ownerships.filter((o) => o !== mine);
  const [losers, untouched] = [rest.filter((o) => o.fields.meets(gone)), rest.filter((o) => !o.fields.meets(gone))];
  const fields = (mine?.fields.minus(removed) ?? new FieldSet()).union(changed);
  const entry = own && changed.isEmpty ? own : newEntry(type, manager, time); // who takes nothing leaves no time
  const rewritten = [...losers.map((o) => ({ ...o, fields: o.fields.minus(gone) })), { entry, fields }];
  return [...untouched.map(({ entry }) => entry), ...encode(rewritten)].sort(byPlace);
}

const last = new WeakMap<ApiType, ManagedFieldsEntry[]>();

/** New objects of a type are mostly made of the same fields: those that the one before had too are kept once for both. */
function asLastOf(type: ApiType, entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const kept = shared(last.get(type), entries);
  last.set(type, kept);
  return kept;
}

/** Who owns what in an object. */
export function read(entries: readonly ManagedFieldsEntry[] | undefined): Ownership[] {
  return (entries ?? []).map((entry) => ({ entry, fields: FieldSet.fromFieldsV1(entry.fieldsV1 ?? {}) }));
}

/** Managed fields as they are stored: those who own nothing left out, in the server's order. */
export function write(ownerships: readonly Ownership[]): ManagedFieldsEntry[] {
  return encode(ownerships).sort(byPlace);
}

function encode(ownerships: readonly Ownership[]): ManagedFieldsEntry[] {
  return ownerships
    .map(({ entry, fields }) => reorder({ ...entry, fieldsV1: fields.toFieldsV1() }))
    .filter(({ fieldsV1 }) => Object.keys(fieldsV1 ?? {}).length > 0);
}

export function newEntry(type: ApiType, manager: Manager, time: string): ManagedFieldsEntry {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: formatGroupVersion(type.gvr),
    ...(manager.subresource === 'scale' ? {} : { time }), // as the real server: who scales leaves no time
    fieldsType: 'FieldsV1',
    fieldsV1: {},
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  };
}

/** An applier is the same in every version; an updater is not. */
export function isOf(entry: ManagedFieldsEntry, manager: Manager, type: ApiType): boolean {
  return (
    entry.manager === manager.name &&
    entry.operation === manager.operation &&
    (entry.subresource ?? '') === (manager.subresource ?? '') &&
    (manager.operation === 'Apply' || entry.apiVersion === formatGroupVersion(type.gvr))
  );
}

/** The fields an applied configuration claims. */
export function claimedBy(type: ApiType, applied: UnknownObject): FieldSet {
  const { metadata, ...fields } = owned(applied);
  return appliedFieldsOf(Object.keys(metadata).length > 0 ? { metadata, ...fields } : fields, shapeOf(type));
}

function reorder(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const { subresource, ...rest } = entry;
  return subresource ? { ...rest, subresource } : rest;
}

/** Source: apimachinery util/managedfields/internal managedfields.go sortEncodedManagedFields. */
function byPlace(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  const order = (field: 'operation' | 'time' | 'manager' | 'apiVersion' | 'subresource') => {
    const [x, y] = [a[field] ?? '', b[field] ?? ''];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  return order('operation') || order('time') || order('manager') || order('apiVersion') || order('subresource');
}
