import { createHash } from 'node:crypto';
import { withoutEnd } from '../../kit/without-end.ts';
import type { ShardedKey } from '../../model/shard.ts';

/** How a set of keys is divided. Replicas with different divisions must not work at the same time. */
export interface Division {
  /** The name that all replicas which share the work use. */
  readonly name: string;
  /** The number of shards. */
  readonly of: number;
  readonly by: ShardedKey;
}

/** The label of all Leases of one name. */
export const GROUP_LABEL = 'kubectl-informer/shares';
/** The label with the division that a Lease belongs to: `8-by-uid`. */
export const DIVISION_LABEL = 'kubectl-informer/division';
/** The label that says what a Lease is of: {@link SHARD} or {@link REPLICA}. */
export const ROLE_LABEL = 'kubectl-informer/role';
export const SHARD = 'shard';
export const REPLICA = 'replica';

/** The longest value of a label. Source: apimachinery util/validation IsValidLabelValue. */
const LONGEST_LABEL = 63;

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** The value of {@link GROUP_LABEL}. */
export function leaseGroupOf({ name }: Pick<Division, 'name'>): string {
  if (name.length <= LONGEST_LABEL) return name;
  return `${withoutEnd(name.slice(0, LONGEST_LABEL - 12), '-.')}-${digest(name)}`;
}

/** The value of {@link DIVISION_LABEL}. */
export const divisionOf = ({ of, by }: Division): string => `${of}-by-${by}`;

/** The name of the Lease of a shard. */
export const shardLeaseOf = (division: Division, index: number): string =>
  `${division.name}-shard-${index}-of-${divisionOf(division)}`;

/** The name of the Lease that says that a replica lives. */
export const memberLeaseOf = ({ name }: Pick<Division, 'name'>, identity: string): string =>
  `${name}-member-${digest(identity)}`;

/** The longest text that the name of a Lease adds to that of the division. */
export const LONGEST_SUFFIX = '-shard-65535-of-65536-by-namespace'.length;
