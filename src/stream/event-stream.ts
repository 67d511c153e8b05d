import type { InformerHandler } from '../informer/notification.ts';
import type { Registration, SharedInformer } from '../informer/shared-informer.ts';
import { abortable, aborted } from '../kit/abort.ts';
import type { DeepReadonly, UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Enveloper, EventEnvelope, ObjectChange } from './envelope.ts';

/** One type in a stream. */
export interface StreamTarget {
  readonly type: ResourceType;
  readonly informer: SharedInformer<UnknownObject>;
}

export interface EventStreamOptions {
  /** In the order in which their first states are shown. */
  readonly targets: readonly StreamTarget[];
  readonly enveloper: Enveloper;
  /** Whether a change is shown at all; decided before it is numbered. Default: every change is. */
  readonly shows?: ((change: ObjectChange, target: StreamTarget) => boolean) | undefined;
  /** Takes each event. While its promise is open the informers stop reading. */
  readonly print: (event: EventEnvelope, target: StreamTarget) => void | Promise<void>;
  /** Called when the first state of a target has been printed, with how many objects it had. */
  readonly onSynced?: ((target: StreamTarget, objects: number) => void) | undefined;
  /** Ends after the first state of every target. */
  readonly once?: boolean | undefined;
}

/**
 * Merges informers into one numbered stream: first the states there are, type by type in the order asked for, then every change as it comes.
 * Order is kept per object, and between the events of one type; between types it is that of arrival.
 *
 * Resolves when `once` is done or the signal aborts. The informers are run by the caller.
 */
export async function streamEvents(options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  const registrations: Registration[] = [];
  try {
    for (const target of options.targets) {
      let objects = 0;
      const count = () => objects++;
      const registration = target.informer.addHandler(handlerOf(options, target, signal, count), { policy: 'block' });
      registrations.push(registration);
      await abortable(registration.synced, signal);
      options.onSynced?.(target, objects);
    }
    if (!options.once) await aborted(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const registration of registrations) registration.remove();
  }
}

type Handler = InformerHandler<UnknownObject>;

function handlerOf(options: EventStreamOptions, target: StreamTarget, signal: AbortSignal, first: () => void): Handler {
  const { enveloper, shows, print } = options;
  const take = (change: ObjectChange): void | Promise<void> => {
    if (signal.aborted || (shows && !shows(change, target))) return;
    const events = enveloper.envelop(change, target.type);
    if (events.length === 1) return print(events[0] as EventEnvelope, target);
    return inTurn(events, (event) => (signal.aborted ? undefined : print(event, target)));
  };
  return {
    added(object, { cause, isInInitialList }) {
      if (isInInitialList) first();
      return take({ type: 'added', object: plain(object), cause: isInInitialList ? 'initial' : cause });
    },
    updated(oldObject, object, { cause, uidChanged }) {
      if (cause !== 'resync' && isSameState(oldObject, object)) return;
      return take({ type: 'updated', object: plain(object), oldObject: plain(oldObject), cause, uidChanged });
    },
    deleted: (object, { cause, finalStateUnknown }) => take({ type: 'deleted', object: plain(object), cause, finalStateUnknown }),
  };
}

/** It is what it was: found unchanged by a relist, or sent twice by the server. */
function isSameState(before: DeepReadonly<UnknownObject>, after: DeepReadonly<UnknownObject>): boolean {
  const { resourceVersion } = after.metadata;
  return resourceVersion !== undefined && before.metadata.resourceVersion === resourceVersion;
}

/** Nothing downstream writes to an object: redaction and the printers copy what they change. */
const plain = (object: DeepReadonly<UnknownObject>) => object as UnknownObject;

async function inTurn<T>(items: readonly T[], step: (item: T) => void | Promise<void>): Promise<void> {
  for (const item of items) await step(item);
}
