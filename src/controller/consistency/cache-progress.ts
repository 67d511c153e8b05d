import type { StateChange } from '../../informer/state-change.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import type { ReadCache } from './read-cache.ts';
import type { UnseenWrite } from './unseen-write.ts';

/** A key that waits until the cache shows a version of an object. */
interface Waiting {
  readonly version: ResourceVersion;
  readonly key: ObjectKey;
  readonly object: ObjectKey;
}

/** Follows one cache while keys wait for it, and says which of them to ask again. It may say so too often. */
export class CacheProgress implements Disposable {
  readonly #cache: ReadCache;
  readonly #ready: (key: ObjectKey) => void;
  /** The waiting keys, by the object that they wait for. */
  readonly #byObject = new Map<ObjectKey, Set<ObjectKey>>();
  /** In the order of their versions. One whose object changed stays until its version. */
  readonly #byVersion: Waiting[] = [];
  /** Writes whose version has no order, by their object. */
  readonly #followed = new Map<ObjectKey, Set<UnseenWrite>>();
  #observing: Disposable | undefined;

  constructor(cache: ReadCache, ready: (key: ObjectKey) => void) {
    this.#cache = cache;
    this.#ready = ready;
  }

  /** Calls `ready` with the key when the cache has changed so that the write may be shown. */
  wake(key: ObjectKey, { key: object, version }: UnseenWrite): void {
    const keys = this.#byObject.get(object) ?? new Set();
    if (keys.has(key)) return;
    this.#byObject.set(object, keys.add(key));
    if (version !== undefined) this.#insert({ version, key, object });
    this.#observe();
  }

  /** Shows a write every state of its object, until its version was shown. */
  follow(write: UnseenWrite): void {
    const writes = this.#followed.get(write.key) ?? new Set();
    this.#followed.set(write.key, writes.add(write));
    this.#observe();
  }

  /** Ends {@link follow}. */
  leave(write: UnseenWrite): void {
    const writes = this.#followed.get(write.key);
    writes?.delete(write);
    if (writes?.size === 0) this.#followed.delete(write.key);
  }

  [Symbol.dispose](): void {
    this.#observing?.[Symbol.dispose]();
    this.#observing = undefined;
  }

  #insert(waiting: Waiting): void {
    let [from, to] = [0, this.#byVersion.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isAfter(this.#byVersion[middle]?.version, waiting.version)) to = middle;
      else from = middle + 1;
    }
    this.#byVersion.splice(from, 0, waiting);
  }

  #observe(): void {
    this.#observing ??= this.#cache.onState((change) => this.#changed(change));
  }

  #changed({ isWhole, objects, resourceVersion }: StateChange<ReadonlyObject>): void {
    const ready = new Set<ObjectKey>();
    const changed = isWhole ? new Set([...this.#byObject.keys(), ...this.#followed.keys()]) : keysIn(objects);
    for (const object of changed) {
      for (const write of this.#followed.get(object) ?? []) {
        write.changed();
        if (!write.isUnordered) this.leave(write);
      }
      this.#take(object, ready);
    }
    const later = this.#byVersion.findIndex(({ version }) => isAfter(version, resourceVersion));
    for (const { object } of this.#byVersion.splice(0, later < 0 ? this.#byVersion.length : later))
      this.#take(object, ready);
    if (this.#byObject.size === 0 && this.#followed.size === 0) this[Symbol.dispose]();
    for (const key of ready) this.#ready(key);
  }

  #take(object: ObjectKey, ready: Set<ObjectKey>): void {
    for (const key of this.#byObject.get(object) ?? []) ready.add(key);
    this.#byObject.delete(object);
  }
}

function* keysIn(objects: StateChange<ReadonlyObject>['objects']): Generator<ObjectKey> {
  for (const [key] of objects) yield key;
}

/** Whether a version is after another one; false if they have no order. Every version is after none. */
function isAfter(version: ResourceVersion | undefined, other: ResourceVersion): boolean {
  if (version === undefined) return false;
  return other === '' || (compareResourceVersions(version, other) ?? 0) > 0;
}
