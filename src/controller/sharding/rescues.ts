import { type ReplicaView, shardsOf } from './assignment.ts';

/** The shards of all replicas, and which of them may need a rescue. */
export interface RescueView extends ReplicaView {
  readonly members: ReadonlySet<string>;
  /** The replicas that have been there for less than a lease duration. */
  readonly newcomers: ReadonlySet<string>;
  /** Whether the Lease of a shard ran out, and was not released. */
  hasLapsed(index: number): boolean;
}

/** A shard that another replica should take and does not is taken after its lease duration, and kept for this number of them. */
const RESCUED_DURATIONS = 8;
/** A shard that a newcomer should have, and could not take in time, is kept for this number of lease durations. */
const NEWCOMER_DURATIONS = 2;

/**
 * The shards beyond its part that a replica has, or takes, because the replica that should have them does not: its work on
 * them may not end, or it may not see that they are free. One replica after another tries.
 */
export class Rescues {
  readonly #replica: string;
  readonly #leaseDurationMs: number;
  readonly #freeSince = new Map<number, number>();
  readonly #until = new Map<number, number>();

  constructor(replica: string, leaseDurationMs: number) {
    this.#replica = replica;
    this.#leaseDurationMs = leaseDurationMs;
  }

  /** Those at a time, ms on the monotonic clock, when all replicas are seen like this. */
  at(now: number, view: RescueView): number[] {
    const durationMs = this.#leaseDurationMs;
    const order = [...view.members].sort();
    const rank = order.indexOf(this.#replica);
    for (const [index, holder] of view.holders.entries()) {
      const since = this.#freeSince.get(index) ?? now;
      if (holder === undefined) this.#freeSince.set(index, since);
      else this.#freeSince.delete(index);
      const turn = 1 + ((rank + index) % order.length);
      if (holder === undefined && now - since >= turn * durationMs)
        this.#until.set(index, now + RESCUED_DURATIONS * durationMs);
    }
    for (const index of leftToNewcomers(this.#replica, view))
      this.#until.set(index, now + NEWCOMER_DURATIONS * durationMs);
    return [...this.#until].filter(([, until]) => until > now).map(([index]) => index);
  }
}

/**
 * The shards of replicas that died which would go to newcomers, and are taken by this one instead. A newcomer may take such
 * a shard only a whole lease duration after it has seen its Lease for the first time, which is later than the others. Those
 * that are no newcomers have them until then.
 */
function leftToNewcomers(replica: string, view: RescueView): number[] {
  const others = [...view.members].filter((member) => !view.newcomers.has(member)).sort();
  const left = new Set([...view.newcomers].flatMap((member) => shardsOf(member, view)));
  const lapsed = [...view.holders.keys()].filter((index) => left.has(index) && view.hasLapsed(index));
  return lapsed.filter((_, at) => others[at % others.length] === replica);
}
