import type { UnwantedObjects } from '../../model/shard.ts';
import { type MetadataPath, OF_EVENT, stringAt } from './managed-fields.ts';

/** Whether the bytes of one JSON value need not be decoded. */
export type LeavesOut = (bytes: Buffer) => boolean;

/**
 * Whether the object with the metadata at `path` is unwanted, as far as its first bytes say so. What cannot be read
 * there (a missing uid, an unusual form) is decoded, and its reader decides.
 */
export function leavesOutAt(path: MetadataPath, { by, leavesOut }: UnwantedObjects): LeavesOut {
  return (bytes) => {
    const value = stringAt(bytes, path, by);
    return value !== undefined && leavesOut(value);
  };
}

/** Whether a line of a watch is a change of an unwanted object. */
export function leavesOutEvent(unwanted: UnwantedObjects): LeavesOut {
  const leavesOut = leavesOutAt(OF_EVENT, unwanted);
  return (bytes) => CHANGES.has(stringAt(bytes, [], 'type') ?? '') && leavesOut(bytes);
}

const CHANGES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED']);
