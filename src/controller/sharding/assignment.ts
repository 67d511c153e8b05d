/** The shards of all replicas, as one of them sees them. */
export interface ReplicaView {
  /** The replicas that live. */
  readonly members: Iterable<string>;
  /** Who has each shard now; undefined for a shard that anybody may take. */
  readonly holders: readonly (string | undefined)[];
}

/**
 * Which shards a replica should have. Replicas with the same view come to the same answer, so that each free shard is
 * taken by exactly one of them.
 *
 * The numbers of shards of any two replicas differ by one at most. As few shards as possible move: a replica gives back
 * only what it has too many of, and a shard of another replica is free when that one has released it.
 */
export function shardsOf(replica: string, { members, holders }: ReplicaView): number[] {
  const quotas = quotasOf(members, holders);
  const free: number[] = [];
  const kept = new Map<string, number[]>();
  for (const [shard, holder] of holders.entries()) {
    if (holder === undefined) free.push(shard);
    else kept.set(holder, [...(kept.get(holder) ?? []), shard]);
  }
  let mine: number[] = [];
  for (const member of [...quotas.keys()].sort()) {
    const quota = quotas.get(member) as number;
    const has = (kept.get(member) ?? []).slice(0, quota);
    const gets = free.splice(0, quota - has.length);
    if (member === replica) mine = [...has, ...gets].sort((a, b) => a - b);
  }
  return mine;
}

/** How many shards each replica should have. Those with the most have the larger numbers, so that fewer shards move. */
function quotasOf(members: Iterable<string>, holders: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map([...members].sort().map((member) => [member, 0]));
  for (const holder of holders) {
    const count = holder === undefined ? undefined : counts.get(holder);
    if (holder !== undefined && count !== undefined) counts.set(holder, count + 1);
  }
  const least = Math.floor(holders.length / counts.size);
  const more = holders.length % counts.size;
  const order = [...counts].sort(([, x], [, y]) => y - x);
  return new Map(order.map(([member], i) => [member, i < more ? least + 1 : least]));
}
