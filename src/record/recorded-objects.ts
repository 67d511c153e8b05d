import { isOwnerReference } from '../model/owner-references.ts';
import type { Recording } from './recording.ts';

/** The objects of a recording that belong to one, by the numbers that they have in it. */
export interface BelongingObjects {
  /** Those of the name itself, and all that they own, through all levels. */
  readonly owned: readonly number[];
  /** The Events about these, and what their pods name: claims and nodes. */
  readonly about: readonly number[];
  /** The sources of `owned`. */
  readonly sources: ReadonlySet<number>;
}

/** Finds the objects that belong to those with a name, among all that were ever recorded in a namespace. */
export function belongingObjects(
  recording: Recording,
  { roots, namespace }: { readonly roots: ReadonlySet<number>; readonly namespace: string | undefined },
): BelongingObjects {
  const all = [
    ...recording.objectsOf(recording.sources.map(({ id }) => id), namespace), // biome-ignore format: one line
  ];
  const below = new Map<string, typeof all>();
  for (const each of all) for (const uid of ownersOf(each.object)) below.set(uid, [...(below.get(uid) ?? []), each]);
  const owned = new Map<number, (typeof all)[number]>();
  const add = (each: (typeof all)[number]) => {
    if (owned.has(each.id)) return;
    owned.set(each.id, each);
    for (const child of below.get(each.uid) ?? []) add(child);
  };
  for (const each of all) if (roots.has(each.id)) add(each);
  const uids = new Set([...owned.values()].map(({ uid }) => uid));
  const names = new Set([...owned.values()].flatMap(({ object }) => namedBy(object)));
  const about = all.filter(({ id, object }) => !owned.has(id) && isAbout(object, uids, names));
  return {
    owned: [...owned.keys()],
    about: about.map(({ id }) => id),
    sources: new Set([...owned.values()].map(({ source }) => source)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const mapOf = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Fields;

function ownersOf(object: Fields): string[] {
  const { ownerReferences } = mapOf(object.metadata);
  return Array.isArray(ownerReferences) ? ownerReferences.filter(isOwnerReference).map(({ uid }) => uid) : [];
}

/** The claims and the node of a pod. */
function namedBy({ kind, spec }: Fields): string[] {
  if (kind !== 'Pod') return [];
  const { volumes, nodeName } = mapOf(spec);
  const claims = Array.isArray(volumes)
    ? volumes.map((each) => mapOf(mapOf(each).persistentVolumeClaim).claimName).filter((name) => name !== undefined)
    : [];
  return [...claims.map((name) => `PersistentVolumeClaim ${name}`), `Node ${nodeName}`];
}

function isAbout(object: Fields, uids: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  const about = mapOf(object.involvedObject ?? object.regarding);
  if (object.kind === 'Event') return uids.has(String(about.uid)) || names.has(`${about.kind} ${about.name}`);
  return names.has(`${object.kind} ${mapOf(object.metadata).name}`);
}
