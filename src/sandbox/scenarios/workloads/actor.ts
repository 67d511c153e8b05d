import { InformerError } from '../../../kit/error.ts';
import type { RandomSource } from '../../../kit/random.ts';
import { joinKey, type ObjectKey } from '../../../model/key.ts';
import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../../model/object.ts';
import { StatusError } from '../../../model/status.ts';
import { timestamp } from '../../cluster.ts';
import type { StoreEvent } from '../../store/event-log.ts';
import type { ApiType } from '../../types/api-type.ts';
import { copy } from '../../types/copy.ts';
import type { World } from '../world.ts';
import type { Views } from './workload-types.ts';

const API_VERSIONS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Lease: 'coordination.k8s.io/v1',
};

/** An object that a controller writes. */
export type Writable = { readonly kind: string; metadata: ObjectMeta };

/**
 * The access of a scenario's controllers to the cluster: typed copies of objects, writes by the same path as for
 * clients, and timers that end with the scenario. A write that conflicts with one of a client does nothing.
 */
export class Actor implements Disposable {
  readonly #world: World;
  readonly #timers = new Set<Disposable>();
  readonly #subscriptions: Disposable[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get random(): RandomSource {
    return this.#world.cluster.random;
  }

  /** The time in ms since 1970. */
  get now(): number {
    return this.#world.cluster.clock.now();
  }

  /** Monotonic time in ms, for rates. */
  get monotonic(): number {
    return this.#world.cluster.clock.monotonic();
  }

  /** The time in the form of metadata: RFC 3339, in whole seconds. */
  get timestamp(): string {
    return timestamp(this.now);
  }

  /** A random number in [low, high). */
  between(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  /** A random item; undefined for an empty list. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }

  /** A copy of an object; undefined when there is no such object. */
  get<K extends keyof Views>(kind: K, key: ObjectKey): Views[K] | undefined {
    return copy(this.#world.cluster.store.get(this.#type(kind).storage, key)?.object) as Views[K] | undefined;
  }

  /** The stored object itself; undefined when there is no such object. The caller must not change it. */
  peek<K extends keyof Views>(kind: K, key: ObjectKey): Views[K] | undefined {
    return this.#world.cluster.store.get(this.#type(kind).storage, key)?.object as Views[K] | undefined;
  }

  /** The stored objects of a kind, in key order, of one namespace or of all. The caller must not change them. */
  list<K extends keyof Views>(kind: K, namespace?: string): Views[K][] {
    const { store } = this.#world.cluster;
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const found = store.collection(this.#type(kind).storage).list({ prefix }, store.revision);
    return found.map((o) => o.object as unknown as Views[K]);
  }

  /** Creates an object. With `fixture` its status and its creation time are kept. */
  create(
    object: Writable,
    manager: string,
    { fixture = false }: { fixture?: boolean } = {},
  ): UnknownObject | undefined {
    return this.#try(
      () => this.#world.writer.create(this.#type(object.kind), toWrite(object), { manager, fixture }).object,
    );
  }

  update(object: Writable, manager: string): void {
    this.#try(() => this.#world.writer.update(this.#type(object.kind), toWrite(object), { manager }));
  }

  updateStatus(object: Writable, manager: string): void {
    this.#try(() =>
      this.#world.writer.update(this.#type(object.kind), toWrite(object), { manager, subresource: 'status' }),
    );
  }

  /**
   * Stores a state without the write path, for thousands of objects. The caller gives its metadata away; the rest can
   * be shared.
   */
  store(object: Views[keyof Views]): void {
    this.#world.cluster.store.put(
      this.#type(object.kind).storage,
      keyOfMeta(object.metadata),
      object as unknown as UnknownObject,
    );
  }

  /** Assigns a pod to a node. The field gets no owner, and the generation stays. */
  bind(pod: Views['Pod'], node: string): void {
    const bound = { ...pod, spec: { ...pod.spec, nodeName: node } };
    const managedFields: ManagedFieldsEntry[] = pod.metadata.managedFields ?? [];
    const options = { manager: 'kube-scheduler', subresource: 'binding', managedFields };
    this.#try(() => this.#world.writer.update(this.#type('Pod'), toWrite(bound), options));
  }

  delete(kind: string, { namespace, name = '' }: ObjectMeta): void {
    const type = this.#type(kind);
    this.#try(() => this.#world.deleter.delete(type, type.namespaced ? namespace : undefined, name, {}));
  }

  /** Calls `run` after `ms`, unless the scenario ends first. */
  after(ms: number, run: () => void): Disposable {
    const timer = this.#world.cluster.clock.after(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
    return timer;
  }

  /** Calls `react` with every change of a kind. `react` must not write before it returns. */
  onChange(kind: string, react: (event: StoreEvent, metadata: ObjectMeta) => void): void {
    const { storage } = this.#type(kind);
    const subscription = this.#world.cluster.store.onChange((changed, event) => {
      if (changed === storage) react(event, event.object.object.metadata);
    });
    this.#subscriptions.push(subscription);
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #type(kind: string): ApiType {
    const type = this.#world.cluster.types.findKind(API_VERSIONS[kind] ?? 'v1', kind);
    if (!type) throw new InformerError('argument', `the sandbox serves no ${kind}`);
    return type;
  }

  #try<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }
}

function toWrite(object: Writable): UnknownObject {
  return copy(object) as unknown as UnknownObject;
}

export function keyOfMeta({ namespace, name = '' }: ObjectMeta): ObjectKey {
  return joinKey(namespace, name);
}

/** The key of the controlling owner of an object, when the owner is of this kind. */
export function keyOfOwner({ namespace, ownerReferences }: ObjectMeta, kind: string): ObjectKey | undefined {
  const owner = ownerReferences?.find((o) => o.controller && o.kind === kind);
  return owner && joinKey(namespace, owner.name);
}
