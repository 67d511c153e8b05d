import type { StateChange } from '../../informer/state-change.ts';
import { Heap } from '../../kit/heap.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import type { ReadCache } from './read-cache.ts';
import type { UnseenWrite } from './unseen-write.ts';

/** A version of an object that keys wait for. */
interface Waiting {
  readonly version: ResourceVersion;
  readonly object: ObjectKey;
}

/** Follows one cache while keys wait for it, and says which of them to ask again. It may say so too often. */
export class CacheProgress implements Disposable {
  readonly #cache: ReadCache;
  readonly #ready: (key: ObjectKey) => void;
  /** The waiting keys, by the object that they wait for. */
  readonly #byObject = new Map<ObjectKey, Set<ObjectKey>>();
  /** The earliest version comes first. One whose object changed stays until its version. */
  readonly #byVersion = new Heap<Waiting>((a, b) => !isReached(b.version, a.version));
  /** Writes that are followed, by their object. */
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
    if (version !== undefined) this.#byVersion.push({ version, object });
    this.#observe();
  }

  /** Shows a write every state of its object, until one shows the write. */
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
    this.#rest();
  }

  [Symbol.dispose](): void {
    this.#observing?.[Symbol.dispose]();
    this.#observing = undefined;
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
        if (!write.isFollowed) this.leave(write);
      }
      this.#take(object, ready);
    }
    for (let next = this.#byVersion.peek(); next && isReached(next.version, resourceVersion); ) {
      this.#take(next.object, ready);
      this.#byVersion.pop();
      next = this.#byVersion.peek();
    }
    this.#rest();
    for (const key of ready) this.#ready(key);
  }

  /** Ends what nothing waits for. */
  #rest(): void {
    if (this.#byObject.size === 0 && this.#followed.size === 0) this[Symbol.dispose]();
  }

  #take(object: ObjectKey, ready: Set<ObjectKey>): void {
    for (const key of this.#byObject.get(object) ?? []) ready.add(key);
    this.#byObject.delete(object);
  }
}

function* keysIn(objects: StateChange<ReadonlyObject>['objects']): Generator<ObjectKey> {
  for (const [key] of objects) yield key;
}

/** Whether the cache has shown a version, as far as the two have an order. No version is shown by none. */
const isReached = (version: ResourceVersion, shown: ResourceVersion) =>
  shown !== '' && (compareResourceVersions(version, shown) ?? 0) <= 0;
