import type { Clock } from '../../kit/clock.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { UnknownObject } from '../../model/object.ts';
import { type Lease, type LeaseRecord, recordOf } from '../election/lease-record.ts';
import {
  DIVISION_LABEL,
  type Division,
  divisionOf,
  REPLICA,
  ROLE_LABEL,
  SHARD,
  shardLeaseOf,
} from './division-labels.ts';

/** A Lease as it was seen. */
export interface SeenLease {
  readonly name: string;
  readonly record: LeaseRecord;
  /** When its record was first seen as it is, ms on the monotonic clock. */
  readonly seenAt: number;
  /** When its duration begins, ms on the monotonic clock. */
  readonly at: number;
  /** The role of the Lease: `shard` or `replica`. */
  readonly role: string | undefined;
  readonly division: string | undefined;
  readonly resourceVersion: string;
}

/** The Lease of a replica that does not renew it is deleted this many durations after its last change was seen. */
const MEMBER_DURATIONS = 2;
/** The unused Leases of other divisions are deleted after this many durations. */
const KEPT_DURATIONS = 20;

/**
 * The Leases of a group, as a replica of one division reads them, with the times at which they were seen to change. As in
 * every election, the times in the Lease of a shard count for nothing, because the clocks of its writers may be wrong.
 * Source: client-go tools/leaderelection.
 *
 * The Lease of a replica decides about nothing but the sizes of the parts. One that is seen for the first time counts from
 * its renewTime on, so that a replica that was killed long ago is not waited for. Where the clocks differ by more than the
 * duration, a replica that lives counts from its next renewal on.
 */
export class LeaseBook {
  readonly #clock: Clock;
  readonly #division: Division;
  readonly #seen = new Map<string, SeenLease>();

  constructor(clock: Clock, division: Division) {
    this.#clock = clock;
    this.#division = division;
  }

  saw(lease: UnknownObject): void {
    const { name = '', labels, resourceVersion = '' } = lease.metadata;
    const record = recordOf(lease as Lease);
    const before = this.#seen.get(name);
    if (before && sameValue(before.record, record)) return;
    const [role, division] = [labels?.[ROLE_LABEL], labels?.[DIVISION_LABEL]];
    const seenAt = this.#clock.monotonic();
    const at = before === undefined && role === REPLICA ? seenAt - this.#ageOf(record) : seenAt;
    this.#seen.set(name, { name, record, seenAt, at, role, division, resourceVersion });
  }

  gone(name: string): void {
    this.#seen.delete(name);
  }

  /** The Lease of a shard; undefined if it was not seen. */
  ofShard(index: number): SeenLease | undefined {
    return this.#seen.get(shardLeaseOf(this.#division, index));
  }

  /** Who has a shard at this moment; undefined without a holder. */
  holderOf(index: number): string | undefined {
    const seen = this.ofShard(index);
    return seen && this.#isInForce(seen) ? seen.record.holder : undefined;
  }

  /** Whether the Lease of a shard ran out, and was not released. */
  hasLapsed(index: number): boolean {
    const seen = this.ofShard(index);
    return seen !== undefined && seen.record.holder !== '' && !this.#isInForce(seen);
  }

  /** The replicas of the division that live. */
  get members(): Set<string> {
    return new Set(this.#replicas().map(({ holder }) => holder));
  }

  /** Those that have been there for less than this time, ms. */
  newcomers(ms: number): Set<string> {
    const young = this.#replicas().filter((record) => heldForMs(record) < ms);
    return new Set(young.map(({ holder }) => holder));
  }

  /** A division of other replicas that have shards now. */
  get otherDivision(): string | undefined {
    const own = divisionOf(this.#division);
    return this.#inForce().find(({ role, division }) => role === SHARD && division !== own)?.division;
  }

  /** The Leases that are not needed any more, given the duration of those in use, ms. */
  leftover(durationMs: number): SeenLease[] {
    const now = this.#clock.monotonic();
    const own = divisionOf(this.#division);
    return [...this.#seen.values()].filter((seen) => {
      if (this.#isInForce(seen)) return false;
      const durations = seen.role === REPLICA ? MEMBER_DURATIONS : KEPT_DURATIONS;
      return (seen.role === REPLICA || seen.division !== own) && now - seen.seenAt >= durations * durationMs;
    });
  }

  /** The time until the next Lease that is in force ends, unless it is renewed, ms; Infinity if none is. */
  get nextEndMs(): number {
    const now = this.#clock.monotonic();
    return Math.min(...this.#inForce().map((seen) => endOf(seen) - now));
  }

  #replicas(): LeaseRecord[] {
    const own = divisionOf(this.#division);
    const all = this.#inForce().filter(({ role, division }) => role === REPLICA && division === own);
    return all.map(({ record }) => record);
  }

  #inForce(): SeenLease[] {
    return [...this.#seen.values()].filter((seen) => this.#isInForce(seen));
  }

  /** The time since a record was written, as far as this clock and that of its writer agree, ms. */
  #ageOf({ renewTime }: LeaseRecord): number {
    const age = this.#clock.now() - Date.parse(renewTime);
    return Math.max(age || 0, 0); // it may have no time, or one to come
  }

  #isInForce(seen: SeenLease): boolean {
    return seen.record.holder !== '' && endOf(seen) > this.#clock.monotonic();
  }
}

const endOf = ({ record, at }: SeenLease): number => at + record.durationSeconds * 1000;

/** How long the holder of a Lease has had it, by its own clock, so that all who see it come to the same answer, ms. */
const heldForMs = ({ acquireTime, renewTime }: LeaseRecord) => Date.parse(renewTime) - Date.parse(acquireTime);
