import { isContainer } from '../../kit/exact-json.ts';
/** A deep copy of JSON. What is stored is shared by every reader, so whoever changes an object copies it first. */
export function copy<T>(value: T): T {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  const result = { ...value } as Record<string, unknown>; // takes the shape over at once, which is faster than member by member
  for (const name in result) {
    const inner = result[name];
    if (isContainer(inner)) result[name] = copy(inner);
  }
  return result as T;
}
