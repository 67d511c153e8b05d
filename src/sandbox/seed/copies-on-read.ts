import { copy } from '../types/copy.ts';

/** Arrays of at most this length are copied at once: that is fast enough. */
const FEW = 1_000;

/**
 * An array of copies of stored objects. In a large array each copy is made when it is first read, because most callers
 * read few of them. A reader sees no difference: the same element is always the same copy, it may be changed, and it
 * has the state of the moment when the array was made. The result is a plain array, which can be cloned and sent.
 */
export function copiesOnRead<T extends object>(stored: readonly T[]): T[] {
  if (stored.length <= FEW) return stored.map(copy);
  const copies: T[] = new Array(stored.length);
  for (const [i, object] of stored.entries()) Object.defineProperty(copies, i, copiedOnRead(copies, i, object));
  return copies;
}

/** An accessor that becomes an ordinary element of the array when it is read or written. */
function copiedOnRead<T>(copies: T[], i: number, object: T): PropertyDescriptor {
  const become = (value: T) => {
    Object.defineProperty(copies, i, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  return { get: () => become(copy(object)), set: become, enumerable: true, configurable: true };
}
