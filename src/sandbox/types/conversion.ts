import type { UnknownObject } from '../../model/object.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from './api-type.ts';

/** Fields of a core Event and how events.k8s.io names them. Source: kubernetes/pkg/apis/events/v1/conversion.go. */
const EVENT_FIELDS: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const isEventsType = ({ gvr }: ApiType) => gvr.group === 'events.k8s.io';

const converted = new WeakMap<StoredObject, StoredObject>();

/** A stored object as a type shows it: the same one, unless the type shares the store with another that is shaped otherwise. */
export function presented(type: ApiType, stored: StoredObject): StoredObject {
  if (!isEventsType(type)) return stored;
  let shown = converted.get(stored);
  if (!shown) {
    shown = new StoredObject(stored.key, fromStorage(type, stored.object), stored.revision);
    converted.set(stored, shown);
  }
  return shown;
}

/** A stored object's fields as a type names them. */
export function fromStorage(type: ApiType, object: UnknownObject): UnknownObject {
  return isEventsType(type) ? rename(object, EVENT_FIELDS) : object;
}

/** An object as a type shows it, as it is to be stored. */
export function toStorage(type: ApiType, object: UnknownObject): UnknownObject {
  if (!isEventsType(type)) return object;
  return rename(
    object,
    EVENT_FIELDS.map(([core, events]) => [events, core]),
  );
}

function rename(object: UnknownObject, names: readonly (readonly [from: string, to: string])[]): UnknownObject {
  const result: UnknownObject = { ...object };
  for (const [from, to] of names) {
    delete result[from];
    if (from in object) result[to] = object[from];
  }
  return result;
}
