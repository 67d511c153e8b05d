import { isJsonMap, jsonText, parseJson } from '../../kit/exact-json.ts';
import type { ManagedFieldsEntry, UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { refuse } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { emptyObject } from '../types/empty-objects.ts';
import { equalJson } from '../types/equal.ts';
import { FieldSet } from '../types/field-set.ts';
import { compare, itemKey, partsOf } from '../types/fields.ts';
import { fieldShape, type Shape, shapeOf } from '../types/merge-rules.ts';
import { own, setOwn } from '../types/own-fields.ts';
import { guardsStatus, keepsMetadataAtStatus } from '../types/type-strategies.ts';
import { claimedBy, type FieldManager, isOf, newEntry, type Ownership, owned, read, write } from './managed-fields.ts';

/** An object and its managed fields after a server-side apply. */
export interface ApplyResult {
  readonly object: UnknownObject;
  readonly managedFields: ReturnType<typeof write>;
}

/**
 * Applies a configuration to an object. The fields of the configuration are set. A field that the manager applied
 * before, and that the configuration no longer has, is removed unless another manager owns it too. Throws 409 when a
 * field of another manager would change, unless `force` is true. Source: KEP-555.
 */
export function applyTo(
  type: ApiType,
  live: UnknownObject,
  configuration: UnknownObject,
  manager: FieldManager,
  { force, time }: { force: boolean; time: string },
): ApplyResult {
  const shape = shapeOf(type);
  const ownerships = ownersOf(type, live, time);
  const mine = ownerships.find((o) => isOf(o.entry, manager, type));
  const others = ownerships.filter((o) => o !== mine);
  const applied = writablePart(type, configuration, manager.subresource);
  const claimed = claimedBy(type, applied);
  const merged = merge(live, withoutSystemFields(applied), shape) as UnknownObject;
  const { changed } = compare(owned(live), owned(merged), shape);
  const conflicts = others.map((o) => ({ ...o, fields: o.fields.intersect(changed) })).filter((o) => !o.fields.isEmpty);
  if (conflicts.length > 0 && !force) refuseConflicts(conflicts);
  const rest = others.map((o) => ({ ...o, fields: o.fields.minus(changed) }));
  const stillOwned = rest.reduce((all, o) => all.union(o.fields), claimed);
  const dropped = mine?.fields.minus(stillOwned) ?? new FieldSet();
  const object = prune(merged, dropped, stillOwned, shape) as UnknownObject;
  const { removed } = compare(owned(live), owned(object), shape);
  const left = rest.map((o) => ({ ...o, fields: o.fields.minus(removed) }));
  const same = equalJson(owned(live), owned(object));
  const entry = newEntry(type, manager, time);
  const signed = same ? withTimeOf(entry, mine) : entry;
  return { object, managedFields: write([...left, { entry: signed, fields: claimed }]) };
}

/**
 * The part of a configuration that an apply to the object, or to its subresource, can write.
 * Source: GetResetFields of the strategies in kubernetes/pkg/registry.
 */
function writablePart(type: ApiType, configuration: UnknownObject, subresource: string | undefined): UnknownObject {
  if (subresource !== 'status') return guardsStatus(type) ? without(configuration, 'status') : configuration;
  const { apiVersion, kind, metadata, status } = configuration;
  const { name, namespace } = metadata;
  const kept = keepsMetadataAtStatus(type)
    ? { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) }
    : metadata;
  return { apiVersion, kind, metadata: kept, ...(status === undefined ? {} : { status }) } as UnknownObject;
}

function without(object: UnknownObject, field: string): UnknownObject {
  const { [field]: _dropped, ...rest } = object;
  return rest as UnknownObject;
}

/** The entry of a manager that changed nothing: it keeps the time of its entry before, and has none without one. */
function withTimeOf({ time: _now, ...entry }: ManagedFieldsEntry, mine: Ownership | undefined): ManagedFieldsEntry {
  const time = mine?.entry.time;
  const { fieldsType, fieldsV1, ...head } = entry;
  return { ...head, ...(time ? { time } : {}), fieldsType, fieldsV1 } as ManagedFieldsEntry;
}

/** The owners of an object's fields. A stored object without managed fields belongs to `before-first-apply`. */
function ownersOf(type: ApiType, live: UnknownObject, time: string): Ownership[] {
  const ownerships = read(live.metadata.managedFields);
  if (ownerships.length > 0 || !live.metadata.uid) return ownerships;
  const { changed } = compare(owned(emptyObject(type)), owned(live), shapeOf(type));
  const entry = newEntry(type, { name: 'before-first-apply', operation: 'Update', subresource: undefined }, time);
  return [{ entry, fields: changed }];
}

/** A configuration without the metadata that it may contain but cannot set. */
function withoutSystemFields(configuration: UnknownObject): UnknownObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    generation: _g,
    managedFields: _m,
    ...metadata
  } = configuration.metadata;
  return { ...configuration, metadata };
}

function merge(live: unknown, applied: unknown, shape: Shape | undefined): unknown {
  if (isJsonMap(live) && isJsonMap(applied) && !shape?.atomic) {
    const result = { ...live };
    for (const [name, value] of Object.entries(applied))
      setOwn(result, name, merge(own(live, name), value, fieldShape(shape, name)));
    return result;
  }
  if (!Array.isArray(live) || !Array.isArray(applied)) return applied;
  if (shape?.set)
    return mergeItems(
      live,
      applied,
      (value) => jsonText(value),
      (_old, value) => value,
    );
  const { keys, items } = shape ?? {};
  if (!keys) return applied;
  return mergeItems(
    live.filter(isJsonMap),
    applied.filter(isJsonMap),
    (item) => itemKey(item, keys),
    (old, item) => merge(old, item, items) as Item,
  );
}

type Item = Record<string, unknown>;

/**
 * Merges two lists. The applied items are in the order of the configuration, each other item comes after the item that
 * it followed before.
 * Source: structured-merge-diff typed/merge.go visitListItems.
 */
function mergeItems<T>(
  live: readonly T[],
  applied: readonly T[],
  keyOf: (item: T) => string,
  mergeItem: (old: T, item: T) => T,
): T[] {
  const lives = new Map(live.map((item) => [keyOf(item), item]));
  const wanted = new Map(applied.map((item) => [keyOf(item), item]));
  const [before, after] = [[...lives.keys()], [...wanted.keys()]];
  const common = after.filter((key) => lives.has(key));
  const placed = new Set<string>();
  const result: T[] = [];
  const place = (key: string) => {
    const [old, item] = [lives.get(key), wanted.get(key)];
    placed.add(key);
    if (common[0] === key) common.shift();
    result.push((old !== undefined && item !== undefined ? mergeItem(old, item) : (item ?? old)) as T);
  };
  for (let [l, a] = [0, 0]; l < before.length || a < after.length; ) {
    const [old, next] = [before[l], after[a]];
    if (old !== undefined && !wanted.has(old)) {
      place(old);
      l++;
    } else if (old !== undefined && (placed.has(old) || (next !== undefined && old !== next && common[0] !== old))) {
      l++; // placed already, or placed later where the configuration has it
    } else if (next !== undefined) {
      place(next);
      a++;
      if (old === next) l++;
    } else l++;
  }
  return result;
}

/**
 * Removes fields from an object, and the maps and lists that become empty by it. A list item that contains a field of
 * `stillOwned` stays, with its keys.
 */
function prune(value: unknown, dropped: FieldSet, stillOwned: FieldSet | undefined, shape: Shape | undefined): unknown {
  const parts = partsOf(value, shape);
  if (!parts || dropped.children.size === 0) return value;
  const left = [...parts].flatMap(([element, part]) =>
    pruned(element, part, dropped.children.get(element), stillOwned?.children.get(element)).map(
      (kept) => [element, kept] as const,
    ),
  );
  if (Array.isArray(value)) return left.map(([, kept]) => kept);
  return Object.fromEntries(left.map(([element, kept]) => [element.slice(2), kept]));
}

type Part = { readonly value: unknown; readonly shape: Shape | undefined };

/** The rest of one part: no value or one. A list item is removed as a whole. */
function pruned(
  element: string,
  { value, shape }: Part,
  dropped: FieldSet | undefined,
  stillOwned: FieldSet | undefined,
): unknown[] {
  if (!dropped) return [value];
  const isItem = element.startsWith('k:');
  const hasOwner = stillOwned !== undefined && !stillOwned.isEmpty;
  if (dropped.owned && !hasOwner && (isItem || dropped.children.size === 0)) return [];
  const left = prune(value, dropped, stillOwned, shape);
  if (isItem && isJsonMap(left)) return [{ ...(parseJson(element.slice(2)) as object), ...left }];
  return left !== value && isEmptyContainer(left) ? [] : [left];
}

function isEmptyContainer(value: unknown): boolean {
  return isJsonMap(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

/**
 * Throws 409 with one cause for each field in conflict. Source: apimachinery util/managedfields/internal conflict.go.
 */
function refuseConflicts(conflicts: readonly Ownership[]): never {
  const causes = conflicts.flatMap((c) =>
    c.fields
      .paths()
      .map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${describe(c)}`, field })),
  );
  const [only] = causes;
  const lines =
    causes.length === 1 && only
      ? `${only.message}: ${only.field}`
      : [...conflicts].sort(byManager).flatMap(listed).join('\n');
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  refuse(failure(409, 'Conflict', `Apply failed with ${count}: ${lines}`, { causes }));
}

/** The order in which a real server lists conflicts: by manager name, then operation, then version. */
function byManager({ entry: a }: Ownership, { entry: b }: Ownership): number {
  const [x, y] = [a, b].map((e) => JSON.stringify([e.manager, e.operation, e.apiVersion, e.subresource ?? ''])) as [
    string,
    string,
  ];
  return x < y ? -1 : 1;
}

function listed(conflict: Ownership): string[] {
  return [`conflicts with ${describe(conflict)}:`, ...conflict.fields.paths().map((path) => `- ${path}`)];
}

function describe({ entry }: Ownership): string {
  const through = entry.subresource ? ` with subresource ${JSON.stringify(entry.subresource)}` : '';
  const using = entry.operation === 'Update' ? ` using ${entry.apiVersion}` : '';
  return `${JSON.stringify(entry.manager)}${through}${using}`;
}
