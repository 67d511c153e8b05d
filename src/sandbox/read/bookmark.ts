import { INITIAL_EVENTS_END } from '../../model/watch-event.ts';
import { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { emptyObject } from '../types/empty-objects.ts';

/**
 * The object of a bookmark. It has only a resourceVersion, and at the end of the initial events of a watch their
 * annotation.
 */
export function bookmarkObject(type: ApiType, revision: number, initialEventsEnd: boolean): StoredObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
  };
  return new StoredObject('', { ...emptyObject(type), metadata }, revision);
}
