import { ShardSet } from '../model/shard-set.ts';
import { type CheckResult, failed, ok, skipped } from './finding.ts';
import type { CheckedType } from './type-reads.ts';

/** Who divides a collection among replicas. Source: KEP-5866. */
export async function shardsFound({ client, type, namespace, signal }: CheckedType): Promise<CheckResult> {
  const { selector: shardSelector } = new ShardSet({ of: 2, indexes: [0] }).selection;
  try {
    const page = await client.resource(type.gvr, { namespace }).probe({ shardSelector, limit: 1 }, { signal });
    if (page.shardSelector !== undefined) return ok('the server divides (ShardedListAndWatch)');
    return ok('the client divides: --shard works, and every replica reads all objects');
  } catch (error) {
    signal.throwIfAborted();
    return skipped(failed(error).found);
  }
}
