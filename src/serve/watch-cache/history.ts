import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { isLaterVersion, type ResourceVersion } from '../../model/resource-version.ts';

/** One change of a collection. */
export interface HistoryEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: ResourceVersion;
  readonly key: ObjectKey;
  /** The new state; for DELETED the last one. */
  readonly object: ReadonlyObject;
  /** The state before, of MODIFIED. */
  readonly previous: ReadonlyObject | undefined;
}

/**
 * The last changes of a collection, in order, for watches that begin at a version. A place is a number that grows by
 * one with each change. At most `limit` changes are kept; who is behind them must list again.
 */
export class EventHistory {
  readonly #limit: number;
  #events: HistoryEvent[] = [];
  /** The place of the first kept event. */
  #first = 0;
  /** The version of the state before the first kept event. */
  #base: ResourceVersion;

  constructor(base: ResourceVersion, limit: number) {
    this.#base = base;
    this.#limit = limit;
  }

  get first(): number {
    return this.#first;
  }

  /** The place of the next change. */
  get next(): number {
    return this.#first + this.#events.length;
  }

  push(event: HistoryEvent): void {
    this.#events.push(event);
    if (this.#events.length < this.#limit * 1.25) return; // not one by one, which would move all of them each time
    const dropped = this.#events.splice(0, this.#events.length - this.#limit);
    this.#first += dropped.length;
    this.#base = dropped.at(-1)?.version ?? this.#base;
  }

  at(place: number): HistoryEvent | undefined {
    return this.#events[place - this.#first];
  }

  /** The place of the first change after a version; undefined if it is older than what is kept, or not known here. */
  after(version: ResourceVersion): number | undefined {
    for (let i = this.#events.length - 1; i >= 0; i--)
      if (isUpTo((this.#events[i] as HistoryEvent).version, version)) return this.#first + i + 1;
    return isUpTo(this.#base, version) ? this.#first : undefined;
  }
}

/** Whether a state of the version `reached` contains nothing that is later than `version`. */
export function isUpTo(reached: ResourceVersion, version: ResourceVersion): boolean {
  return reached === version || isLaterVersion(version, reached);
}
