import { isContainer } from '../../kit/exact-json.ts';

/** A deep copy of a JSON value. All readers share the stored objects, so code that changes one must copy it first. */
export function copy<T>(value: T): T {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  const result = { ...value } as Record<string, unknown>; // faster than member by member
  for (const name in result) {
    const inner = result[name];
    if (isContainer(inner)) result[name] = copy(inner);
  }
  return result as T;
}
