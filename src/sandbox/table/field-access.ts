import { humanDuration } from '../../kit/duration.ts';

/** An object without its type: every field can be missing, or have another type than expected. */
export type FieldMap = Readonly<Record<string, unknown>>;

/** The object at a path; an empty one when there is none. */
export function fieldsAt(value: unknown, ...path: string[]): FieldMap {
  let at = value;
  for (const step of path) at = (at as FieldMap | undefined | null)?.[step];
  return typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as FieldMap) : {};
}

/** The list in a field; an empty one when there is none. */
export function listAt(value: unknown, name: string): readonly FieldMap[] {
  const list = (value as FieldMap | undefined | null)?.[name];
  return Array.isArray(list) ? list : [];
}

/** A field as text; `fallback` when it is absent, null or empty. */
export function textAt(value: FieldMap, name: string, fallback = ''): string {
  const text = value[name];
  return text === undefined || text === null || text === '' ? fallback : String(text);
}

export function numberAt(value: FieldMap, name: string, fallback = 0): number {
  const number = value[name];
  return typeof number === 'number' ? number : fallback;
}

/** The age of a timestamp in the form that kubectl prints: `5m`. `<unknown>` when there is no timestamp. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

export function ageOf(object: FieldMap, now: number): string {
  return since(fieldsAt(object, 'metadata').creationTimestamp, now);
}

/**
 * At most `most` words, joined by commas, then the number of the others: `a,b + 2 more...`. `none` when there are no
 * words.
 */
export function abridged(words: readonly string[], most: number, none: string): string {
  if (words.length === 0) return none;
  const shown = words.slice(0, most).join(',');
  return words.length > most ? `${shown} + ${words.length - most} more...` : shown;
}

export const nameOf = (object: FieldMap) => textAt(fieldsAt(object, 'metadata'), 'name');
