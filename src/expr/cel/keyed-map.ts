import { type CelMap, celFailure, isMap, isNumber, MISSING, typeNameOf } from './cel-values.ts';

type Entry = readonly [key: unknown, value: unknown];

/**
 * A map with keys that are no texts: `{1: "a"}`. JSON has no such map, so that only expressions make one. A map whose
 * keys are texts is a plain object.
 */
export class KeyedMap {
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [idOf(entry[0]) ?? noKey(entry[0]), entry]));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value under a key; MISSING if there is none. The number 1 and the text "1" are different keys. */
  get(key: unknown): unknown {
    const id = idOf(key);
    const entry = id === undefined ? undefined : this.#entries.get(id);
    return entry ? entry[1] : MISSING;
  }

  entries(): Entry[] {
    return [...this.#entries.values()];
  }
}

/** The entries as a map. */
export function mapOf(entries: readonly Entry[]): CelMap | KeyedMap {
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : new KeyedMap(entries);
}

/** The entries of a map; undefined for any other value. */
export function entriesOf(value: unknown): readonly Entry[] | undefined {
  if (value instanceof KeyedMap) return value.entries();
  return isMap(value) ? Object.entries(value) : undefined;
}

/** Equal keys have the same text: all numbers are one type. Undefined for what can be no key. */
function idOf(key: unknown): string | undefined {
  if (isNumber(key)) return `number ${Number.isInteger(key) ? BigInt(key) : key}`;
  return typeof key === 'string' || typeof key === 'boolean' ? `${typeof key} ${key}` : undefined;
}

const noKey = (key: unknown): never =>
  celFailure(`the key of a map is a string, a number or a bool, got ${typeNameOf(key)}`);
