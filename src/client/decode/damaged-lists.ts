/** The objects of a list that a server sent. What is no list has none, and entries that are no objects are passed over. */
export function objectsIn<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((item: unknown): item is T => typeof item === 'object' && item !== null) : [];
}

/** The texts of a list that a server sent; anything else is passed over. */
export function textsIn(list: readonly string[] | null | undefined): string[] {
  return Array.isArray(list) ? list.filter((item: unknown): item is string => typeof item === 'string') : [];
}

/** Whether entries of a list, or all of it, had to be passed over. An absent list is not damaged. */
export function isDamaged(list: readonly object[] | null | undefined): boolean {
  return list !== undefined && list !== null && objectsIn(list).length !== list.length;
}
