/**
 * A map that keeps the entries that were used last, within a weight. An entry is used when it is set or fetched.
 *
 * Promises: the entries used last are kept as long as their weight is at most `weight`; the whole weighs at most twice
 * as much, and the heaviest entry more. Each call takes constant time. It keeps two generations: when the younger one
 * is full, the older one is dropped.
 */
export class RecentMap<K, V> {
  readonly #weight: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weightOfYoung = 0;
  #hasDropped = false;

  constructor(weight: number) {
    this.#weight = weight;
  }

  /** The number of entries. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether an entry was dropped because others were used later. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  /** Returns the value without counting as a use. */
  peek(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Returns the value, and counts its use with its `weight`. */
  use(key: K, weight: (value: V) => number = () => 1): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, old);
    this.grow(weight(old));
    return old;
  }

  /** Sets an entry, and counts the use. One that was in use already keeps its weight; see {@link grow}. */
  set(key: K, value: V, weight = 1): void {
    const isInUse = this.#young.has(key);
    this.#old.delete(key);
    this.#young.set(key, value);
    if (!isInUse) this.grow(weight);
  }

  delete(key: K): void {
    this.#old.delete(key);
    this.#young.delete(key);
  }

  /** Counts that an entry in use became heavier. */
  grow(weight: number): void {
    this.#weightOfYoung += weight;
    if (this.#weightOfYoung <= this.#weight) return;
    this.#hasDropped ||= this.#old.size > 0;
    this.#old = this.#young;
    this.#young = new Map();
    this.#weightOfYoung = 0;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weightOfYoung = 0;
  }
}
