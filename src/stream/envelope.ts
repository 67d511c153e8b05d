import type { NotificationCause } from '../informer/handlers/notification.ts';
import type { Clock } from '../kit/clock.ts';
import { isTooDeep } from '../kit/depth.ts';
import { formatGvr } from '../model/gvr.ts';
import { keyOf } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { readIn } from '../model/read-version.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { changedPaths } from './changes/changed-paths.ts';
import { fieldChanges } from './changes/field-changes.ts';
import { fieldManagers } from './changes/field-managers.ts';
import { type ShownOptions, shownObject, whyUnprintable } from './shown-object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How a stream calls an event for people: as its type, but LEFT for an object that is still there and only ceased to match. */
export type EventWord = EventType | 'LEFT';

/** The word for an event, or for a change that is shown as one. */
export const eventWordOf = ({ type, cause }: Pick<EventEnvelope, 'type' | 'cause'>): EventWord =>
  type === 'DELETED' && cause === 'filter' ? 'LEFT' : type;

/**
 * One event as the stream shows it: version 1 of the envelope, in this order of keys. `type` and `object` are what
 * `kubectl get -w --output-watch-events -o json` prints. The schema is stream/envelope.schema.json.
 */
export interface EventEnvelope {
  readonly type: EventType;
  readonly object: ReadonlyObject;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** `apps/v1/deployments`, `v1/pods`. */
  readonly gvr: string;
  /** How the change became known. */
  readonly cause: NotificationCause;
  /** Paths of what differs from the state before; empty unless MODIFIED. See {@link changedPaths}. */
  readonly changed: readonly string[];
  /** Counts the events of this stream from 1, without gaps, over all its types. */
  readonly seq: number;
  /** When it was received, RFC 3339 in UTC with milliseconds. */
  readonly time: string;
  readonly oldObject?: ReadonlyObject;
  /** With values and writers what `changed` names; empty unless MODIFIED. */
  readonly changes?: readonly ValueChange[];
  /** The deletion was inferred, so `object` may be older than its last state. */
  readonly finalStateUnknown?: true;
  /** Why `object` shows no more than which object it is: it cannot be printed. */
  readonly error?: string;
}

/** One changed field, with its values as they are shown. */
export interface ValueChange {
  /** As in `changed`. */
  readonly path: string;
  /** Absent when the field came. */
  readonly from?: unknown;
  /** Absent when the field went. */
  readonly to?: unknown;
  /** The field manager that wrote it, several joined by commas; absent where managedFields do not tell. */
  readonly by?: string;
}

/** What happened to one object, as an informer's handler hears it. */
export interface ObjectChange {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The state now; the last known one of a deletion. */
  readonly object: ReadonlyObject;
  /** The state before, of an update, and of what began or ceased to match a filter. */
  readonly oldObject?: ReadonlyObject | undefined;
  readonly cause: NotificationCause;
  readonly finalStateUnknown?: boolean | undefined;
  /** The object now is another one under the same name: the one before was deleted unseen. */
  readonly uidChanged?: boolean | undefined;
}

export interface EnveloperOptions extends ShownOptions {
  clock: Pick<Clock, 'now'>;
  /** Adds `oldObject`. */
  withOld?: boolean | undefined;
  /** Adds `changes`; the objects must have their managedFields, or nobody is named. */
  withChanges?: boolean | undefined;
}

/**
 * Puts changes into envelopes, numbered in the order they come. Objects are shown redacted, with their apiVersion and kind
 * (which items of a list lack), and are never changed themselves.
 */
export class Enveloper {
  readonly #options: EnveloperOptions;
  #seq = 0;

  constructor(options: EnveloperOptions) {
    this.#options = options;
  }

  /**
   * The envelopes of one change: one, or two when an object was found replaced by another of its name.
   * `receivedMs` says when it came, if that is not now.
   */
  envelop(change: ObjectChange, type: ResourceType, receivedMs: number = this.#options.clock.now()): EventEnvelope[] {
    return partsOf(change).map(([what, part]) => this.#envelope(what, part, type, receivedMs));
  }

  /** The number and time of one more record of the stream, which is not an event. */
  stamp(): { readonly seq: number; readonly time: string } {
    return { seq: ++this.#seq, time: new Date(this.#options.clock.now()).toISOString() };
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
      cause,
      changed: NONE,
      seq: ++this.#seq,
      time: new Date(receivedMs).toISOString(),
      ...(this.#options.withOld && oldObject ? { oldObject: shownObject(oldObject, resource, this.#options) } : {}),
      ...(finalStateUnknown ? { finalStateUnknown: true as const } : {}),
      ...(reason === undefined ? {} : { error: `this object cannot be printed: ${reason}` }),
    };
    const changed = type === 'MODIFIED' && oldObject ? lazilyChanged(envelope, oldObject, object) : envelope;
    return this.#options.withChanges
      ? withChanges(changed, type === 'MODIFIED' && !isTooDeep(object) && !isTooDeep(oldObject) ? oldObject : undefined, object, (each) =>
          this.#options.redactor.redact(each, resource.gvr),
        )
      : changed;
  }
}

/** What a change is shown as, event by event. */
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

/** The deletion and the addition that an update to another object of the same name stands for; undefined for any other change. */
export function replacementParts({ type, object, oldObject, cause, uidChanged }: ObjectChange): [ObjectChange, ObjectChange] | undefined {
  if (type !== 'updated' || !uidChanged || !oldObject) return undefined;
  return [
    { type: 'deleted', object: oldObject, cause: 'relist', finalStateUnknown: true },
    { type: 'added', object, cause },
  ];
}

/** Compared as they are shown, so that values of Secrets are marks; who wrote them, by the objects themselves. */
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

function valueChanges(before: ReadonlyObject, after: ReadonlyObject, redact: (object: ReadonlyObject) => ReadonlyObject): ValueChange[] {
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

/** Compares only when somebody reads `changed`: a table never does. */
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
