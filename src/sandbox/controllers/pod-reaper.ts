import { splitKey } from '../../model/key.ts';
import type { Cluster } from '../cluster.ts';
import type { Backend } from '../write/backend.ts';
import type { Deleter } from '../write/deleter.ts';

/**
 * The mean time from the deletion of a pod to its end, whatever its grace period is. The time is drawn between half of
 * it and one and a half.
 */
const STOP_MS = 1_200;

/** Removes deleted pods with a grace period after a short time, in place of the kubelets of a real cluster. */
export class PodReaper implements Disposable {
  readonly #cluster: Cluster;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  readonly #timers = new Map<string, Disposable>();

  constructor({ cluster, deleter }: Backend) {
    this.#cluster = cluster;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, { type, object }) => {
      const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid = '' } = object.object.metadata;
      if (storage === 'pods' && type !== 'DELETED' && deletionTimestamp && deletionGracePeriodSeconds > 0)
        this.#later(uid, object.key);
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
  }

  #later(uid: string, key: string): void {
    if (this.#timers.has(uid)) return;
    const timer = this.#cluster.clock.after(STOP_MS * (0.5 + this.#cluster.random()), () => {
      this.#timers.delete(uid);
      const type = this.#cluster.types.findKind('v1', 'Pod');
      if (!type || this.#cluster.store.get('pods', key)?.object.metadata.uid !== uid) return;
      const { namespace, name } = splitKey(key);
      this.#deleter.delete(type, namespace, name, { uid, gracePeriodSeconds: 0 });
    });
    this.#timers.set(uid, timer);
  }
}
