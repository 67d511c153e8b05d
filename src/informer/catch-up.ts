import type { ObjectKey } from '../model/key.ts';
import { isLaterVersion } from '../model/resource-version.ts';
import { versionOf } from './store/apply-deltas.ts';
import { type Drift, isInAgreement, markOf, marksOf, type VerifierOptions } from './verifier.ts';

const FIRST_WAIT_MS = 20;

/**
 * Waits until a cache that began with a stored state shows no older objects than a fresh list: the same name, uid and
 * version, or a later version. Resolves with the differences that the stream did not repair in time and that a second
 * list shows as well; with none when the cache has caught up.
 */
export async function caughtUp(options: VerifierOptions<unknown>, signal: AbortSignal): Promise<Drift> {
  const { list, clock, graceMs, isBehind } = options;
  const before = new Map(options.cached());
  const fresh = new Map(await list(signal));
  let drift = behindOf(options, before, fresh);
  for (let wait = FIRST_WAIT_MS, waited = 0; !isDone(drift, isBehind) && waited < graceMs; wait *= 2) {
    await clock.sleep(wait, { signal });
    waited += wait;
    drift = behindOf(options, before, fresh);
  }
  if (isInAgreement(drift)) return drift;
  const again = marksOf(await list(signal));
  const lasts = (key: ObjectKey) => again.get(key) === markOf(fresh.get(key));
  const { missing, extra, stale } = behindOf(options, before, fresh);
  return { missing: missing.filter(lasts), extra: extra.filter(lasts), stale: stale.filter(lasts) };
}

const isDone = (drift: Drift, isBehind: () => boolean) => isInAgreement(drift) && !isBehind();

/** Where the cache is older than a list. What the stream deleted or added since `before` is newer than it. */
function behindOf(
  { cached, get }: Pick<VerifierOptions<unknown>, 'cached' | 'get'>,
  before: ReadonlyMap<ObjectKey, unknown>,
  fresh: ReadonlyMap<ObjectKey, unknown>,
): Drift {
  const drift = { missing: [] as ObjectKey[], extra: [] as ObjectKey[], stale: [] as ObjectKey[] };
  for (const [key, listed] of fresh) {
    const ours = get(key);
    if (ours === undefined) {
      if (!before.has(key)) drift.missing.push(key);
    } else if (markOf(ours) !== markOf(listed) && !isLaterVersion(versionOf(ours), versionOf(listed)))
      drift.stale.push(key);
  }
  for (const [key, ours] of cached()) if (!fresh.has(key) && before.get(key) === ours) drift.extra.push(key);
  for (const keys of Object.values(drift)) keys.sort();
  return drift;
}
