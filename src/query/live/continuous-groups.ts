/** The state of one group after a change: how many items have its value. */
export interface GroupState<T> {
  readonly value: string;
  readonly count: number;
  /** The items with this value, each once. */
  readonly items: Iterable<T>;
}

/**
 * Groups of items by their values, kept up to date. The cost of a change is that of the values of one item, whatever
 * the number of items.
 */
export class ContinuousGroups<T> {
  readonly #valuesOf: (item: T) => readonly string[];
  /** The values that each item was counted for. */
  readonly #counted = new Map<string, readonly string[]>();
  readonly #groups = new Map<string, Map<string, T>>();
  #touched = new Set<string>();

  /** `valuesOf` gives the values for which an item counts, each once. */
  constructor(valuesOf: (item: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** Counts an item as it is now; without `item` it is gone. */
  put(id: string, item: T | undefined): void {
    for (const value of this.#counted.get(id) ?? []) {
      this.#groups.get(value)?.delete(id);
      this.#touched.add(value);
    }
    this.#counted.delete(id);
    if (item === undefined) return;
    const values = [...new Set(this.#valuesOf(item))];
    if (values.length === 0) return;
    this.#counted.set(id, values);
    for (const value of values) {
      const group = this.#groups.get(value);
      if (group) group.set(id, item);
      else this.#groups.set(value, new Map([[id, item]]));
      this.#touched.add(value);
    }
  }

  /** The groups that changed since the last call. A group that nothing is in any more has the count 0. */
  take(): GroupState<T>[] {
    const touched = this.#touched;
    this.#touched = new Set();
    return [...touched].map((value) => {
      const group = this.#groups.get(value) ?? new Map<string, T>();
      if (group.size === 0) this.#groups.delete(value);
      return { value, count: group.size, items: group.values() };
    });
  }
}
