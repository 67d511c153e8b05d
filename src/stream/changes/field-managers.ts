import { isJsonMap, jsonText, parseJson } from '../../kit/exact-json.ts';
import type { FieldChange, Fields, PathStep } from '../../model/field-changes.ts';
import type { ManagedFieldsEntry } from '../../model/object.ts';

/**
 * Returns the name of the field manager that made a change. Several names are joined by commas if these managers wrote
 * in the same second. Undefined if the object does not have the answer.
 */
export type FieldManagerOf = (change: FieldChange) => string | undefined;

/**
 * Finds the managers that wrote the changes from one state of an object to the next, by the `metadata.managedFields` of
 * both.
 *
 * A field that was added or changed was written by its owner; of several owners, by the one that wrote last. A field
 * that was removed has no owner. Its writer is the manager of an entry that is new or has a new time, because the
 * server renews the time of an entry when its manager removes a field. Times are whole seconds. So an entry that has
 * more fields than before counts as new too, and among owners with the same time those with new entries win.
 *
 * Does not promise an answer: managedFields may be missing, some fields (deletionTimestamp) have no owner, and a
 * manager that removes the field of another one may leave no trace.
 * Source: KEP-555 server-side apply, apimachinery meta/v1 ManagedFieldsEntry, structured-merge-diff fieldpath.
 */
export function fieldManagers(before: object, after: object): FieldManagerOf {
  const entries = entriesOf(after);
  const old = new Map(entriesOf(before).map((entry) => [nameOf(entry), entry]));
  const renewed = new Set(entries.filter((entry) => isRenewed(entry, old.get(nameOf(entry)))));
  return (change) => newestOf(leavesSomething(change) ? ownersOf(change, entries) : [...renewed], renewed);
}

/**
 * The manager that created an object: the managers of the earliest entries in its managedFields, except those of
 * subresources. It is right only for an object that was just created, because a later write of the same manager
 * replaces the time of its first one.
 */
export function creatorOf(object: object): string | undefined {
  const entries = entriesOf(object).filter(({ subresource }) => !subresource);
  const [first] = entries.map(timeOf).sort();
  return namesOf(entries.filter((entry) => timeOf(entry) === first));
}

const timeOf = ({ time = '' }: ManagedFieldsEntry) => time;

/** The names of the managers, each once; undefined without entries. */
function namesOf(entries: readonly ManagedFieldsEntry[]): string | undefined {
  return [...new Set(entries.map(({ manager }) => manager || 'unknown'))].join(',') || undefined;
}

/** A manager that owns a field, with the subresource through which it wrote it. */
export interface FieldOwner {
  readonly manager: string;
  readonly subresource?: string | undefined;
}

/**
 * Finds the managers that own the part of an object that a change replaces or removes, before the change. A write that
 * is not an apply takes such a part from all of them. An added field has an owner if the map around it is owned as a
 * whole.
 */
export function fieldOwners(object: object): (change: FieldChange) => readonly FieldOwner[] {
  const entries = entriesOf(object);
  return ({ path, steps, kind, before }) => {
    if (kind === 'added' && isDivided(steps, entries)) return [];
    // the owners of what is there now, as of a part that was just added
    const present: FieldChange = { path, steps, kind, after: before };
    const owners = new Map(
      ownersOf(present, entries).map(({ manager = 'unknown', subresource }) => [
        JSON.stringify([manager, subresource]),
        { manager, ...(subresource ? { subresource } : {}) },
      ]),
    );
    return [...owners.values()];
  };
}

/** Whether managers own parts of the map around a path, so that no manager owns the map as a whole. */
function isDivided(steps: readonly PathStep[], entries: readonly ManagedFieldsEntry[]): boolean {
  const parent = steps.slice(0, -1);
  return entries.some(({ fieldsV1 }) => {
    let node: unknown = fieldsV1;
    for (const step of parent) node = isJsonMap(node) ? childOf(node, step) : undefined;
    return isJsonMap(node) && !isEmpty(node);
  });
}

const TEXTS = ['manager', 'operation', 'apiVersion', 'subresource', 'time'] as const;

/** The entries that have their fields in the format `FieldsV1`, and texts where the API has texts. */
function entriesOf(object: object): readonly ManagedFieldsEntry[] {
  const { metadata } = object as { metadata?: { managedFields?: readonly ManagedFieldsEntry[] } };
  const entries = metadata?.managedFields;
  return Array.isArray(entries) ? entries.filter((entry) => isJsonMap(entry?.fieldsV1) && hasTexts(entry)) : [];
}

const hasTexts = (entry: ManagedFieldsEntry) =>
  TEXTS.every((name) => entry[name] === undefined || typeof entry[name] === 'string');

/** The identity of an entry: two entries with the same one are two states of one entry. */
const nameOf = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry) =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

function isRenewed(entry: ManagedFieldsEntry, old: ManagedFieldsEntry | undefined): boolean {
  return old === undefined || old.time !== entry.time || hasMore(entry.fieldsV1 as Fields, old.fieldsV1 as Fields);
}

/**
 * Whether `fields` has a path that `than` does not have. An entry gets more fields only by writes of its own manager.
 * It may lose fields by writes of other managers.
 */
function hasMore(fields: Fields, than: Fields): boolean {
  return Object.entries(fields).some(([key, node]) => {
    const other = Object.hasOwn(than, key) ? than[key] : undefined;
    return !isJsonMap(other) || (isJsonMap(node) && hasMore(node, other));
  });
}

/**
 * Whether the changed part exists afterwards. For a list of plain values: whether a value was added or the order
 * changed.
 */
function leavesSomething({ kind, before, after }: FieldChange): boolean {
  if (kind === 'removed') return false;
  if (!isPlainList(before) || !isPlainList(after)) return true;
  return after.length >= before.length || after.some((value) => !before.includes(value));
}

function newestOf(
  entries: readonly ManagedFieldsEntry[],
  renewed: ReadonlySet<ManagedFieldsEntry>,
): string | undefined {
  const newest = entries.map(timeOf).sort().at(-1);
  const last = entries.filter((entry) => timeOf(entry) === newest);
  return namesOf(last.filter((entry) => renewed.has(entry))) ?? namesOf(last);
}

/**
 * The entries that own the field itself. If there are none, the entries that own a part around it. A part without parts
 * in FieldsV1 is either owned as a whole (a selector), or its parts belong to other managers now.
 */
function ownersOf(change: FieldChange, entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const found = entries.map((entry) => ({ entry, match: matchOf(entry.fieldsV1 as Fields, change) }));
  const owners = (match: Match) => found.filter((each) => each.match === match).map(({ entry }) => entry);
  const own = owners('itself');
  return own.length > 0 ? own : owners('around');
}

type Match = 'itself' | 'around';

function matchOf(root: Fields, { steps, before, after }: FieldChange): Match | undefined {
  let node = root;
  for (const step of steps) {
    if (isEmpty(node)) return 'around';
    const child = childOf(node, step);
    if (!isJsonMap(child)) return undefined;
    node = child;
  }
  if (!isPlainList(after) || isEmpty(node)) return 'itself';
  const came = isPlainList(before) ? after.filter((value) => !before.includes(value)) : after;
  return came.length === 0 || came.some((value) => Object.hasOwn(node, `v:${jsonText(value)}`)) ? 'itself' : undefined;
}

function childOf(node: Fields, step: PathStep): unknown {
  if (step.kind === 'field') return Object.hasOwn(node, `f:${step.name}`) ? node[`f:${step.name}`] : undefined;
  if (step.kind === 'index') return node[`i:${step.index}`];
  const name = Object.keys(node).find((key) => key.startsWith('k:') && namesItem(key, step.item));
  return name === undefined ? undefined : node[name];
}

/**
 * Whether a key such as `k:{"containerPort":80,"protocol":"TCP"}` is the key of this item. The server may use more
 * fields than those that identify the item here.
 */
function namesItem(key: string, item: Fields): boolean {
  let wanted: unknown;
  try {
    wanted = parseJson(key.slice(2));
  } catch {
    // a key that a server would not write names no item
  }
  return isJsonMap(wanted) && Object.entries(wanted).every(([name, value]) => item[name] === value);
}

function isEmpty(node: Fields): boolean {
  for (const _ in node) return false;
  return true;
}

const isPlainList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
