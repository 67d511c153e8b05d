import type { UnknownObject } from '../../model/object.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from './api-type.ts';

/**
 * The fields of a core Event that have another name in events.k8s.io. Source:
 * kubernetes/pkg/apis/events/v1/conversion.go.
 */
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

/**
 * A stored object as a type shows it: the same object, unless the type stores its objects with another type that has
 * other field names.
 */
export function presented(type: ApiType, stored: StoredObject): StoredObject {
  if (!isEventsType(type)) return stored;
  let shown = converted.get(stored);
  if (!shown) {
    shown = new StoredObject(stored.key, fromStorage(type, stored.object), stored.revision);
    converted.set(stored, shown);
  }
  return shown;
}

/** A stored object with the field names of a type. */
export function fromStorage(type: ApiType, object: UnknownObject): UnknownObject {
  if (type.custom) return inVersion(object, type.gvr.group, type.gvr.version);
  return isEventsType(type) ? rename(object, EVENT_FIELDS) : object;
}

/** The inverse of `fromStorage`: an object of a type with the field names it is stored with. */
export function toStorage(type: ApiType, object: UnknownObject): UnknownObject {
  if (type.custom) return inVersion(object, type.gvr.group, type.custom.storedVersion ?? type.gvr.version);
  if (!isEventsType(type)) return object;
  return rename(
    object,
    EVENT_FIELDS.map(([core, events]) => [events, core]),
  );
}

/** A custom resource in another version whose fields are the same. */
function inVersion(object: UnknownObject, group: string, version: string): UnknownObject {
  const apiVersion = `${group}/${version}`;
  return object.apiVersion === undefined || object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function rename(object: UnknownObject, names: readonly (readonly [from: string, to: string])[]): UnknownObject {
  const result: UnknownObject = { ...object };
  for (const [from, to] of names) {
    delete result[from];
    if (from in object) result[to] = object[from];
  }
  return result;
}
