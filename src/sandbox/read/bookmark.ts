import { INITIAL_EVENTS_END } from '../../model/watch-event.ts';
import type { ApiType } from '../discovery/api-type.ts';
import { StoredObject } from '../store/stored-object.ts';
import { emptyObject } from '../write/empty-objects.ts';

/** A bookmark: an object of the type that holds nothing but a version, and for the end of a streaming list its mark. */
export function bookmarkObject(type: ApiType, revision: number, initialEventsEnd: boolean): StoredObject {
  const metadata = { resourceVersion: String(revision), ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}) };
  return new StoredObject('', { ...emptyObject(type), metadata }, revision);
}
