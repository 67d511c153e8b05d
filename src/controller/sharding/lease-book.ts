import type { Clock } from '../../kit/clock.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { UnknownObject } from '../../model/object.ts';
import { type Lease, type LeaseRecord, recordOf } from '../election/lease-record.ts';
import { DIVISION_LABEL, REPLICA, ROLE_LABEL } from './division-labels.ts';

/** A Lease as it was seen. */
export interface SeenLease {
  readonly record: LeaseRecord;
  /** When its record was first seen as it is, ms on the monotonic clock. */
  readonly seenAt: number;
  /** When its duration begins, ms on the monotonic clock. */
  readonly at: number;
  /** The role of the Lease: `shard` or `replica`. */
  readonly role: string | undefined;
  readonly division: string | undefined;
  readonly resourceVersion: string | undefined;
}

/**
 * The Leases of a group, with the times at which they were seen to change. As in every election, the times in the Lease
 * of a shard count for nothing, because the clocks of its writers may be wrong. Source: client-go tools/leaderelection.
 *
 * The Lease of a replica decides about nothing but the sizes of the parts. One that is seen for the first time counts from
 * its renewTime on, so that a replica that was killed long ago is not waited for. Where the clocks differ by more than the
 * duration, a replica that lives counts from its next renewal on.
 */
export class LeaseBook {
  readonly #clock: Clock;
  readonly #seen = new Map<string, SeenLease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  saw(lease: UnknownObject): void {
    const { name = '', labels, resourceVersion } = lease.metadata;
    const record = recordOf(lease as Lease);
    const before = this.#seen.get(name);
    if (before && sameValue(before.record, record)) return;
    const [role, division] = [labels?.[ROLE_LABEL], labels?.[DIVISION_LABEL]];
    const seenAt = this.#clock.monotonic();
    const at = before === undefined && role === REPLICA ? seenAt - this.#ageOf(record) : seenAt;
    this.#seen.set(name, { record, seenAt, at, role, division, resourceVersion });
  }

  gone(name: string): void {
    this.#seen.delete(name);
  }

  get(name: string): SeenLease | undefined {
    return this.#seen.get(name);
  }

  /** Who has a Lease at this moment; undefined if no holder does. */
  holderOf(name: string): string | undefined {
    const seen = this.#seen.get(name);
    return seen && this.#isInForce(seen) ? seen.record.holder : undefined;
  }

  /** Whether a Lease ran out, and was not released. */
  hasLapsed(name: string): boolean {
    const seen = this.#seen.get(name);
    return seen !== undefined && seen.record.holder !== '' && !this.#isInForce(seen);
  }

  *inForce(): Generator<readonly [name: string, seen: SeenLease]> {
    for (const entry of this.#seen) if (this.#isInForce(entry[1])) yield entry;
  }

  /** The Leases without a holder, or out of force, for at least this time, ms. */
  *unused(ms: number): Generator<string> {
    const now = this.#clock.monotonic();
    for (const [name, seen] of this.#seen) if (!this.#isInForce(seen) && now - seen.seenAt >= ms) yield name;
  }

  /** The time until the next Lease that is in force ends, unless it is renewed, ms; undefined if none is. */
  get nextEndMs(): number | undefined {
    const now = this.#clock.monotonic();
    let next: number | undefined;
    for (const [, seen] of this.inForce()) next = Math.min(next ?? Number.POSITIVE_INFINITY, endOf(seen) - now);
    return next;
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
