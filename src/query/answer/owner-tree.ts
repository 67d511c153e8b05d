import type { ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';

/** An object among those that own it and that it owns. */
export interface TreeNode<T> {
  readonly item: T;
  /** It was asked for; otherwise it owns, or is owned by, what was. */
  readonly isAsked: boolean;
  readonly children: readonly TreeNode<T>[];
}

export interface TreeItem {
  readonly object: ReadonlyObject;
}

/**
 * The trees of owners in which items are: above each item its owners up to the root, below it everything that it owns.
 * `known` are all objects that are known, in the order in which children are shown. An object with several owners is
 * below the one that controls it, otherwise below the first that is known.
 */
export function ownerTrees<T extends TreeItem>(asked: readonly T[], known: Iterable<T>): TreeNode<T>[] {
  const askedByUid = new Map(asked.map((item) => [uidOf(item), item]));
  const byUid = new Map<string, T>();
  for (const item of known) byUid.set(uidOf(item), askedByUid.get(uidOf(item)) ?? item);
  for (const [uid, item] of askedByUid) byUid.set(uid, item);
  const parentOf = (item: T) => ownersOf(item).map((uid) => byUid.get(uid)).find((owner) => owner !== undefined); // biome-ignore format: short
  const below = new Map<T, T[]>();
  for (const item of byUid.values()) {
    const parent = parentOf(item);
    if (!parent) continue;
    const siblings = below.get(parent);
    if (siblings) siblings.push(item);
    else below.set(parent, [item]);
  }
  const shown = new Set<T>();
  const roots = new Set<T>();
  for (const item of asked) {
    const own = byUid.get(uidOf(item)) as T;
    show(own, below, shown);
    roots.add(climb(own, parentOf, shown));
  }
  const made = new Set<T>();
  const nodeOf = (item: T): TreeNode<T> => {
    made.add(item);
    const children = (below.get(item) ?? []).filter((child) => shown.has(child) && !made.has(child));
    return { item, isAsked: askedByUid.has(uidOf(item)), children: children.map(nodeOf) };
  };
  return [...roots].map(nodeOf);
}

/** Adds an item and all that it owns. */
function show<T>(item: T, below: ReadonlyMap<T, readonly T[]>, shown: Set<T>): void {
  if (shown.has(item)) return;
  shown.add(item);
  for (const child of below.get(item) ?? []) show(child, below, shown);
}

/** The root of an item; the owners on the way are shown. A ring of owners ends where it closes. */
function climb<T>(item: T, parentOf: (item: T) => T | undefined, shown: Set<T>): T {
  const passed = new Set([item]);
  let root = item;
  for (let parent = parentOf(root); parent && !passed.has(parent); parent = parentOf(root)) {
    passed.add(parent);
    shown.add(parent);
    root = parent;
  }
  return root;
}

/** An object without a uid is like no other. */
const uidOf = ({ object: { metadata } }: TreeItem): string =>
  metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** The uids of the owners, that which controls the object first. */
function ownersOf({ object }: TreeItem): readonly string[] {
  const references = [...ownerReferencesOf(object)];
  return references.sort((a, b) => Number(b.controller ?? false) - Number(a.controller ?? false)).map(({ uid }) => uid);
}
