import { managedFieldsText } from '../model/managed-fields-text.ts';
import type { ManagedFieldsEntry } from '../model/object.ts';
import { deltaOf, type ListDelta } from './delta.ts';

/** How the managedFields of an object changed. */
export interface ManagedFieldsChange {
  /** Undefined if they did not. */
  readonly delta: ListDelta | undefined;
  /** The entries that are new, or of another time. */
  readonly renewed: readonly ManagedFieldsEntry[];
}

/**
 * The change between the managedFields of two states, out of their texts: only entries that differ are parsed. Undefined
 * if a state has no text, or one in another form than that of servers.
 */
export function managedFieldsChange(before: object, after: object): ManagedFieldsChange | undefined {
  const [oldText, text] = [managedFieldsText(before), managedFieldsText(after)];
  if (oldText === undefined || text === undefined) return undefined;
  if (oldText === text) return { delta: undefined, renewed: [] };
  const [old, entries] = [entriesIn(oldText), entriesIn(text)];
  if (!old || !entries || old.key !== entries.key) return undefined;
  const parsed = (part: string) => JSON.parse(`{"${entries.key}":${part}}`) as ManagedFieldsEntry; // it has no number
  const { parts } = entries;
  const isKept = (part: string, place: number) => part === parts[place] || parts.includes(part);
  const gone = old.parts.flatMap((part, place) => (isKept(part, place) ? [] : { place, part }));
  let replaced: { readonly place: number; readonly entry: ManagedFieldsEntry }[] | undefined;
  const renewed: ManagedFieldsEntry[] = [];
  const l = entries.parts.map((part, i) => {
    const place = part === old.parts[i] ? i : old.parts.indexOf(part);
    if (place !== -1) return place;
    const later = entries.key === 'manager' ? gone.find((each) => isLater(each.part, part)) : undefined;
    if (later) {
      const [manager, time] = [JSON.parse(`"${MANAGER.exec(part)?.[1]}"`) as string, timeIn(part)];
      renewed.push({ manager, time });
      return [later.place, { '+': { time } }] as const;
    }
    const entry = parsed(part);
    replaced ??= gone.map((each) => ({ place: each.place, entry: parsed(each.part) }));
    if (!replaced.some((each) => isSameEntry(each.entry, entry))) renewed.push(entry);
    const like = replaced.find((each) => each.entry.manager === entry.manager);
    if (!like) return { v: entry };
    return [like.place, deltaOf({ ...like.entry }, { ...entry }) ?? {}] as const;
  });
  return { delta: { l }, renewed };
}

/** Whether two entries are of the same write. */
export const isSameEntry = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a.time === b.time && a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

const TIME = '"time":"';
const MANAGER = /^"((?:[^"\\]|\\.)*)"/;

const timeIn = (part: string) => {
  const at = part.indexOf(TIME) + TIME.length;
  return part.slice(at, part.indexOf('"', at));
};

/** Whether two entries are the same but for their times, as most are after a write. */
function isLater(old: string, part: string): boolean {
  const at = part.indexOf(TIME);
  if (at === -1 || old.length !== part.length || at !== old.indexOf(TIME)) return false;
  const end = part.indexOf('"', at + TIME.length);
  return part.slice(end) === old.slice(end) && part.slice(0, at) === old.slice(0, at);
}

/** The first members of entries, as servers write them: of their types, and of custom resources. */
const FIRST_KEYS = ['manager', 'apiVersion'] as const;

/**
 * The texts of the entries, without their braces and first keys. An entry has no list, so only between entries is a map
 * that begins with this key behind another one; in a string the quote would be escaped.
 */
function entriesIn(text: string): { readonly key: string; readonly parts: readonly string[] } | undefined {
  for (const key of FIRST_KEYS) {
    const begin = `[{"${key}":`;
    if (!text.startsWith(begin) || !text.endsWith('}]')) continue;
    const parts = text.slice(begin.length, -2).split(`},{"${key}":`);
    return countOf('},{"', text) === parts.length - 1 ? { key, parts } : undefined;
  }
  return undefined;
}

function countOf(part: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
