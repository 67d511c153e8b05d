import { humanDuration } from '../../kit/duration.ts';

/** An object seen without its type: every step may be missing. */
export type FieldMap = Readonly<Record<string, unknown>>;

export function fieldsAt(value: unknown, ...path: string[]): FieldMap {
  let at = value;
  for (const step of path) at = (at as FieldMap | undefined | null)?.[step];
  return typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as FieldMap) : {};
}

export function listAt(value: unknown, name: string): readonly FieldMap[] {
  const list = (value as FieldMap | undefined | null)?.[name];
  return Array.isArray(list) ? list : [];
}

export function textAt(value: FieldMap, name: string, fallback = ''): string {
  const text = value[name];
  return text === undefined || text === null || text === '' ? fallback : String(text);
}

export function numberAt(value: FieldMap, name: string, fallback = 0): number {
  const number = value[name];
  return typeof number === 'number' ? number : fallback;
}

/** The age of a timestamp as kubectl prints it; `<unknown>` when there is none. */
export function since(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

export function ageOf(object: FieldMap, now: number): string {
  return since(fieldsAt(object, 'metadata').creationTimestamp, now);
}

/** At most `most` words with commas, and how many more there are. */
export function abridged(words: readonly string[], most: number, none: string): string {
  if (words.length === 0) return none;
  const shown = words.slice(0, most).join(',');
  return words.length > most ? `${shown} + ${words.length - most} more...` : shown;
}
