/** A growing first-in-first-out buffer. It keeps no reference to items that were taken. Amortised O(1). */
export class Ring<T> {
  #items: (T | undefined)[];
  #head = 0;
  #size = 0;

  constructor(capacity = 16) {
    this.#items = new Array(2 ** Math.ceil(Math.log2(Math.max(2, capacity))));
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size++) & (this.#items.length - 1)] = item;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size--;
    return item;
  }

  /** The item that `shift` takes next. It stays in the buffer. */
  peek(): T | undefined {
    return this.at(0);
  }

  /** The item at `offset` after the head. It stays in the buffer. */
  at(offset: number): T | undefined {
    return offset < this.#size ? this.#items[(this.#head + offset) & (this.#items.length - 1)] : undefined;
  }

  clear(): void {
    this.#items = new Array(16);
    this.#head = 0;
    this.#size = 0;
  }

  #grow(): void {
    const grown: (T | undefined)[] = new Array(this.#items.length * 2);
    for (let i = 0; i < this.#size; i++) grown[i] = this.#items[(this.#head + i) & (this.#items.length - 1)];
    this.#items = grown;
    this.#head = 0;
  }
}
