import type { ObjectKey } from '../../model/key.ts';

/** The keys of a store that are written from now on, until they are too many or all objects are replaced. */
export class WrittenKeys {
  #keys: Set<ObjectKey> | undefined = new Set();
  readonly #most: number;
  readonly #ended: (written: WrittenKeys) => void;

  constructor(most: number, ended: (written: WrittenKeys) => void) {
    this.#most = most;
    this.#ended = ended;
  }

  /** The keys since the last call; undefined if they are not known any more. */
  take(): ReadonlySet<ObjectKey> | undefined {
    const taken = this.#keys;
    if (taken) this.#keys = new Set();
    return taken;
  }

  add(key: ObjectKey): void {
    if (this.#keys && this.#keys.add(key).size > this.#most) this.end();
  }

  /** Nothing is known from now on. */
  end(): void {
    this.#keys = undefined;
    this.#ended(this);
  }
}
