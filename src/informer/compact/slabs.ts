/** The bytes of one slab. Many small buffers, made between large ones that come and go, would leave holes in memory. */
const SLAB_BYTES = 1024 * 1024;

/** A large buffer that is filled once, from its beginning. */
interface Slab {
  readonly bytes: Buffer;
  end: number;
  /** The bytes that are not given back. */
  live: number;
  readonly extents: Set<Extent>;
}

/** A range of bytes in a slab. It can be read also after it was given back, as long as there is a reference to it. */
export class Extent {
  #slab: Slab;
  #from: number;
  readonly length: number;

  constructor(slab: Slab, from: number, length: number) {
    this.#slab = slab;
    this.#from = from;
    this.length = length;
  }

  get bytes(): Buffer {
    return this.#slab.bytes.subarray(this.#from, this.#from + this.length);
  }

  get slab(): Slab {
    return this.#slab;
  }

  moveTo(slab: Slab, from: number): void {
    this.#slab = slab;
    this.#from = from;
  }
}

/**
 * Memory for bytes that do not change, of any length, outside of V8's heap. A slab of which less than half is in use is
 * copied to the newest one, which costs less than a millisecond, and left to garbage collection.
 */
export class Slabs {
  #newest: Slab | undefined;
  readonly #all = new Set<Slab>();

  /** The bytes in memory, with those that were given back and not freed yet. */
  get size(): number {
    let size = 0;
    for (const { bytes } of this.#all) size += bytes.length;
    return size;
  }

  /** Copies bytes into memory. */
  store(bytes: Uint8Array): Extent {
    const slab = this.#roomFor(bytes.length);
    const extent = new Extent(slab, slab.end, bytes.length);
    this.#put(extent, slab, bytes);
    return extent;
  }

  giveBack(extent: Extent): void {
    const { slab } = extent;
    if (!slab.extents.delete(extent)) return;
    slab.live -= extent.length;
    this.#look(slab);
  }

  #look(slab: Slab): void {
    if (slab === this.#newest) return;
    if (slab.live * 2 < slab.bytes.length) this.#empty(slab);
  }

  #empty(slab: Slab): void {
    this.#all.delete(slab);
    for (const extent of slab.extents) {
      const { bytes } = extent;
      const target = this.#roomFor(bytes.length);
      extent.moveTo(target, target.end);
      this.#put(extent, target, bytes);
    }
  }

  #put(extent: Extent, slab: Slab, bytes: Uint8Array): void {
    slab.bytes.set(bytes, slab.end);
    slab.end += bytes.length;
    slab.live += bytes.length;
    slab.extents.add(extent);
  }

  #roomFor(length: number): Slab {
    const newest = this.#newest;
    if (newest && newest.end + length <= newest.bytes.length) return newest;
    const slab = {
      bytes: Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length)),
      end: 0,
      live: 0,
      extents: new Set<Extent>(),
    };
    // a slab of its own does not end the newest one, which has room for smaller bytes
    if (length < SLAB_BYTES / 2 || !newest) this.#newest = slab;
    this.#all.add(slab);
    if (newest) this.#look(newest);
    return slab;
  }
}
