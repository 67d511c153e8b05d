const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** The most bytes at the start of an item that are used to recognize the next one. */
const LONGEST_HEAD = 160;
/** The most bytes in which the end of an item is searched: several times the size of usual objects. */
const FARTHEST = 64 * 1024;
/** Guessing stops after this many wrong guesses, plus one for each eight right ones. */
const MOST_MISSES = 8;

/**
 * Guesses where an item of a list ends, without reading it. All items of a list begin in the same way
 * (`{"metadata":{`), so it searches for a comma and this text with a native search, which is several times faster than
 * counting brackets.
 *
 * A guess may be wrong, because an object may contain a list of such objects. The caller finds that out by parsing the
 * bytes: no JSON object is the beginning of another one, so bytes that parse are the item.
 */
export class ItemBoundary {
  #separator: Buffer | undefined;
  #hits = 0;
  #misses = 0;

  /** Whether the start of items is known, so that a guess is possible. */
  get isKnown(): boolean {
    return this.#separator !== undefined;
  }

  /** Learns the start of items from one whose end is known. */
  learn(item: Buffer): void {
    if (this.#misses > MOST_MISSES + this.#hits / 8) this.#separator = undefined;
    else this.#separator = separatorOf(item) ?? this.#separator;
  }

  /** The index after the item that begins at `from`, or -1. The bytes before `searched` were searched before. */
  find(bytes: Buffer, from: number, searched: number): number {
    const separator = this.#separator;
    if (!separator) return -1;
    const start = Math.max(from, searched - separator.length);
    const limit = from + FARTHEST;
    const at = (bytes.length > limit ? bytes.subarray(0, limit) : bytes).indexOf(separator, start);
    return at === -1 ? -1 : at + 1;
  }

  /** Whether a search with more bytes can still find the end of an item of which `length` bytes are there. */
  mayEndLater(length: number): boolean {
    return this.isKnown && length < FARTHEST;
  }

  /** Called when a guess was right. */
  hit(): void {
    this.#hits++;
  }

  /** Called when a guess was wrong, or an end was not found. */
  missed(): void {
    this.#misses++;
  }
}

/** `},` followed by the start of an item up to its first inner bracket. */
function separatorOf(item: Buffer): Buffer | undefined {
  if (item[0] !== OPEN_BRACE || item[1] !== QUOTE) return undefined;
  const longest = Math.min(item.length, LONGEST_HEAD);
  for (let i = 1; i < longest; i++) {
    if (item[i] === OPEN_BRACE || item[i] === OPEN_BRACKET)
      return Buffer.concat([Buffer.from('},'), item.subarray(0, i + 1)]);
  }
  return undefined;
}
