import type { DeepReadonly, OwnerReference, ReadonlyObject } from './object.ts';

type Reference = DeepReadonly<OwnerReference>;

const NONE: readonly Reference[] = [];

/**
 * The owner references of an object. What no API server would store, such as a text in place of a list or a reference
 * without a uid, counts as no owner.
 */
export function ownerReferencesOf({ metadata }: DeepReadonly<Pick<ReadonlyObject, 'metadata'>>): readonly Reference[] {
  const all: unknown = metadata.ownerReferences;
  if (!Array.isArray(all)) return NONE;
  return all.every(isOwnerReference) ? all : all.filter(isOwnerReference);
}

/** Whether a value names an owner as an API server stores it. */
export function isOwnerReference(value: unknown): value is Reference {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, name, uid } = value as Partial<Record<string, unknown>>;
  return [apiVersion, kind, name, uid].every((each) => typeof each === 'string');
}
