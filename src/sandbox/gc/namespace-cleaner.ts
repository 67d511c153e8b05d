import { splitKey } from '../../model/key.ts';
import type { Cluster } from '../cluster.ts';
import { copy } from '../write/copy.ts';
import type { Deleter } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';

/** How often a namespace that is going is looked at until it is empty. */
const SWEEP_MS = 100;

/** Empties a namespace that was deleted, then lets it go. Source: kubernetes/pkg/controller/namespace. */
export class NamespaceCleaner implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  readonly #timers = new Map<string, Disposable>();

  constructor(cluster: Cluster, writer: Writer, deleter: Deleter) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, { type, object }) => {
      if (storage === 'namespaces' && type === 'MODIFIED' && object.object.metadata.deletionTimestamp) this.#later(object.key);
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
    if (!namespace?.metadata.deletionTimestamp) return;
    if (this.#empty(name) > 0) {
      this.#later(name);
      return;
    }
    const type = this.#cluster.types.findKind('v1', 'Namespace');
    if (!type) return;
    const released = copy(namespace);
    this.#writer.update(
      type,
      { ...released, spec: { ...(released.spec as object), finalizers: [] } },
      { manager: 'kube-controller-manager' },
    );
  }

  /** Deletes what is left in a namespace. Returns how much was. */
  #empty(name: string): number {
    let left = 0;
    for (const collection of [...this.#cluster.store.collections()]) {
      for (const { key, object } of collection.list({ prefix: `${name}/` }, this.#cluster.store.revision)) {
        left++;
        const type = this.#cluster.types.findKind(object.apiVersion ?? '', object.kind ?? '');
        if (type?.namespaced && !object.metadata.deletionTimestamp) this.#deleter.delete(type, name, splitKey(key).name, {});
      }
    }
    return left;
  }
}
