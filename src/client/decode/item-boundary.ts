const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** A longer head than this is not worth looking for. */
const LONGEST_HEAD = 160;
/** How far ahead of an item its end is looked for: some times what objects commonly have. */
const FARTHEST = 64 * 1024;
/** Guesses may fail so often, beside one in eight of those that held, before no more are made. */
const MOST_MISSES = 8;

/**
 * Guesses where an item of a list ends, without reading it: the items of one list all begin alike (`{"metadata":{`), so the next one's
 * beginning behind a comma is searched for, natively and some times faster than brackets can be counted.
 *
 * A guess may be wrong (an object may hold a list of such objects). Whoever parses what it delimits knows: no JSON object is the
 * beginning of another, so what parses is the item.
 */
export class ItemBoundary {
  #separator: Buffer | undefined;
  #hits = 0;
  #misses = 0;

  /** Whether there is something to look for. */
  get isKnown(): boolean {
    return this.#separator !== undefined;
  }

  /** Takes an item whose end is known for what the next ones look like. */
  learn(item: Buffer): void {
    if (this.#misses > MOST_MISSES + this.#hits / 8) this.#separator = undefined;
    else this.#separator = separatorOf(item) ?? this.#separator;
  }

  /** The index behind the item that begins at `from`, -1 when it is not in sight. What is before `searched` was searched before. */
  find(bytes: Buffer, from: number, searched: number): number {
    const separator = this.#separator;
    if (!separator) return -1;
    const start = Math.max(from, searched - separator.length);
    const limit = from + FARTHEST;
    const at = (bytes.length > limit ? bytes.subarray(0, limit) : bytes).indexOf(separator, start);
    return at === -1 ? -1 : at + 1;
  }

  /** Whether an item that has had so many bytes may have its end still to come. */
  mayEndLater(length: number): boolean {
    return this.isKnown && length < FARTHEST;
  }

  held(): void {
    this.#hits++;
  }

  /** It was no end, or there was one that was not found. */
  missed(): void {
    this.#misses++;
  }
}

/** `},` and an item up to the first bracket within. */
function separatorOf(item: Buffer): Buffer | undefined {
  if (item[0] !== OPEN_BRACE || item[1] !== QUOTE) return undefined;
  const longest = Math.min(item.length, LONGEST_HEAD);
  for (let i = 1; i < longest; i++) {
    if (item[i] === OPEN_BRACE || item[i] === OPEN_BRACKET) return Buffer.concat([Buffer.from('},'), item.subarray(0, i + 1)]);
  }
  return undefined;
}
