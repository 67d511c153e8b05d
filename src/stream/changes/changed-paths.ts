import { differingPaths } from './field-changes.ts';

/**
 * Which fields differ between two states of an object, as paths: `.spec.replicas`, `.metadata.labels['a.b/c']`,
 * `.status.conditions[type=Ready].status`. What is one change, and what is none, is said at `fieldChanges`, which has the values too.
 */
export function changedPaths(before: object, after: object): string[] {
  return differingPaths(before, after);
}
