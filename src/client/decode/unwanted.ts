import { joinKey } from '../../model/key.ts';
import type { UnwantedObjects } from '../../model/unwanted-objects.ts';
import { type MetadataPath, OF_EVENT, stringAt } from './managed-fields.ts';

/** Whether the bytes of one JSON value need not be decoded. */
export type LeavesOut = (bytes: Buffer) => boolean;

/**
 * Whether the object with the metadata at `path` is unwanted, as far as its first bytes say so. What cannot be read
 * there (a missing uid, an unusual form) is decoded, and its reader decides.
 */
export function leavesOutAt(path: MetadataPath, { by, leavesOut }: UnwantedObjects): LeavesOut {
  return (bytes) => {
    const value = by === 'name' ? keyAt(bytes, path) : stringAt(bytes, path, by);
    return value !== undefined && leavesOut(value);
  };
}

/** The key of an object in a namespace. */
function keyAt(bytes: Buffer, path: MetadataPath): string | undefined {
  const [namespace, name] = [stringAt(bytes, path, 'namespace'), stringAt(bytes, path, 'name')];
  return namespace === undefined || name === undefined ? undefined : joinKey(namespace, name);
}

/** Whether a line of a watch is a change of an unwanted object. */
export function leavesOutEvent(unwanted: UnwantedObjects): LeavesOut {
  const leavesOut = leavesOutAt(OF_EVENT, unwanted);
  return (bytes) => CHANGES.has(stringAt(bytes, [], 'type')) && leavesOut(bytes);
}

const CHANGES: ReadonlySet<string | undefined> = new Set(['ADDED', 'MODIFIED', 'DELETED']);
