const TEXT: unique symbol = Symbol('kubectl-informer.managed-fields');

/**
 * Keeps the managedFields of an object as JSON beside it, in place of parsed ones, and returns the object. They are half
 * of most objects, and a recorder reads only what has changed in them. `{...object}` copies the text; JSON and YAML do
 * not show it; a structured clone drops it.
 */
export function withManagedFieldsText<T extends object>(object: T, text: string): T {
  (object as { [TEXT]?: string })[TEXT] = text;
  return object;
}

/** The managedFields of an object as JSON; undefined if they are parsed, or if it has none. */
export function managedFieldsText(object: object): string | undefined {
  return (object as { [TEXT]?: string })[TEXT];
}

/** The object with parsed managedFields, where their text is beside it. */
export function withParsedManagedFields<T extends object>(object: T): T {
  const text = managedFieldsText(object);
  if (text === undefined) return object;
  const { [TEXT]: _, ...rest } = object as { [TEXT]?: string; metadata?: object };
  return { ...rest, metadata: { ...rest.metadata, managedFields: JSON.parse(text) as unknown } } as unknown as T;
}
