import { jsonText, parseJson } from '../../kit/exact-json.ts';
import type { ManagedFieldsEntry, UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { refuse } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { emptyObject } from '../types/empty-objects.ts';
import { equalJson } from '../types/equal.ts';
import { FieldSet } from '../types/field-set.ts';
import { compare, isFieldMap, itemKey, partsOf } from '../types/fields.ts';
import { own, setOwn } from '../types/own-fields.ts';
import { fieldShape, type Shape, shapeOf } from '../types/shape.ts';
import { guardsStatus, keepsMetadataAtStatus } from '../types/traits.ts';
import { claimedBy, isOf, type Manager, newEntry, type Ownership, owned, read, write } from './managed-fields.ts';

/** What applying a configuration makes of an object. */
export interface ApplyResult {
  readonly object: UnknownObject;
  readonly managedFields: ReturnType<typeof write>;
}

/**
 * Applies a configuration on top of an object: what it names is set, what the same manager applied before and names no more goes unless
 * somebody else owns it. Throws 409 when it would change a field of another manager, unless forced. Source: KEP-555.
 */
export function applyTo(
  type: ApiType,
  live: UnknownObject,
  configuration: UnknownObject,
  manager: Manager,
  { force, time }: { force: boolean; time: string },
): ApplyResult {
  const shape = shapeOf(type);
  const ownerships = ownersOf(type, live, time);
  const mine = ownerships.find((o) => isOf(o.entry, manager, type));
  const others = ownerships.filter((o) => o !== mine);
  const applied = throughDoor(type, configuration, manager.subresource);
  const claimed = claimedBy(type, applied);
  const merged = merge(live, withoutSystemFields(applied), shape) as UnknownObject;
  const { changed } = compare(owned(live), owned(merged), shape);
  const conflicts = others.map((o) => ({ ...o, fields: o.fields.intersect(changed) })).filter((o) => !o.fields.isEmpty);
  if (conflicts.length > 0 && !force) refuseConflicts(conflicts);
  const rest = others.map((o) => ({ ...o, fields: o.fields.minus(changed) }));
  const held = rest.reduce((all, o) => all.union(o.fields), claimed);
  const dropped = mine?.fields.minus(held) ?? new FieldSet();
  const object = prune(merged, dropped, held, shape) as UnknownObject;
  const { removed } = compare(owned(live), owned(object), shape);
  const left = rest.map((o) => ({ ...o, fields: o.fields.minus(removed) }));
  const same = equalJson(owned(live), owned(object));
  const entry = newEntry(type, manager, time);
  const signed = same ? withTimeOf(entry, mine) : entry;
  return { object, managedFields: write([...left, { entry: signed, fields: claimed }]) };
}

/** The part of a configuration that the door it comes through writes. Source: GetResetFields of the strategies in kubernetes/pkg/registry. */
function throughDoor(type: ApiType, configuration: UnknownObject, subresource: string | undefined): UnknownObject {
  if (subresource !== 'status') return guardsStatus(type) ? without(configuration, 'status') : configuration;
  const { apiVersion, kind, metadata, status } = configuration;
  const { name, namespace } = metadata;
  const kept = keepsMetadataAtStatus(type) ? { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) } : metadata;
  return { apiVersion, kind, metadata: kept, ...(status === undefined ? {} : { status }) } as UnknownObject;
}

function without(object: UnknownObject, field: string): UnknownObject {
  const { [field]: _dropped, ...rest } = object;
  return rest as UnknownObject;
}

/** Who changes nothing leaves no time: that of before stays, and who is new has none. */
function withTimeOf({ time: _now, ...entry }: ManagedFieldsEntry, mine: Ownership | undefined): ManagedFieldsEntry {
  const time = mine?.entry.time;
  const { fieldsType, fieldsV1, ...head } = entry;
  return { ...head, ...(time ? { time } : {}), fieldsType, fieldsV1 } as ManagedFieldsEntry;
}

/** Who owns what. What an object holds that nobody owns was there before the first apply. */
function ownersOf(type: ApiType, live: UnknownObject, time: string): Ownership[] {
  const ownerships = read(live.metadata.managedFields);
  if (ownerships.length > 0 || !live.metadata.uid) return ownerships;
  const { changed } = compare(owned(emptyObject(type)), owned(live), shapeOf(type));
  const entry = newEntry(type, { name: 'before-first-apply', operation: 'Update', subresource: undefined }, time);
  return [{ entry, fields: changed }];
}

/** Fields of metadata that a configuration may carry but never sets. */
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
  if (isFieldMap(live) && isFieldMap(applied) && !shape?.atomic) {
    const result = { ...live };
    for (const [name, value] of Object.entries(applied)) setOwn(result, name, merge(own(live, name), value, fieldShape(shape, name)));
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
    live.filter(isFieldMap),
    applied.filter(isFieldMap),
    (item) => itemKey(item, keys),
    (old, item) => merge(old, item, items) as Item,
  );
}

type Item = Record<string, unknown>;

/**
 * The items of both lists: those that are applied in the order they are applied in, the others after the item that stood before them.
 * Source: structured-merge-diff typed/merge.go visitListItems.
 */
function mergeItems<T>(live: readonly T[], applied: readonly T[], keyOf: (item: T) => string, mergeItem: (old: T, item: T) => T): T[] {
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
      l++; // one that comes where the configuration has it
    } else if (next !== undefined) {
      place(next);
      a++;
      if (old === next) l++;
    } else l++;
  }
  return result;
}

/**
 * Takes the given fields out of an object; maps and lists that become empty by it go too. What holds a field in `held` stays, and the
 * keys of its list items with it.
 */
function prune(value: unknown, dropped: FieldSet, held: FieldSet | undefined, shape: Shape | undefined): unknown {
  const parts = partsOf(value, shape);
  if (!parts || dropped.children.size === 0) return value;
  const left = [...parts].flatMap(([element, part]) =>
    pruned(element, part, dropped.children.get(element), held?.children.get(element)).map((kept) => [element, kept] as const),
  );
  if (Array.isArray(value)) return left.map(([, kept]) => kept);
  return Object.fromEntries(left.map(([element, kept]) => [element.slice(2), kept]));
}

type Part = { readonly value: unknown; readonly shape: Shape | undefined };

/** What is left of one part: none or one value. A list item goes as a whole with its key. */
function pruned(element: string, { value, shape }: Part, dropped: FieldSet | undefined, held: FieldSet | undefined): unknown[] {
  if (!dropped) return [value];
  const isItem = element.startsWith('k:');
  const isHeld = held !== undefined && !held.isEmpty;
  if (dropped.owned && !isHeld && (isItem || dropped.children.size === 0)) return [];
  const left = prune(value, dropped, held, shape);
  if (isItem && isFieldMap(left)) return [{ ...(parseJson(element.slice(2)) as object), ...left }];
  return left !== value && isEmptyContainer(left) ? [] : [left];
}

function isEmptyContainer(value: unknown): boolean {
  return isFieldMap(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

/** Source: apimachinery util/managedfields/internal conflict.go. */
function refuseConflicts(conflicts: readonly Ownership[]): never {
  const causes = conflicts.flatMap((c) =>
    c.fields.paths().map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${describe(c)}`, field })),
  );
  const [only] = causes;
  const lines = causes.length === 1 && only ? `${only.message}: ${only.field}` : [...conflicts].sort(byManager).flatMap(listed).join('\n');
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  refuse(failure(409, 'Conflict', `Apply failed with ${count}: ${lines}`, { causes }));
}

/** The real server sorts by the manager as it writes it: name, then operation, then version. */
function byManager({ entry: a }: Ownership, { entry: b }: Ownership): number {
  const [x, y] = [a, b].map((e) => JSON.stringify([e.manager, e.operation, e.apiVersion, e.subresource ?? ''])) as [string, string];
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
