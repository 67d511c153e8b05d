/** A deep copy of JSON. What is stored is shared by every reader, so whoever changes an object copies it first. */
export function copy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) result[name] = typeof inner === 'object' ? copy(inner) : inner;
  return result as T;
}
