import { PackedObject } from './compact/packed-object.ts';
import type { Indexer } from './store/indexer.ts';

/** Settings of {@link Arrivals}. */
export interface ArrivalsOptions<T> {
  indexer: Indexer<T>;
  transform: ((object: T) => T) | undefined;
}

/**
 * Packs the objects of one source as they arrive, so that a list of a million objects is never a million parsed ones.
 * For an indexer with a compact store. An object is transformed once, whether it is packed then or later.
 */
export class Arrivals<T> {
  readonly #indexer: Indexer<T>;
  readonly #transform: (object: T) => T;
  /** Objects that were transformed and not packed, and the errors of those that could not be transformed. */
  #transformed = new WeakMap<object, { readonly error?: unknown }>();
  /** The handles of a list that is still arriving. */
  #list: PackedObject<T>[] = [];
  #count = 0;

  constructor({ indexer, transform = (object) => object }: ArrivalsOptions<T>) {
    this.#indexer = indexer;
    this.#transform = transform;
  }

  /** A list begins. What is left of one that failed is given back. */
  begin(): void {
    for (const packed of this.#list) if (this.#indexer.held(packed.key) !== packed) this.#indexer.drop(packed);
    this.#list = [];
    this.#count = 0;
  }

  /** The list has arrived. What stores it gives back what it does not store. */
  end(): void {
    this.#list = [];
  }

  /** Takes an object of a list as it arrives, with its text if that is known. The result takes its place. */
  take(object: T, bytes?: Uint8Array): T {
    if (!this.#indexer.packsFrom(++this.#count)) return object;
    let transformed: T;
    try {
      transformed = this.#transform(object);
    } catch (error) {
      this.#transformed.set(object as object, { error });
      return object;
    }
    const held = this.#pack(transformed, { bytes });
    if (held instanceof PackedObject) this.#list.push(held as PackedObject<T>);
    else if (typeof transformed === 'object' && transformed !== null) this.#transformed.set(transformed, {});
    return held;
  }

  /** Whether an object needs nothing more before it is queued. It has a key. */
  isPacked(object: T): boolean {
    return object instanceof PackedObject;
  }

  /** Prepares an object to be queued: one of a watch, or one of a list that was not packed. Throws as the transform. */
  prepare(object: T): T {
    if (object instanceof PackedObject) return object;
    const before = this.#transformed.get(object as object);
    if (before && 'error' in before) throw before.error;
    return this.#pack(before ? object : this.#transform(object), { isHot: true });
  }

  #pack(object: T, options: Parameters<Indexer<T>['pack']>[1]): T {
    try {
      return this.#indexer.pack(object, options) as T;
    } catch {
      return object; // it has no key, which is reported when it is applied
    }
  }
}
