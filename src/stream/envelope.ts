import type { InformerHandler, NotificationCause } from '../informer/handlers/notification.ts';
import type { Clock } from '../kit/clock.ts';
import { isTooDeep } from '../kit/depth.ts';
import { changedPaths } from '../model/changed-paths.ts';
import { fieldChanges } from '../model/field-changes.ts';
import { formatGvr, readIn } from '../model/gvr.ts';
import { keyOf } from '../model/key.ts';
import type { DeepReadonly, ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { fieldManagers } from './changes/field-managers.ts';
import { type ShownOptions, shownObject, whyUnprintable } from './shown-object.ts';

/** The change of an object, in the words of the watch protocol. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * The word for an event in output for people: its type, or LEFT if the object still exists and only stopped matching.
 */
export type EventWord = EventType | 'LEFT';

/** The word for an event. */
export const eventWordOf = ({ type, cause }: Pick<EventEnvelope, 'type' | 'cause'>): EventWord =>
  type === 'DELETED' && cause === 'filter' ? 'LEFT' : type;

/**
 * One event of the stream: version 1 of the envelope, with its keys in this order. `type` and `object` are as in the
 * output of `kubectl get -w --output-watch-events -o json`. The schema is stream/envelope.schema.json.
 */
export interface EventEnvelope {
  readonly type: EventType;
  readonly object: ReadonlyObject;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** `apps/v1/deployments`, `v1/pods`. */
  readonly gvr: string;
  /** The name of the cluster, its context; absent where there is only one. */
  readonly cluster?: string;
  /** How the client learned of the change: a watch, a relist, a filter … */
  readonly cause: NotificationCause;
  /** The paths of the fields that differ from the state before; empty unless MODIFIED. See {@link changedPaths}. */
  readonly changed: readonly string[];
  /** The number of the event in this stream. It starts at 1, has no gaps, and counts the events of all types. */
  readonly seq: number;
  /** The time at which the change was received, RFC 3339 in UTC with milliseconds. */
  readonly time: string;
  /** The state before the change. */
  readonly oldObject?: ReadonlyObject;
  /** The fields of `changed` with their values and their writers; empty unless MODIFIED. */
  readonly changes?: readonly ValueChange[];
  /** The deletion was not seen but inferred, so `object` may be older than the final state. */
  readonly finalStateUnknown?: true;
  /** The reason why the object cannot be printed. Then `object` has only what identifies it. */
  readonly error?: string;
}

/** One changed field, with redacted values. */
export interface ValueChange {
  /** The path, as in `changed`. */
  readonly path: string;
  /** The value before; absent when the field was added. */
  readonly from?: unknown;
  /** The value after; absent when the field was removed. */
  readonly to?: unknown;
  /** The field manager that wrote it, several joined by commas; absent when managedFields do not have the answer. */
  readonly by?: string;
}

/** A change of one object, from a notification of an informer. */
export interface ObjectChange {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The state now; the last known state of a deleted object. */
  readonly object: ReadonlyObject;
  /** The state before an update. Also set when an object started or stopped matching a filter. */
  readonly oldObject?: ReadonlyObject | undefined;
  readonly cause: NotificationCause;
  readonly finalStateUnknown?: boolean | undefined;
  /** `object` is a new object with the same name: the deletion of the object before it was not seen. */
  readonly uidChanged?: boolean | undefined;
}

export interface EnveloperOptions extends ShownOptions {
  clock: Pick<Clock, 'now'>;
  /** Adds `oldObject`. */
  withOld?: boolean | undefined;
  /** Adds `changes`. Without managedFields in the objects, no change has its writer. */
  withChanges?: boolean | undefined;
}

/**
 * Puts changes into envelopes, with numbers in the order of the calls. The objects in the envelopes are redacted and
 * have apiVersion and kind, which items of a list lack. The given objects are never modified.
 */
export class Enveloper {
  readonly #options: EnveloperOptions;
  #seq = 0;
  #lastMs: number | undefined;
  #lastTime = '';

  constructor(options: EnveloperOptions) {
    this.#options = options;
  }

  /**
   * The envelopes of one change: one, or two if a relist found a new object with the name of a deleted one.
   * `receivedMs` is the time at which the change was received, ms since 1970; default: now.
   */
  envelop(change: ObjectChange, type: ResourceType, receivedMs: number = this.#options.clock.now()): EventEnvelope[] {
    return partsOf(change).map(([what, part]) => this.#envelope(what, part, type, receivedMs));
  }

  /** The number and time of a record that is not an event. It takes the next number of the stream. */
  stamp(): { readonly seq: number; readonly time: string } {
    return { seq: ++this.#seq, time: this.#timeAt(this.#options.clock.now()) };
  }

  /** The time as text. Many changes arrive in the same millisecond. */
  #timeAt(ms: number): string {
    if (ms !== this.#lastMs) {
      this.#lastTime = new Date(ms).toISOString();
      this.#lastMs = ms;
    }
    return this.#lastTime;
  }

  #envelope(type: EventType, change: ObjectChange, present: ResourceType, receivedMs: number): EventEnvelope {
    const { cause, object, oldObject, finalStateUnknown } = change;
    const gvr = readIn(object);
    const resource = gvr ? { ...present, gvr } : present;
    const shown = shownObject(object, resource, this.#options);
    const reason = whyUnprintable(shown);
    const envelope = {
      type,
      object: shown,
      key: keyOf(object),
      gvr: formatGvr(resource.gvr),
      ...(present.cluster === undefined ? {} : { cluster: present.cluster }),
      cause,
      changed: NONE,
      seq: ++this.#seq,
      time: this.#timeAt(receivedMs),
      ...(this.#options.withOld && oldObject ? { oldObject: shownObject(oldObject, resource, this.#options) } : {}),
      ...(finalStateUnknown ? { finalStateUnknown: true as const } : {}),
      ...(reason === undefined ? {} : { error: `this object cannot be printed: ${reason}` }),
    };
    const changed = type === 'MODIFIED' && oldObject ? lazilyChanged(envelope, oldObject, object) : envelope;
    return this.#options.withChanges
      ? withChanges(
          changed,
          type === 'MODIFIED' && !isTooDeep(object) && !isTooDeep(oldObject) ? oldObject : undefined,
          object,
          (each) => this.#options.redactor.redact(each, resource.gvr),
        )
      : changed;
  }
}

/** The events that a change is shown as. */
function partsOf(change: ObjectChange): [EventType, ObjectChange][] {
  const { type, oldObject } = change;
  if (type === 'deleted') return [['DELETED', change]];
  if (type === 'added' || !oldObject) return [['ADDED', change]];
  const parts = replacementParts(change);
  if (!parts) return [['MODIFIED', change]];
  return [
    ['DELETED', parts[0]],
    ['ADDED', parts[1]],
  ];
}

/**
 * The deletion and the addition of an update whose object is a new one with the same name; undefined for any other
 * change.
 */
export function replacementParts({
  type,
  object,
  oldObject,
  cause,
  uidChanged,
}: ObjectChange): [ObjectChange, ObjectChange] | undefined {
  if (type !== 'updated' || !uidChanged || !oldObject) return undefined;
  return [
    { type: 'deleted', object: oldObject, cause: 'relist', finalStateUnknown: true },
    { type: 'added', object, cause },
  ];
}

/**
 * Adds `changes`, computed when it is read. The redacted objects are compared, so that values of Secrets are digests.
 * The writers come from the managedFields of the objects themselves.
 */
function withChanges(
  envelope: EventEnvelope,
  before: ReadonlyObject | undefined,
  after: ReadonlyObject,
  redact: (object: ReadonlyObject) => ReadonlyObject,
): EventEnvelope {
  let changes: readonly ValueChange[] | undefined;
  return Object.defineProperty(envelope, 'changes', {
    enumerable: true,
    get() {
      changes ??= before ? valueChanges(before, after, redact) : [];
      return changes;
    },
  });
}

function valueChanges(
  before: ReadonlyObject,
  after: ReadonlyObject,
  redact: (object: ReadonlyObject) => ReadonlyObject,
): ValueChange[] {
  const managerOf = fieldManagers(before, after);
  return fieldChanges(redact(before), redact(after)).map((change) => {
    const by = managerOf(change);
    return {
      path: change.path,
      ...(change.kind === 'added' ? {} : { from: change.before }),
      ...(change.kind === 'removed' ? {} : { to: change.after }),
      ...(by === undefined ? {} : { by }),
    };
  });
}

const NONE: readonly string[] = [];

/** Adds `changed`, computed when it is read. A table never reads it. */
function lazilyChanged(envelope: EventEnvelope, before: ReadonlyObject, after: ReadonlyObject): EventEnvelope {
  let changed: readonly string[] | undefined;
  return Object.defineProperty(envelope, 'changed', {
    enumerable: true,
    get() {
      changed ??= changedPaths(before, after);
      return changed;
    },
  });
}

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
