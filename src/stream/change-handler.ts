import type { InformerHandler } from '../informer/handlers/notification.ts';
import type { DeepReadonly, ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ObjectChange } from './envelope.ts';

export type Handler = InformerHandler<UnknownObject>;
/**
 * Takes a change and its sequence number among the notifications of the informer. Returns a promise if the receiver has
 * no room; the next change comes when it resolves.
 */
export type TakeChange = (change: ObjectChange, sequence: number) => void | Promise<void>;

/**
 * Creates an informer handler that passes the notifications as changes. A notification about an object that has not
 * changed goes to `unchanged`, except a resync.
 */
export function changeHandler(
  take: TakeChange,
  unchanged?: (object: ReadonlyObject, sequence: number) => void | Promise<void>,
): Handler {
  return {
    added: (object, { cause, isInInitialList, sequence = 0 }) =>
      take({ type: 'added', object: plain(object), cause: isInInitialList ? 'initial' : cause }, sequence),
    updated(oldObject, object, { cause, uidChanged, sequence = 0 }) {
      if (cause !== 'resync' && isSameState(oldObject, object)) return unchanged?.(plain(object), sequence);
      return take({ type: 'updated', object: plain(object), oldObject: plain(oldObject), cause, uidChanged }, sequence);
    },
    deleted: (object, { cause, finalStateUnknown, sequence = 0 }) =>
      take({ type: 'deleted', object: plain(object), cause, finalStateUnknown }, sequence),
  };
}

/**
 * Whether both are one version of one object: a relist found no change, or the server sent the same state twice. A
 * server whose history was replaced may give a version to another object of the same name.
 */
function isSameState(before: DeepReadonly<UnknownObject>, after: DeepReadonly<UnknownObject>): boolean {
  const { resourceVersion, uid } = after.metadata;
  const isSameVersion = resourceVersion !== undefined && before.metadata.resourceVersion === resourceVersion;
  return isSameVersion && before.metadata.uid === uid;
}

/**
 * The type without its readonly marks. The stream does not write to an object: redaction and printers copy what they
 * change.
 */
const plain = (object: DeepReadonly<UnknownObject>) => object as UnknownObject;
