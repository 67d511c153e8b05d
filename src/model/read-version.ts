import type { GroupVersionResource } from './gvr.ts';

const READ_IN = new WeakMap<object, GroupVersionResource>();

/**
 * Records the API version in which an object was received. Called only where that is not the version in which its type
 * is read now.
 */
export function markReadIn(object: object, gvr: GroupVersionResource): void {
  READ_IN.set(object, gvr);
}

/** The API version in which an object was received; undefined when it is the one in which its type is read now. */
export function readIn(object: object): GroupVersionResource | undefined {
  return READ_IN.get(object);
}
