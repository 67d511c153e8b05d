import { isComparable, type ResourceVersion } from '../model/resource-version.ts';
import { HISTORY, isAfter } from './replay-track.ts';
import type { WatchedState } from './replay-watch.ts';

/** The last written changes of a type, behind which a watch can still be resumed. */
export class WrittenChanges {
  #changes: WatchedState[] = [];
  /** The version of the last change that is not kept. */
  #dropped: ResourceVersion = '';

  add(change: WatchedState): void {
    this.#changes.push(change);
    if (this.#changes.length <= 2 * HISTORY) return;
    this.#dropped = this.#changes.at(-HISTORY - 1)?.version ?? '';
    this.#changes = this.#changes.slice(-HISTORY);
  }

  /** The changes after a version; undefined: some of them are not kept. */
  after(version: ResourceVersion): readonly WatchedState[] | undefined {
    if (!isComparable(version)) return []; // the recorded changes say whether it is known
    if (isAfter(this.#dropped, version)) return undefined;
    return this.#changes.slice(this.#changes.findLastIndex((each) => !isAfter(each.version, version)) + 1);
  }
}

/**
 * The versions of a type of a replay that is written to: one order for recorded and written changes. A written change
 * has the version after the present one; recorded changes after it have theirs plus the number of writes before them.
 */
export class WrittenVersions {
  /** The last recorded versions before the writes, in their order. */
  readonly #before: bigint[] = [];

  /** The version of a write after the recorded version `last`. */
  next(last: ResourceVersion): ResourceVersion {
    const latest = this.#before.at(-1) ?? 0n;
    const version = BigInt(last || '0') > latest ? BigInt(last) : latest;
    this.#before.push(version);
    return String(version + BigInt(this.#before.length));
  }

  /** The version that readers get for a recorded one. */
  shown(recorded: ResourceVersion): ResourceVersion {
    if (this.#before.length === 0 || !isComparable(recorded)) return recorded;
    const version = BigInt(recorded);
    return String(version + BigInt(this.#countWhile((each) => each < version)));
  }

  /** The recorded version at or before one that readers got. */
  recordedBefore(shown: ResourceVersion): ResourceVersion {
    if (this.#before.length === 0 || !isComparable(shown)) return shown;
    const version = BigInt(shown);
    // a write is shown at its place, and all that follows it behind
    const writes = this.#countWhile((each, i) => each + BigInt(i + 1) <= version);
    return String(version - BigInt(writes));
  }

  /** The number of writes for which this holds: for the first ones, and for none after them. */
  #countWhile(holds: (before: bigint, index: number) => boolean): number {
    let [low, high] = [0, this.#before.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#before[middle] as bigint, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
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
