import { splitKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { Cluster } from '../cluster.ts';
import type { ApiType } from '../discovery/api-type.ts';
import type { StoreEvent } from '../store/event-log.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { copy } from '../write/copy.ts';
import { type Deleter, FOREGROUND, ORPHAN } from '../write/deleter.ts';
import { tidyMetadata } from '../write/identity.ts';
import type { Writer } from '../write/writer.ts';

/** Dependents follow their owner after this long. */
const COLLECT_MS = 50;

const MANAGER = 'kube-controller-manager';

interface Dependent {
  readonly storage: string;
  readonly key: string;
}

/**
 * Deletes what belongs to an owner that is gone, and carries out the foreground and orphan policies.
 * Source: kubernetes/pkg/controller/garbagecollector.
 */
export class GarbageCollector implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  readonly #timers = new Set<Disposable>();
  /** Owner uid → the objects that name it. */
  readonly #dependents = new Map<string, Map<string, Dependent>>();
  /** Owners that go once their dependents have, by uid. */
  readonly #waiting = new Map<string, Dependent>();
  /** The uid of every object there is. */
  readonly #alive = new Set<string>();

  constructor(cluster: Cluster, writer: Writer, deleter: Deleter) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, event) => this.#react(storage, event));
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #react(storage: string, event: StoreEvent): void {
    const { type, object, previous } = event;
    const id = `${storage} ${object.key}`;
    for (const uid of ownersOf(previous)) this.#dependents.get(uid)?.delete(id);
    const { uid = '' } = object.object.metadata;
    if (type !== 'DELETED') {
      this.#alive.add(uid);
      for (const uid of ownersOf(object)) this.#of(uid).set(id, { storage, key: object.key });
      if (object.object.metadata.deletionTimestamp) this.#onMarked(storage, object);
      return;
    }
    this.#alive.delete(uid);
    this.#waiting.delete(uid);
    if (this.#dependents.get(uid)?.size) this.#soon(() => this.#collect(uid));
    for (const owner of ownersOf(object)) this.#soon(() => this.#recheckOwner(owner));
  }

  #of(uid: string): Map<string, Dependent> {
    let dependents = this.#dependents.get(uid);
    if (!dependents) {
      dependents = new Map();
      this.#dependents.set(uid, dependents);
    }
    return dependents;
  }

  #onMarked(storage: string, { key, object }: StoredObject): void {
    const { finalizers = [], uid = '' } = object.metadata;
    if (finalizers.includes(FOREGROUND)) {
      this.#waiting.set(uid, { storage, key });
      this.#soon(() => this.#foreground(storage, key));
    }
    if (finalizers.includes(ORPHAN)) this.#soon(() => this.#orphan(storage, key));
  }

  /** The owner is gone: so are those whose last owner it was; the others forget it. */
  #collect(uid: string): void {
    for (const dependent of [...(this.#dependents.get(uid)?.values() ?? [])]) {
      const found = this.#find(dependent);
      if (!found) continue;
      const others = (found.object.metadata.ownerReferences ?? []).filter((o) => o.uid !== uid && this.#alive.has(o.uid));
      if (others.length === 0) this.#delete(found.type, dependent.key);
      else this.#update(found.type, found.object, { ownerReferences: others });
    }
    this.#dependents.delete(uid);
  }

  #foreground(storage: string, key: string): void {
    const owner = this.#find({ storage, key });
    if (!owner?.object.metadata.finalizers?.includes(FOREGROUND)) return;
    const dependents = [...(this.#dependents.get(owner.object.metadata.uid ?? '')?.values() ?? [])];
    if (dependents.length === 0) this.#release(owner.type, owner.object, FOREGROUND);
    for (const dependent of dependents) {
      const found = this.#find(dependent);
      if (found && !found.object.metadata.deletionTimestamp) this.#delete(found.type, dependent.key);
    }
  }

  /** A dependent went; an owner that waits for the last of them may go now. */
  #recheckOwner(uid: string): void {
    const owner = this.#waiting.get(uid);
    if (owner && !this.#dependents.get(uid)?.size) this.#foreground(owner.storage, owner.key);
  }

  #orphan(storage: string, key: string): void {
    const owner = this.#find({ storage, key });
    if (!owner) return;
    const { uid = '' } = owner.object.metadata;
    for (const dependent of [...(this.#dependents.get(uid)?.values() ?? [])]) {
      const found = this.#find(dependent);
      const others = found?.object.metadata.ownerReferences?.filter((o) => o.uid !== uid);
      if (found) this.#update(found.type, found.object, { ownerReferences: others ?? [] });
    }
    this.#release(owner.type, owner.object, ORPHAN);
  }

  #release(type: ApiType, object: UnknownObject, finalizer: string): void {
    this.#update(type, object, { finalizers: (object.metadata.finalizers ?? []).filter((f) => f !== finalizer) });
  }

  #update(type: ApiType, object: UnknownObject, change: Partial<UnknownObject['metadata']>): void {
    const changed = copy(object);
    this.#writer.update(type, { ...changed, metadata: tidyMetadata({ ...changed.metadata, ...change }) }, { manager: MANAGER });
  }

  #delete(type: ApiType, key: string): void {
    const { namespace, name } = splitKey(key);
    this.#deleter.delete(type, type.namespaced ? namespace : undefined, name, { propagationPolicy: 'Background' });
  }

  #find({ storage, key }: Dependent): { type: ApiType; object: UnknownObject } | undefined {
    const object = this.#cluster.store.get(storage, key)?.object;
    const type = object && this.#cluster.types.findKind(object.apiVersion ?? '', object.kind ?? '');
    return object && type ? { type, object } : undefined;
  }

  #soon(run: () => void): void {
    const timer = this.#cluster.clock.after(COLLECT_MS, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

function ownersOf(stored: StoredObject | undefined): string[] {
  return stored?.object.metadata.ownerReferences?.map((o) => o.uid) ?? [];
}
