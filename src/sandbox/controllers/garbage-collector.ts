import { joinKey, splitKey } from '../../model/key.ts';
import type { ObjectMeta, UnknownObject } from '../../model/object.ts';
import { StatusError } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import type { StoreEvent } from '../store/event-log.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import type { Backend } from '../write/backend.ts';
import { askedBefore, type DeleteRules, type Deleter, FOREGROUND, ORPHAN } from '../write/deleter.ts';
import { tidyMetadata } from '../write/identity.ts';
import type { Writer } from '../write/writer.ts';

/** How long after a change the objects that it concerns are examined. */
const COLLECT_MS = 50;

const MANAGER = 'kube-controller-manager';

type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number] & {
  readonly blockOwnerDeletion?: boolean | undefined;
};

/** Where an object is stored. */
interface Place {
  readonly storage: string;
  readonly key: string;
}

interface Found {
  readonly type: ApiType;
  readonly object: UnknownObject;
}

/**
 * Deletes objects whose owners no longer exist, and carries out the foreground and orphan policies.
 *
 * An owner is the object with the kind, name and uid of the reference, in the namespace of the dependent or without a
 * namespace. A dependent whose owner is of a kind that is not served is deleted only if the owner was seen to go. An
 * object that a fixture created before its owners is kept until one of its owners has existed and is deleted.
 * Source: kubernetes/pkg/controller/garbagecollector.
 */
export class GarbageCollector implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  /** Owner uid → the objects that have a reference to it. */
  readonly #dependents = new Map<string, Map<string, Place>>();
  /** Uid → where the object is stored. */
  readonly #alive = new Map<string, Place>();
  /** Uid → namespace of each deleted owner that still has dependents. It may have gone with its type. */
  readonly #deleted = new Map<string, string>();
  /** The objects to examine next. */
  #dirty = new Map<string, Place>();
  #timer: Disposable | undefined;

  constructor({ cluster, writer, deleter }: Backend) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, event) => this.#react(storage, event));
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #react(storage: string, { type, object, previous }: StoreEvent): void {
    const place = { storage, key: object.key };
    const { metadata } = object.object;
    const { uid = '', deletionTimestamp } = metadata;
    const owners = ownersOf(metadata);
    const before = previous ? ownersOf(previous.object.metadata) : [];
    if (before !== owners || type === 'DELETED') this.#reindex(place, before, type === 'DELETED' ? [] : owners);
    if (type === 'DELETED') {
      this.#alive.delete(uid);
      if (this.#dependents.has(uid)) this.#deleted.set(uid, metadata.namespace ?? '');
      for (const dependent of this.#dependents.get(uid)?.values() ?? []) this.#look(dependent);
      this.#lookAtOwners(owners);
      return;
    }
    this.#alive.set(uid, place);
    if (deletionTimestamp && askedBefore(metadata.finalizers ?? [])) this.#look(place);
    if (previous && before !== owners) this.#lookAtOwners(before);
    if (owners.length > 0 && before !== owners && !this.#isAsLoaded(uid, owners) && this.#hasLostOne(object))
      this.#look(place);
  }

  #reindex(place: Place, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    const id = idOf(place);
    for (const { uid } of before) {
      const dependents = this.#dependents.get(uid);
      if (!dependents?.delete(id) || dependents.size > 0) continue;
      this.#dependents.delete(uid);
      this.#deleted.delete(uid);
    }
    for (const { uid } of after) {
      const dependents = this.#dependents.get(uid) ?? new Map<string, Place>();
      this.#dependents.set(uid, dependents.set(id, place));
    }
  }

  /** Examines the owners of a changed dependent: one of them may have waited for it. */
  #lookAtOwners(owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = this.#alive.get(uid);
      if (owner && isWaiting(this.#cluster.store.get(owner.storage, owner.key)?.object)) this.#look(owner);
    }
  }

  #isAsLoaded(uid: string, owners: readonly OwnerReference[]): boolean {
    return this.#writer.isLoaded(uid) && !owners.some((owner) => this.#alive.has(owner.uid));
  }

  #hasLostOne({ key, object }: StoredObject): boolean {
    const { namespace } = splitKey(key);
    return ownersOf(object.metadata).some((owner) => this.#stateOf(owner, namespace) !== 'alive');
  }

  #look(place: Place): void {
    this.#dirty.set(idOf(place), place);
    this.#timer ??= this.#cluster.clock.after(COLLECT_MS, () => this.#collect());
  }

  #collect(): void {
    const places = this.#dirty;
    this.#dirty = new Map();
    this.#timer = undefined;
    for (const place of places.values()) {
      const found = this.#find(place);
      if (found) this.#process(place, found);
    }
  }

  /** Acts on one object. A write that the API refuses is dropped, as a controller does after its retries. */
  #process(place: Place, found: Found): void {
    try {
      const { deletionTimestamp, finalizers = [] } = found.object.metadata;
      const policy = deletionTimestamp ? askedBefore(finalizers) : undefined;
      if (policy === 'Orphan') this.#orphan(found);
      else if (policy === 'Foreground') this.#foreground(found);
      else if (!deletionTimestamp) this.#checkOwners(place, found);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  /** Deletes an object when all of its owners are gone. When only some are gone, removes the references to those. */
  #checkOwners({ key }: Place, { type, object }: Found): void {
    const owners = ownersOf(object.metadata);
    const { namespace } = splitKey(key);
    const states = owners.map((owner) => this.#stateOf(owner, namespace));
    if (owners.length === 0 || states.every((state) => state === 'alive')) return;
    const kept = owners.filter((_, i) => states[i] === 'alive' || states[i] === 'unknown');
    if (kept.length === owners.length) return;
    if (kept.length > 0) {
      this.#update(type, object, { ownerReferences: [...kept] });
      return;
    }
    const holds = this.#dependents.has(object.metadata.uid ?? '');
    const policy = states.includes('waiting') && holds ? 'Foreground' : askedBefore(object.metadata.finalizers ?? []);
    this.#delete(type, key, policy ?? 'Background');
  }

  #stateOf(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
  ): 'alive' | 'waiting' | 'gone' | 'unknown' {
    const type = this.#cluster.types.findKind(apiVersion, kind);
    if (!type) return ['', namespace].includes(this.#deleted.get(uid) ?? '-') ? 'gone' : 'unknown';
    if (type.namespaced && namespace === '') return 'unknown';
    const owner = this.#cluster.store.get(type.storage, joinKey(type.namespaced ? namespace : undefined, name))?.object;
    if (owner?.metadata.uid !== uid) return 'gone';
    return isWaiting(owner) ? 'waiting' : 'alive';
  }

  /**
   * Deletes all dependents of an owner. The owner itself is deleted when no dependent with `blockOwnerDeletion` is
   * left.
   */
  #foreground({ type, object }: Found): void {
    const { uid = '' } = object.metadata;
    const dependents = [...(this.#dependents.get(uid)?.values() ?? [])];
    const blocks = (place: Place) =>
      ownersOf(this.#cluster.store.get(place.storage, place.key)?.object.metadata).some(
        (o) => o.uid === uid && o.blockOwnerDeletion,
      );
    if (!dependents.some(blocks)) this.#release(type, object, FOREGROUND);
    for (const dependent of dependents) {
      const found = this.#find(dependent);
      if (found) this.#process(dependent, found);
    }
  }

  #orphan({ type, object }: Found): void {
    const { uid = '' } = object.metadata;
    for (const dependent of [...(this.#dependents.get(uid)?.values() ?? [])]) {
      const found = this.#find(dependent);
      const others = ownersOf(found?.object.metadata).filter((o) => o.uid !== uid);
      if (found) this.#update(found.type, found.object, { ownerReferences: others });
    }
    this.#release(type, object, ORPHAN);
  }

  #release(type: ApiType, object: UnknownObject, finalizer: string): void {
    this.#update(type, object, { finalizers: (object.metadata.finalizers ?? []).filter((f) => f !== finalizer) });
  }

  #update(type: ApiType, object: UnknownObject, change: Partial<ObjectMeta>): void {
    const changed = copy(object);
    this.#writer.update(
      type,
      { ...changed, metadata: tidyMetadata({ ...changed.metadata, ...change }) },
      { manager: MANAGER },
    );
  }

  #delete(type: ApiType, key: string, propagationPolicy: DeleteRules['propagationPolicy']): void {
    const { namespace, name } = splitKey(key);
    this.#deleter.delete(type, type.namespaced ? namespace : undefined, name, { propagationPolicy });
  }

  #find({ storage, key }: Place): Found | undefined {
    const object = this.#cluster.store.get(storage, key)?.object;
    const type = object && this.#cluster.types.findKind(object.apiVersion ?? '', object.kind ?? '');
    return object && type ? { type, object } : undefined;
  }
}

const NONE: readonly OwnerReference[] = [];

function ownersOf(metadata: ObjectMeta | undefined): readonly OwnerReference[] {
  return metadata?.ownerReferences ?? NONE;
}

function idOf({ storage, key }: Place): string {
  return `${storage} ${key}`;
}

/** Whether an owner is in foreground deletion: it waits until its dependents are deleted. */
function isWaiting(object: UnknownObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).includes(FOREGROUND);
}
