import { jsonText, parseJson } from '../../kit/exact-json.ts';
import type { ManagedFieldsEntry } from '../../model/object.ts';
import type { FieldChange, Fields, PathStep } from './field-changes.ts';

/** Tells who made a change: a field manager's name, several joined by commas where they wrote in the same second; undefined where the object does not say. */
export type FieldManagerOf = (change: FieldChange) => string | undefined;

/**
 * Who wrote the changes from one state of an object to the next, by the `metadata.managedFields` of both.
 *
 * A field that came or changed was written by whoever owns it now, and wrote last. A field that went has no owner any more; it is told by the entry that is new,
 * for the server renews the time of an entry whose manager removes a field. Times are whole seconds, so an entry that has grown is new too, and among
 * owners of one time those with new entries go first.
 *
 * Does not promise an answer: managedFields may be missing, some fields (deletionTimestamp) belong to nobody, and who removes another's field may leave no trace.
 * Source: KEP-555 server-side apply, apimachinery meta/v1 ManagedFieldsEntry, structured-merge-diff fieldpath.
 */
export function fieldManagers(before: object, after: object): FieldManagerOf {
  const entries = entriesOf(after);
  if (entries.length === 0) return () => undefined;
  const old = new Map(entriesOf(before).map((entry) => [nameOf(entry), entry]));
  const renewed = new Set(entries.filter((entry) => isRenewed(entry, old.get(nameOf(entry)))));
  return (change) => newestOf(leavesSomething(change) ? ownersOf(change, entries) : [...renewed], renewed);
}

/**
 * Who created an object, by its own managedFields: the managers of its earliest entries, subresources aside. Only of an object that was just created,
 * for later writes of the same manager take the place of its first one.
 */
export function creatorOf(object: object): string | undefined {
  const entries = entriesOf(object).filter(({ subresource }) => !subresource);
  const [first] = entries.map(({ time }) => time ?? '').sort();
  const names = new Set(entries.filter(({ time }) => (time ?? '') === first).map(({ manager }) => manager || 'unknown'));
  return names.size === 0 ? undefined : [...names].join(',');
}

/** Entries that say what is theirs in the one format there is. */
function entriesOf(object: object): readonly ManagedFieldsEntry[] {
  const { metadata } = object as { metadata?: { managedFields?: readonly ManagedFieldsEntry[] } };
  const entries = metadata?.managedFields;
  return Array.isArray(entries) ? entries.filter((entry) => isMap(entry?.fieldsV1)) : [];
}

/** What makes two entries the same one. */
const nameOf = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry) =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

function isRenewed(entry: ManagedFieldsEntry, old: ManagedFieldsEntry | undefined): boolean {
  return old === undefined || old.time !== entry.time || hasMore(entry.fieldsV1 as Fields, old.fieldsV1 as Fields);
}

/** Whether there is a path in one that is not in the other. Only its own manager's writes make an entry grow; it shrinks by those of others too. */
function hasMore(fields: Fields, than: Fields): boolean {
  return Object.entries(fields).some(([key, node]) => {
    const other = Object.hasOwn(than, key) ? than[key] : undefined;
    return !isMap(other) || (isMap(node) && hasMore(node, other));
  });
}

/** Whether anything of what changed is there afterwards; of a list of plain values, whether any came or the rest was put in another order. */
function leavesSomething({ kind, before, after }: FieldChange): boolean {
  if (kind === 'removed') return false;
  if (!isPlainList(before) || !isPlainList(after)) return true;
  return after.length >= before.length || after.some((value) => !before.includes(value));
}

function newestOf(entries: readonly ManagedFieldsEntry[], renewed: ReadonlySet<ManagedFieldsEntry>): string | undefined {
  const newest = entries
    .map(({ time }) => time ?? '')
    .sort()
    .at(-1);
  const last = entries.filter(({ time }) => (time ?? '') === newest);
  const telling = last.some((entry) => renewed.has(entry)) ? last.filter((entry) => renewed.has(entry)) : last;
  const names = new Set(telling.map(({ manager }) => manager || 'unknown'));
  return names.size === 0 ? undefined : [...names].join(',');
}

/**
 * Those that own the field itself; failing them, those that own a part around it whole, for what is written as a part without parts of its own may be
 * either one that is owned whole (a selector) or one whose parts now belong to others.
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
    if (!isMap(child)) return undefined;
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

/** Whether `k:{"containerPort":80,"protocol":"TCP"}` is the item: the server's keys may be more than those that we name it by. */
function namesItem(key: string, item: Fields): boolean {
  try {
    const wanted = parseJson(key.slice(2)) as unknown;
    return isMap(wanted) && Object.entries(wanted).every(([name, value]) => item[name] === value);
  } catch {
    return false;
  }
}

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function isEmpty(node: Fields): boolean {
  for (const _ in node) return false;
  return true;
}

const isPlainList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
