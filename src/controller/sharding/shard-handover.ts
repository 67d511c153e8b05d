/** The shards of a replica, beside those that it should have. Times are ms on the monotonic clock. */
export interface Standing {
  readonly now: number;
  /** The shards that it should have. */
  readonly wanted: ReadonlySet<number>;
  /** The shards that it has, or still works on. */
  readonly has: Iterable<number>;
  /** When a shard may be tried again. */
  readonly notBefore: ReadonlyMap<number, number>;
}

export interface SharePlan {
  readonly givesBack: readonly number[];
  readonly claims: readonly number[];
  /** The time until a further shard may be claimed, ms; Infinity if there is none. */
  readonly waitMs: number;
}

/** The next steps of a replica towards the shards that it should have. */
export function sharePlan({ now, wanted, has, notBefore }: Standing): SharePlan {
  const own = new Set(has);
  const missing = [...wanted].filter((index) => !own.has(index));
  const waitMs = (index: number) => (notBefore.get(index) ?? now) - now;
  return {
    givesBack: [...own].filter((index) => !wanted.has(index)),
    claims: missing.filter((index) => waitMs(index) <= 0),
    waitMs: Math.min(...missing.map(waitMs).filter((ms) => ms > 0)),
  };
}
