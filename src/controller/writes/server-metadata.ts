import type { ObjectMeta } from '../../model/object.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
] satisfies (keyof ObjectMeta | 'selfLink')[]);

/** The metadata without what only the server writes: versions, times, uid and managedFields. */
export function withoutServerMetadata(metadata: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !FIELDS.has(field)));
}
