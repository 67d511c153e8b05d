import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { UiCache } from './ui-program.ts';

/** Glances that are kept, at half a kilobyte each; beyond them the cache is asked each time. */
const MOST_KEPT = 100_000;

/**
 * The parts of a cache's objects that rows show, for one page: kept from one question to the next, so that an
 * expression over columns decodes no object again. `forget` must be called for each object that changes.
 */
export class Glances {
  readonly cache: UiCache;
  readonly #kept = new Map<ObjectKey, ReadonlyObject>();

  constructor(cache: UiCache) {
    this.cache = cache;
  }

  of(key: ObjectKey): ReadonlyObject | undefined {
    const known = this.#kept.get(key);
    if (known) return known;
    const found = this.cache.informer.lister.glance(key);
    if (found && this.#kept.size < MOST_KEPT) this.#kept.set(key, found);
    return found;
  }

  forget(key: ObjectKey): void {
    this.#kept.delete(key);
  }
}
