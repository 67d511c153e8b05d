import type { GroupVersionResource } from './gvr.ts';

const READ_IN = new WeakMap<object, GroupVersionResource>();

/** Says in which version an object came, where that is another one than its type is read in by now. */
export function markReadIn(object: object, gvr: GroupVersionResource): void {
  READ_IN.set(object, gvr);
}

/** The version in which an object came; undefined when it is the one its type is read in. */
export function readIn(object: object): GroupVersionResource | undefined {
  return READ_IN.get(object);
}
