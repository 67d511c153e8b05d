import { knownVersions, VERSIONS_VARIABLE } from '../../hooks/run/known-versions.ts';
import type { Clock } from '../../kit/clock.ts';
import { shortDuration } from '../../kit/duration.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import { ensureFresh, type Freshness } from '../../query/answer/wait-until-fresh.ts';
import type { QueryRequest } from '../../serve/protocol.ts';

/** How long a question of a hook waits for caches, ms. Then the cluster is asked instead, which costs a list. */
const PATIENCE_MS = 2_000;

/**
 * Why caches must not answer a question that a hook's program asks: they do not come to the versions that its run knows
 * of. Undefined if they may answer. A question that says itself what its answer must have seen waits for nothing here.
 */
export async function whyBehindHook(
  { env }: Pick<QueryRequest, 'env'>,
  allCached: readonly Pick<CachedObjects, 'type' | 'informer'>[],
  { server, freshness, ...waiting }: { server: string; freshness: Freshness; clock: Clock; signal: AbortSignal },
): Promise<string | undefined> {
  const text = env[VERSIONS_VARIABLE];
  if (text === undefined || freshness.atLeastRv !== undefined) return undefined;
  const known = knownVersions(text, server);
  const reasons = await Promise.all(
    allCached.map(async ({ type, informer }) => {
      const atLeastRv = known.get(formatGroupResource(type.gvr));
      const options = { ...waiting, limitMs: PATIENCE_MS, follows: true };
      const stale = await ensureFresh(atLeastRv === undefined ? [] : [informer], { atLeastRv }, options);
      const within = shortDuration(PATIENCE_MS);
      return stale.map(
        ({ cache: { name } }) =>
          `its cache of ${name} has not come to version ${atLeastRv}, which the hook knows of, within ${within}`,
      );
    }),
  );
  return reasons.flat()[0];
}
