import type { PackedObject } from './packed-object.ts';

/**
 * Parsed objects that were read lately, bounded by the bytes of their texts. A read marks an object as used; a search
 * that goes round takes those that were not used since it last came by.
 */
export class HotObjects<T> {
  readonly #most: number;
  readonly #round: PackedObject<T>[] = [];
  #hand = 0;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get count(): number {
    return this.#round.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(packed: PackedObject<T>, object: T): void {
    if (packed.hot !== undefined || sizeOf(packed) > this.#most) return;
    packed.hot = object;
    packed.isUsed = true;
    this.#round.push(packed);
    this.#bytes += sizeOf(packed);
    while (this.#bytes > this.#most) this.#takeOne();
  }

  #takeOne(): void {
    for (;;) {
      if (this.#hand >= this.#round.length) this.#hand = 0;
      const packed = this.#round[this.#hand] as PackedObject<T>;
      if (packed.isUsed) {
        packed.isUsed = false;
        this.#hand++;
        continue;
      }
      const last = this.#round.pop() as PackedObject<T>;
      if (last !== packed) this.#round[this.#hand] = last;
      packed.hot = undefined;
      this.#bytes -= sizeOf(packed);
      return;
    }
  }
}

function sizeOf({ block, at }: PackedObject): number {
  return block.lengthAt(at);
}
