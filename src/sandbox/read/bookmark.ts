import { INITIAL_EVENTS_END } from '../../model/watch-event.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { emptyObject } from '../types/empty-objects.ts';

/** A bookmark: an object of the type that holds nothing but a version, and for the end of a streaming list its mark. */
export function bookmarkObject(type: ApiType, revision: number, initialEventsEnd: boolean): StoredObject {
  const metadata = { resourceVersion: String(revision), ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}) };
  return new StoredObject('', { ...emptyObject(type), metadata }, revision);
}
