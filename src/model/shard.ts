import { InformerError } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { shardHash } from './shard-hash.ts';

/**
 * One of several parts of a collection. Each object is in exactly one of them, for its whole life: its place is the
 * hash of its uid, or of its namespace. Source: KEP-5866.
 */
export interface Shard {
  /** Which part: 0 to `of - 1`. */
  readonly index: number;
  /** The number of parts, 1 to 65,536. */
  readonly of: number;
  /** By what objects are divided. By `namespace`, all objects of a namespace are in one part. Default `uid`. */
  readonly by?: 'uid' | 'namespace' | undefined;
}

/** More parts than any program has replicas. */
const MOST_SHARDS = 65_536;

const KNOWN_SHARD = { index: 'number', of: 'number', by: ['uid', 'namespace'] } satisfies KnownOptionsOf<Shard>;

/** Throws `argument` for a part that does not exist. */
export function checkShard(shard: Shard): void {
  checkOptions('shard', shard, KNOWN_SHARD);
  const { index, of } = shard;
  if (!Number.isInteger(of) || of < 1 || of > MOST_SHARDS)
    throw new InformerError('argument', `shard: of must be a whole number from 1 to ${MOST_SHARDS}, not ${of}`);
  if (!Number.isInteger(index) || index < 0 || index >= of)
    throw new InformerError('argument', `shard: index must be a whole number from 0 to ${of - 1}, not ${index}`);
}

/** The `shardSelector` of a LIST or WATCH of this part. */
export function shardSelectorOf({ index, of, by = 'uid' }: Shard): string {
  return `shardRange(object.metadata.${by}, '0x${boundary(index, of)}', '0x${boundary(index + 1, of)}')`;
}

/** Whether an object is in this part. An object without uid or namespace has the place of the empty text. */
export function shardMatcher({ index, of, by = 'uid' }: Shard): (object: Placed) => boolean {
  const [start, end] = [boundary(index, of), boundary(index + 1, of)];
  const isLast = index === of - 1;
  return ({ metadata }) => {
    const hash = shardHash((by === 'uid' ? metadata.uid : metadata.namespace) ?? '');
    return hash >= start && (isLast || hash < end);
  };
}

/** What decides about the place of an object. */
interface Placed {
  readonly metadata: { readonly uid?: string | undefined; readonly namespace?: string | undefined };
}

const ALL = 1n << 64n;

/** Where a part begins, as hexadecimal digits; where the last one ends, with one digit more. */
function boundary(index: number, of: number): string {
  const [i, n] = [BigInt(index), BigInt(of)];
  return ((i * ALL + n - 1n) / n).toString(16).padStart(16, '0');
}
