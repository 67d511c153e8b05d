import { isComparable, type ResourceVersion } from '../model/resource-version.ts';

/**
 * The versions of a type of a replay that is written to: one order for recorded and written changes. A written change
 * has the version after the present one; recorded changes after it have theirs plus the number of writes before them.
 */
export class WrittenVersions {
  /** The last recorded versions before the writes, in their order. */
  readonly #before: bigint[] = [];

  /** Whether versions of this form can be put in an order. */
  static canOrder = (version: ResourceVersion): boolean => version === '' || isComparable(version);

  /** The version of a write after the recorded version `last`. */
  next(last: ResourceVersion): ResourceVersion {
    const version = BigInt(last || '0');
    this.#before.push(version);
    return String(version + BigInt(this.#before.length));
  }

  /** The version that readers get for a recorded one. */
  shown(recorded: ResourceVersion): ResourceVersion {
    if (this.#before.length === 0 || !isComparable(recorded)) return recorded;
    const version = BigInt(recorded);
    return String(version + BigInt(this.#before.filter((each) => each < version).length));
  }

  /** The recorded version at or before one that readers got. */
  recordedBefore(shown: ResourceVersion): ResourceVersion {
    if (this.#before.length === 0 || !isComparable(shown)) return shown;
    const version = BigInt(shown);
    // a write is shown at its place, and all that follows it behind
    const writes = this.#before.filter((each, i) => each + BigInt(i + 1) <= version).length;
    return String(version - BigInt(writes));
  }

  /** The version of a list: that of the last write, if it is later. */
  ofList(recorded: ResourceVersion): ResourceVersion {
    const last = this.#before.at(-1);
    const shown = this.shown(recorded);
    if (last === undefined || !isComparable(shown)) return shown;
    const written = last + BigInt(this.#before.length);
    return BigInt(shown) > written ? shown : String(written);
  }
}
