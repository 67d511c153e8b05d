import { isDeepStrictEqual } from 'node:util';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import type { ApiType } from '../discovery/api-type.ts';
import { refuse } from '../http/statuses.ts';
import { fieldShape, type Shape, shapeOf } from '../write/shape.ts';
import { FieldSet } from './field-set.ts';
import { compare, isMap, itemKey, partsOf } from './fields.ts';
import { claimedBy, isOf, type Manager, newEntry, type Ownership, owned, read, write } from './managed-fields.ts';

/** What applying a configuration makes of an object. */
export interface Applied {
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
): Applied {
  const shape = shapeOf(type);
  const ownerships = read(live.metadata.managedFields);
  const mine = ownerships.find((o) => isOf(o.entry, manager, type));
  const others = ownerships.filter((o) => o !== mine);
  const claimed = claimedBy(type, configuration);
  const merged = merge(live, withoutSystemFields(configuration), shape) as UnknownObject;
  const { changed } = compare(owned(live), owned(merged), shape);
  const conflicts = others.map((o) => ({ ...o, fields: o.fields.intersect(changed) })).filter((o) => !o.fields.isEmpty);
  if (conflicts.length > 0 && !force) refuseConflicts(conflicts);
  const rest = others.map((o) => ({ ...o, fields: o.fields.minus(changed) }));
  const dropped = rest.reduce((left, o) => left.minus(o.fields), mine?.fields.minus(claimed) ?? new FieldSet());
  const entry = mine?.fields.equals(claimed) && changed.isEmpty ? mine.entry : newEntry(type, manager, time);
  return { object: prune(merged, dropped, shape) as UnknownObject, managedFields: write([...rest, { entry, fields: claimed }]) };
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
  if (isMap(live) && isMap(applied) && !shape?.atomic) {
    const result = { ...live };
    for (const [name, value] of Object.entries(applied)) result[name] = merge(live[name], value, fieldShape(shape, name));
    return result;
  }
  if (!Array.isArray(live) || !Array.isArray(applied)) return applied;
  if (shape?.set) return [...live, ...applied.filter((v) => !live.some((l) => isDeepStrictEqual(l, v)))];
  return shape?.keys ? mergeItems(live.filter(isMap), applied.filter(isMap), shape.keys, shape.items) : applied;
}

type Items = Record<string, unknown>[];

function mergeItems(live: Items, applied: Items, keys: readonly string[], shape: Shape | undefined): Items {
  const wanted = new Map(applied.map((item) => [itemKey(item, keys), item]));
  const kept = live.map((item) => {
    const key = itemKey(item, keys);
    const change = wanted.get(key);
    wanted.delete(key);
    return change ? (merge(item, change, shape) as Record<string, unknown>) : item;
  });
  return [...kept, ...wanted.values()];
}

/** Takes the given fields out of an object; maps and lists that become empty by it go too. */
function prune(value: unknown, dropped: FieldSet, shape: Shape | undefined): unknown {
  const parts = partsOf(value, shape);
  if (!parts || dropped.children.size === 0) return value;
  if (Array.isArray(value)) {
    return [...parts].flatMap(([element, part]) => pruned(element, part, dropped.children.get(element)));
  }
  const entries = [...parts].flatMap(([element, part]) => {
    const [left] = pruned(element, part, dropped.children.get(element));
    return left === undefined ? [] : [[element.slice(2), left] as const];
  });
  return Object.fromEntries(entries);
}

type Part = { readonly value: unknown; readonly shape: Shape | undefined };

/** What is left of one part: none or one value. A list item goes as a whole with its key. */
function pruned(element: string, { value, shape }: Part, dropped: FieldSet | undefined): unknown[] {
  if (!dropped) return [value];
  if (dropped.owned && (element.startsWith('k:') || dropped.children.size === 0)) return [];
  const left = prune(value, dropped, shape);
  return left !== value && isEmptyContainer(left) ? [] : [left];
}

function isEmptyContainer(value: unknown): boolean {
  return isMap(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

/** Source: apimachinery util/managedfields/internal conflict.go. */
function refuseConflicts(conflicts: readonly Ownership[]): never {
  const causes = conflicts.flatMap((c) =>
    c.fields.paths().map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${describe(c)}`, field })),
  );
  const lines =
    causes.length === 1
      ? `${causes[0]?.message}: ${causes[0]?.field}`
      : conflicts
          .map((c) => {
            const paths = c.fields.paths();
            return paths.length === 1
              ? `conflict with ${describe(c)}: ${paths[0]}`
              : `conflicts with ${describe(c)}:\n${paths.map((p) => `- ${p}`).join('\n')}`;
          })
          .join('\n');
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  refuse(failure(409, 'Conflict', `Apply failed with ${count}: ${lines}`, { causes }));
}

function describe({ entry }: Ownership): string {
  const through = entry.subresource ? ` with subresource ${JSON.stringify(entry.subresource)}` : '';
  const using = entry.operation === 'Update' ? ` using ${entry.apiVersion}` : '';
  return `${JSON.stringify(entry.manager)}${through}${using}`;
}
