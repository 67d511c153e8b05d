/**
 * A field of an object that was read from JSON. Names that every JavaScript object knows, as `constructor`, are absent
 * unless they were given.
 */
export function own<T>(fields: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Sets a field, whatever its name. Assignment alone would make `__proto__` the prototype. */
export function setOwn(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
}
