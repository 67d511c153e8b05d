import { type Cluster, timestamp } from '../cluster.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { copy } from '../types/copy.ts';
import type { Backend } from '../write/backend.ts';
import { type Deleter, withCondition } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';

/** How often a namespace in deletion is examined until it is empty. */
const SWEEP_MS = 100;

/**
 * Deletes the objects of a namespace in deletion, then the namespace. Until then its status has conditions that say
 * what is left.
 * Source: kubernetes/pkg/controller/namespace.
 */
export class NamespaceCleaner implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  readonly #timers = new Map<string, Disposable>();

  constructor({ cluster, writer, deleter }: Backend) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, { type, object }) => {
      if (storage === 'namespaces' && type !== 'DELETED' && object.object.metadata.deletionTimestamp)
        this.#later(object.key);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
  }

  #later(name: string): void {
    if (this.#timers.has(name)) return;
    const timer = this.#cluster.clock.after(SWEEP_MS, () => {
      this.#timers.delete(name);
      this.#sweep(name);
    });
    this.#timers.set(name, timer);
  }

  #sweep(name: string): void {
    const namespace = this.#cluster.store.get('namespaces', name)?.object;
    const type = this.#cluster.types.findKind('v1', 'Namespace');
    if (!namespace?.metadata.deletionTimestamp || !type) return;
    const left = this.#empty(name);
    const released = copy(namespace);
    if (left.length === 0) {
      released.spec = { ...(released.spec as object), finalizers: [] };
      this.#writer.update(type, released, { manager: MANAGER, subresource: 'finalize' });
      return;
    }
    const now = timestamp(this.#cluster.clock.now());
    const conditions = left.some(({ object }) => object.metadata.finalizers?.length)
      ? remaining(this.#cluster, left)
      : [];
    for (const condition of conditions) released.status = withCondition(released.status, condition, now);
    this.#writer.update(type, released, { manager: MANAGER, subresource: 'status' });
    this.#later(name);
  }

  /**
   * Deletes the objects of a namespace. Returns those that are left, because finalizers or a grace period delay them.
   */
  #empty(name: string): StoredObject[] {
    const { store, types } = this.#cluster;
    for (const { object } of contentOf(this.#cluster, name)) {
      const type = types.findKind(object.apiVersion ?? '', object.kind ?? '');
      if (
        !type?.namespaced ||
        object.metadata.deletionTimestamp ||
        !store.get(type.storage, `${name}/${object.metadata.name}`)
      )
        continue;
      this.#deleter.delete(type, name, object.metadata.name ?? '', { propagationPolicy: 'Background' });
    }
    return contentOf(this.#cluster, name);
  }
}

const MANAGER = 'kube-controller-manager';

function contentOf({ store }: Cluster, namespace: string): StoredObject[] {
  return [...store.collections()].flatMap((collection) => collection.list({ prefix: `${namespace}/` }, store.revision));
}

/**
 * The conditions of a namespace that still contains objects.
 * Source: kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go.
 */
function remaining({ types }: Cluster, left: readonly StoredObject[]): Record<string, unknown>[] {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const { object } of left) {
    const { gvr } = types.findKind(object.apiVersion ?? '', object.kind ?? '') ?? {};
    if (gvr) count(resources, `${gvr.resource}.${gvr.group}`);
    for (const finalizer of object.metadata.finalizers ?? []) count(finalizers, finalizer);
  }
  const listed = (counts: Map<string, number>, words: (name: string, n: number) => string) =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, n]) => words(name, n))
      .join(', ');
  return [
    no('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    no(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${listed(resources, (name, n) => `${name} has ${n} resource instances`)}`,
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, (name, n) => `${name} in ${n} resource instances`)}`,
    },
  ];
}

function no(type: string, reason: string, message: string): Record<string, unknown> {
  return { type, status: 'False', reason, message };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
