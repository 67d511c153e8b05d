import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ObjectChange } from '../../stream/envelope.ts';

/** An object as it was: its identity, and what is known of its content. */
export interface Remembered {
  readonly uid: string;
  readonly version: string;
  readonly object: () => ReadonlyObject;
}

/**
 * The net changes between a state and the present one, by key: deletions first, as after a relist. Another object under
 * the same key is one update with `uidChanged`.
 */
export function netChanges(
  before: ReadonlyMap<ObjectKey, Remembered>,
  now: ReadonlyMap<ObjectKey, ReadonlyObject>,
): ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (const [key, old] of before)
    if (!now.has(key))
      changes.push({ type: 'deleted', object: old.object(), cause: 'relist', finalStateUnknown: true });
  for (const [key, object] of now) {
    const old = before.get(key);
    const { uid = '', resourceVersion = '' } = object.metadata;
    if (old === undefined) changes.push({ type: 'added', object, cause: 'relist' });
    else if (old.uid !== uid || old.version !== resourceVersion) {
      const oldObject = old.object();
      changes.push({ type: 'updated', object, oldObject, cause: 'relist', uidChanged: old.uid !== uid });
    }
  }
  return changes;
}
