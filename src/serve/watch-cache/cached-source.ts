import type { InformerNotification } from '../../informer/handlers/notification.ts';
import { Bell } from '../../kit/bell.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { EventHistory, isUpTo } from './history.ts';

/** The changes that are kept for each collection. A kube-apiserver keeps some hundred to some ten thousand. */
const KEPT_EVENTS = 5_000;

/**
 * The objects of one source of an informer and its last changes, in the order in which the informer reports them. Its
 * version is that of the last change, or a later one that the source is known to have reached.
 */
export class CachedSource {
  readonly changed = new Bell();
  readonly #objects = new Map<ObjectKey, ReadonlyObject>();
  readonly #kept: number;
  #history: EventHistory;
  #version: ResourceVersion = '';
  /** The number of times that changes may have been missed. */
  #epoch = 0;
  #state: 'filling' | 'whole' | 'relisting' = 'filling';

  constructor(kept: number = KEPT_EVENTS) {
    this.#kept = kept;
    this.#history = new EventHistory('', kept);
  }

  get history(): EventHistory {
    return this.#history;
  }

  get version(): ResourceVersion {
    return this.#version;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** `filling`: before the initial sync. `relisting`: changes were missed, and the new list is not complete. */
  get state(): 'filling' | 'whole' | 'relisting' {
    return this.#state;
  }

  anyObject(): ReadonlyObject | undefined {
    return this.#objects.values().next().value ?? this.#history.at(this.#history.next - 1)?.object;
  }

  /** The objects in the order of a server: by key. */
  sorted(): [ObjectKey, ReadonlyObject][] {
    return [...this.#objects.keys()].sort().map((key) => [key, this.#objects.get(key) as ReadonlyObject]);
  }

  take(notification: InformerNotification<UnknownObject>): void {
    const { kind, key, cause } = notification;
    const object = notification.object as ReadonlyObject;
    const previous = this.#objects.get(key);
    if (kind === 'deleted') this.#objects.delete(key);
    else this.#objects.set(key, object);
    if (cause === 'resync') return;
    if (cause === 'relist') this.lost();
    const version = object.metadata.resourceVersion ?? '';
    if (this.#state === 'whole') {
      const type = kind === 'deleted' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
      this.#version = version;
      this.#history.push({ type, version, key, object, previous });
      this.changed.wake();
    } else if (!isUpTo(version, this.#version)) this.#version = version;
  }

  /** The initial state is complete, or that of a new list; it is the state of a version, or of a later one. */
  filled(version: ResourceVersion): void {
    if (!isUpTo(version, this.#version)) this.#version = version;
    this.#history = new EventHistory(this.#version, this.#kept);
    this.#state = 'whole';
    this.changed.wake();
  }

  /** From now on changes may have been missed: watches end, and their clients list again. */
  lost(): void {
    if (this.#state !== 'whole') return;
    this.#state = 'relisting';
    this.#epoch++;
    this.changed.wake();
  }

  /** All changes up to a version are known here, such as after a bookmark. */
  reached(version: ResourceVersion): void {
    if (this.#state === 'whole' && isUpTo(this.#version, version)) this.#version = version;
  }
}
