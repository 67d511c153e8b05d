import { RecentMap } from '../../kit/recent-map.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ResourceEvent } from '../resource-event.ts';

/** The own writes that are remembered: at least this many of the last ones, at most twice as many. */
const KEPT_WRITES = 2_048;

/** The versions that the program's own writes made, so that a controller recognises the events of these writes. */
export class OwnWrites {
  readonly #versions = new RecentMap<string, true>(KEPT_WRITES);

  /**
   * Remembers the version that a write made. Do not add the answer to a write that changed nothing: its version was
   * made by another writer. `uid` is that of the object: another cluster may have the same key at the same version.
   */
  add(key: ObjectKey, resourceVersion: string, uid = ''): void {
    this.#versions.set(`${key} ${resourceVersion} ${uid}`, true);
  }

  /** Whether an event is the effect of an own write. */
  has({ key, object }: ResourceEvent): boolean {
    const { resourceVersion, uid = '' } = object?.metadata ?? {};
    if (resourceVersion === undefined) return false;
    const version = `${key} ${resourceVersion} `;
    return this.#versions.peek(version + uid) === true || this.#versions.peek(version) === true;
  }
}
