import { copy } from '../types/copy.ts';

/** So many are copied outright: it takes no time worth saving. */
const FEW = 1_000;

/**
 * An array of copies of what the store holds; of many, each is made when it is first looked at, for most callers look at few of them, or
 * none. A reader cannot tell: a copy stays the same one, may be changed, and shows the state of when the array was made. It is a plain
 * array, which can be cloned and sent like any other.
 */
export function copiesOnRead<T extends object>(stored: readonly T[]): T[] {
  if (stored.length <= FEW) return stored.map(copy);
  const copies: T[] = new Array(stored.length);
  for (const [i, object] of stored.entries()) Object.defineProperty(copies, i, copiedOnRead(copies, i, object));
  return copies;
}

/** A place in an array that becomes an ordinary one when it is read or written. */
function copiedOnRead<T>(copies: T[], i: number, object: T): PropertyDescriptor {
  const become = (value: T) => {
    Object.defineProperty(copies, i, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  return { get: () => become(copy(object)), set: become, enumerable: true, configurable: true };
}
