import { type Cached, PackedObject } from '../compact/packed-object.ts';
import type { ArrivingObjects } from './cache-store.ts';

/** Settings of {@link Arrivals}. */
export interface ArrivalsOptions<T> {
  transform: ((object: T) => T) | undefined;
  /** Whether an object is packed that is one of at least this many. */
  packsFrom: (objects: number) => boolean;
  /** The entry of an object; the object itself if it is not packed. Throws for an object without a key. */
  pack: (object: T, options: { isHot?: boolean; bytes?: Uint8Array | undefined }) => Cached<T>;
  /** Gives back the memory of an entry, unless it is stored. */
  discard: (handle: PackedObject<T>) => void;
}

/** The most bytes of texts that are kept for objects that may be packed later. */
const MOST_TEXT_BYTES = 32 * 1024 * 1024;

/**
 * Packs the objects of one source as they arrive, so that a list of a million objects is never a million parsed ones.
 * An object is transformed once, whether it is packed then or later.
 */
export class Arrivals<T> implements ArrivingObjects<Cached<T>> {
  readonly #options: ArrivalsOptions<T>;
  readonly #transform: (object: T) => T;
  /** Objects that were transformed and not packed, and the errors of those that could not be transformed. */
  #transformed = new WeakMap<object, { readonly error?: unknown }>();
  /** The handles of a list that is still arriving. */
  #list: PackedObject<T>[] = [];
  #count = 0;
  /** The texts of the first objects of the list, which are packed at its end if it has many. */
  readonly #texts = new Map<unknown, Uint8Array>();
  #textBytes = 0;

  constructor(options: ArrivalsOptions<T>) {
    this.#options = options;
    this.#transform = options.transform ?? ((object) => object);
  }

  begin(): void {
    for (const packed of this.#list) this.#options.discard(packed);
    this.end();
    this.#count = 0;
  }

  end(): void {
    this.#list = [];
    this.#texts.clear();
    this.#textBytes = 0;
  }

  take(object: Cached<T>, bytes?: Uint8Array): Cached<T> {
    if (!this.#options.packsFrom(++this.#count)) {
      this.#keepText(object, bytes);
      return object;
    }
    if (object instanceof PackedObject) return object;
    let transformed: T;
    try {
      transformed = this.#transform(object);
    } catch (error) {
      this.#transformed.set(object as object, { error });
      return object;
    }
    const packed = this.#pack(transformed, { bytes });
    if (packed instanceof PackedObject) this.#list.push(packed);
    else if (typeof transformed === 'object' && transformed !== null) this.#transformed.set(transformed, {});
    return packed;
  }

  /** `bytes` is memory that is used again, so it is copied. A transform may make another object of it. */
  #keepText(object: Cached<T>, bytes: Uint8Array | undefined): void {
    if (!bytes || this.#options.transform || this.#textBytes + bytes.length > MOST_TEXT_BYTES) return;
    this.#textBytes += bytes.length;
    this.#texts.set(object, new Uint8Array(bytes)); // a slice of a Buffer is no copy
  }

  isPacked(object: Cached<T>): boolean {
    return object instanceof PackedObject;
  }

  prepare(object: Cached<T>): Cached<T> {
    if (object instanceof PackedObject) return object;
    const before = this.#transformed.get(object as object);
    if (before && 'error' in before) throw before.error;
    const bytes = this.#texts.get(object);
    return this.#pack(before ? object : this.#transform(object), { isHot: true, bytes });
  }

  #pack(object: T, options: { isHot?: boolean; bytes?: Uint8Array | undefined }): Cached<T> {
    try {
      return this.#options.pack(object, options);
    } catch {
      return object; // it has no key, which is reported when it is applied
    }
  }
}
