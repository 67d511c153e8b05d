/** The objects of a list that a server sent. Other entries are ignored; a value that is not a list has none. */
export function objectsIn<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list)
    ? list.filter((item: unknown): item is T => typeof item === 'object' && item !== null)
    : [];
}

/** The texts of a list that a server sent. Other entries are ignored. */
export function textsIn(list: readonly string[] | null | undefined): string[] {
  return Array.isArray(list) ? list.filter((item: unknown): item is string => typeof item === 'string') : [];
}

/** Whether {@link objectsIn} ignores an entry, or the whole value. A missing list is not damaged. */
export function isDamaged(list: readonly object[] | null | undefined): boolean {
  return list !== undefined && list !== null && objectsIn(list).length !== list.length;
}

/** A text that a server sent, or else the fallback. */
export const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);
