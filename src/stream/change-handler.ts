import type { InformerHandler } from '../informer/handlers/notification.ts';
import type { DeepReadonly, ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ObjectChange } from './envelope.ts';

export type Handler = InformerHandler<UnknownObject>;
/** Takes a change and its place among the informer's notifications; a promise while whoever takes it has no room. */
export type TakeChange = (change: ObjectChange, sequence: number) => void | Promise<void>;

/** An informer's notifications as changes. A notification about an object that has not changed goes to `unchanged`. */
export function changeHandler(take: TakeChange, unchanged?: (object: ReadonlyObject, sequence: number) => void | Promise<void>): Handler {
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

/** It is what it was: found unchanged by a relist, or sent twice by the server. */
function isSameState(before: DeepReadonly<UnknownObject>, after: DeepReadonly<UnknownObject>): boolean {
  const { resourceVersion } = after.metadata;
  return resourceVersion !== undefined && before.metadata.resourceVersion === resourceVersion;
}

/** Nothing downstream writes to an object: redaction and the printers copy what they change. */
const plain = (object: DeepReadonly<UnknownObject>) => object as UnknownObject;
