import { type ObjectKey, partsOfKey } from '../../model/key.ts';
import type { ShardSet } from '../../model/shard-set.ts';

/** Names that are spread well look uneven with a probability below one in this number. */
const IMPROBABLE = 1000;

/**
 * A sentence where all namespaces of the keys are in one of the several shards that a replica has, which names do that
 * differ at the end only; undefined where that may be chance. One replica then has everything.
 */
export function unevenText(keys: Iterable<ObjectKey>, shards: ShardSet): string | undefined {
  const { of, selection } = shards;
  const namespaces = new Set<string>();
  for (const key of keys) namespaces.add(partsOfKey(key).namespace);
  const places = new Set([...namespaces].map((namespace) => shards.indexOf({ metadata: { namespace } })));
  const isChance = selection.indexes.length ** (namespaces.size - 1) < IMPROBABLE;
  if (places.size !== 1 || isChance) return undefined;
  const where = `all ${namespaces.size} namespaces of its objects are in shard ${[...places][0]} of ${of}`;
  return `${where}, as names are that differ at the end only: one replica has all the work; --shard-by uid and name divide it`;
}
