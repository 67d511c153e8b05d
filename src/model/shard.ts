import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { joinKey } from './key.ts';
import { shardHash } from './shard-hash.ts';

/**
 * The field that decides about the part of an object. `uid`: parts of equal size; an object that is created again under
 * its name has another uid. `namespace`: all objects of a namespace are in one part. `name`, which is namespace and
 * name: an object that is created again stays in its part. API servers divide by the first two only; by `name` they
 * send everything to everyone.
 */
export type ShardedKey = 'uid' | 'namespace' | 'name';

export const SHARDED_KEYS = ['uid', 'namespace', 'name'] as const satisfies readonly ShardedKey[];

/**
 * One of several parts of a collection. Each object is in exactly one of them, for its whole life: its place is the
 * hash of its uid, of its namespace, or of both its namespace and name. Source: KEP-5866, but for `name`.
 */
export interface Shard {
  /** Which part: 0 to `of - 1`. */
  readonly index: number;
  /** The number of parts, 1 to 65,536. */
  readonly of: number;
  /** By what objects are divided. Default `uid`. */
  readonly by?: ShardedKey | undefined;
}

/**
 * Who divides a collection. `server`: it sends this part only. `client`: it ignores the selector and sends everything,
 * and this program leaves the rest out.
 */
export type ShardedBy = 'server' | 'client';

/** Which parts of a collection a source has, and how it comes to them. */
export interface Sharding {
  /** In their order, 0 to `of - 1`. */
  readonly indexes: readonly number[];
  readonly of: number;
  readonly by: ShardedKey;
  /** Undefined until enough was seen. */
  readonly dividedBy: ShardedBy | undefined;
  /** The number of objects of other parts that came with the last list, and were left out. */
  readonly leftOut: number;
}

/** More parts than any program has replicas. */
const MOST_SHARDS = 65_536;

const KNOWN_SHARD = { index: 'number', of: 'number', by: SHARDED_KEYS } satisfies KnownOptionsOf<Shard>;

/** Throws `argument` for a part that does not exist. */
export function checkShard(shard: Shard): void {
  checkOptions('shard', shard, KNOWN_SHARD);
  const { index, of } = shard;
  if (!Number.isInteger(of) || of < 1 || of > MOST_SHARDS)
    throw new InformerError('argument', `shard: of must be a whole number from 1 to ${MOST_SHARDS}, not ${of}`);
  if (!Number.isInteger(index) || index < 0 || index >= of)
    throw new InformerError('argument', `shard: index must be a whole number from 0 to ${of - 1}, not ${index}`);
}

/**
 * The `shardSelector` of a LIST or WATCH of parts that are given in their order. Neighbours make one range. Source:
 * KEP-5866.
 */
export function shardRanges(indexes: readonly number[], { of, by = 'uid' }: Pick<Shard, 'of' | 'by'>): string {
  const starts = indexes.filter((index, i) => index - 1 !== indexes[i - 1]);
  const ends = indexes.filter((index, i) => index + 1 !== indexes[i + 1]);
  return starts
    .map((start, i) => {
      const [from, to] = [boundary(start, of), boundary((ends[i] as number) + 1, of)];
      return `shardRange(object.metadata.${by}, '0x${from}', '0x${to}')`;
    })
    .join(' || ');
}

/** The part of an object. One without uid or namespace has the place of the empty text. */
export function placeOf(object: ShardedObject, { of, by = 'uid' }: Pick<Shard, 'of' | 'by'>): number {
  const hash = hashOf(object, by);
  // the first digits decide, except for a hash near a boundary
  const place = Math.floor((Number.parseInt(hash.slice(0, 12), 16) / 2 ** 48) * of);
  if (hash < boundary(place, of)) return place - 1;
  return place + 1 < of && hash >= boundary(place + 1, of) ? place + 1 : place;
}

function hashOf({ metadata: { uid, namespace, name } }: ShardedObject, by: ShardedKey): string {
  if (by === 'name') return shardHash(shardHash(joinKey(namespace, name ?? ''))); // once would put web-0 to web-9 together
  return shardHash((by === 'uid' ? uid : namespace) ?? '');
}

/** The fields that decide about the part of an object. */
export interface ShardedObject {
  readonly metadata: {
    readonly uid?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
  };
}

const ALL = 1n << 64n;
/** The boundaries of the numbers of parts that were asked for. */
const boundaries = new Map<number, string[]>();

/** Where a part begins, as hexadecimal digits; where the last one ends, with one digit more. */
function boundary(index: number, of: number): string {
  let all = boundaries.get(of);
  if (!all) {
    const n = BigInt(of);
    all = Array.from({ length: of + 1 }, (_, i) => ((BigInt(i) * ALL + n - 1n) / n).toString(16).padStart(16, '0'));
    boundaries.set(of, all);
  }
  return all[index] as string;
}
