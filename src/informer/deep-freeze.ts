/**
 * Freezes a value and everything in it, so that a write throws in strict mode. Returns the value. Handles cycles and
 * any depth.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || Object.isFrozen(next)) continue; // null counts as frozen
    Object.freeze(next);
    for (const part of Object.values(next as object)) open.push(part);
  }
  return value;
}
