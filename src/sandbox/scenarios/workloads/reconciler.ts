import type { ObjectKey } from '../../../model/key.ts';
import type { Actor } from './actor.ts';

/** A controller's queue. A key that is added several times within a short time is processed once. */
export class WorkloadReconciler {
  readonly #actor: Actor;
  readonly #reconcile: (key: ObjectKey) => void;
  readonly #waiting = new Set<ObjectKey>();

  constructor(actor: Actor, reconcile: (key: ObjectKey) => void) {
    this.#actor = actor;
    this.#reconcile = reconcile;
  }

  enqueue(key: ObjectKey): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#actor.after(this.#actor.between(10, 40), () => {
      this.#waiting.delete(key);
      this.#reconcile(key);
    });
  }
}
