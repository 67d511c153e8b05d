import { differingPaths } from './field-changes.ts';

/**
 * The paths of the fields that differ between two states of an object: `.spec.replicas`, `.metadata.labels['a.b/c']`,
 * `.status.conditions[type=Ready].status`. The rules are those of `fieldChanges`, which has the values too.
 */
export function changedPaths(before: object, after: object): string[] {
  return differingPaths(before, after);
}
