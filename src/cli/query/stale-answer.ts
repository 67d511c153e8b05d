import type { Clock } from '../../kit/clock.ts';
import { shortDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { CachedInformer, CachedObjects } from '../../query/answer/cached-objects.ts';
import { ensureFresh, type Freshness, type NotFresh } from '../../query/answer/wait-until-fresh.ts';
import { ageText } from '../hints/last-proof.ts';
import { causeText } from '../session/cause-text.ts';

/** How long `--fresh` and `--at-least-rv` wait where `--timeout` does not say, ms. */
const FRESH_LIMIT_MS = 10_000;

/** The caches of a command that answers once show an older state than the server has: they must be filled again. */
export class OutdatedCaches extends InformerError {}

export interface FreshContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long to wait at most, ms: what `--timeout` leaves. Default 10 s. */
  readonly limitMs?: number | undefined;
  /** Whether the caches follow a stream. Those of a command that answers once are as new as its lists. */
  readonly follows: boolean;
}

/**
 * Waits until the caches are as fresh as the question asks. Throws `stale` with what is known of each that is not: its
 * age, its version, why, and the next step. Rejects with the signal's reason.
 */
export async function requireFresh(
  { freshMs, atLeastRv }: Freshness,
  allCached: readonly CachedObjects[],
  { clock, signal, limitMs, follows }: FreshContext,
): Promise<void> {
  // a list that was made for this answer is not older than it
  const wish = { freshMs: follows ? freshMs : undefined, atLeastRv };
  if (wish.freshMs === undefined && atLeastRv === undefined) return;
  const caches = allCached.map(({ informer }) => informer);
  const stale = await ensureFresh(caches, wish, { clock, signal, limitMs: limitMs ?? FRESH_LIMIT_MS, follows });
  if (stale.length === 0) return;
  const isOutdated = !follows && stale.some(({ confirmed = [] }) => confirmed.some(({ differing }) => differing > 0));
  const text = `${askedText(wish)} not within ${limitMs === undefined ? shortDuration(FRESH_LIMIT_MS) : '--timeout'}: ${stale.map((each) => staleText(each, clock.now())).join('; ')}`;
  const options = { hint: hintFor(wish) };
  throw isOutdated ? new OutdatedCaches('stale', text, options) : new InformerError('stale', text, options);
}

function askedText({ freshMs, atLeastRv }: Freshness): string {
  return [
    ...(freshMs === undefined ? [] : [`--fresh ${shortDuration(freshMs)}`]),
    ...(atLeastRv === undefined ? [] : [`--at-least-rv ${atLeastRv}`]),
  ].join(' and ');
}

function staleText({ cache, confirmed = [], error }: NotFresh<CachedInformer>, now: number): string {
  const { name, continuity } = cache;
  const versions = [...new Set(continuity.map(({ resourceVersion }) => resourceVersion).filter(Boolean))];
  const server = [...new Set(confirmed.map(({ resourceVersion }) => resourceVersion))];
  const differing = confirmed.reduce((sum, each) => sum + each.differing, 0);
  const age = ageText(continuity, now);
  const failed = error === undefined ? undefined : causeText(error);
  return [
    `${name} is at version ${versions.join(' and ')}`,
    ...(server.length > 0 && error === undefined ? [`the server was at ${server.join(' and ')}`] : []),
    ...(differing > 0 ? [`${differing} ${differing === 1 ? 'object differs' : 'objects differ'}`] : []),
    age,
    ...(failed === undefined || age.endsWith(failed) ? [] : [`a new list failed: ${failed}`]),
  ].join(', ');
}

function hintFor({ atLeastRv }: Freshness): string {
  if (atLeastRv === undefined) return 'without --fresh the answer comes with its age; a longer --timeout waits longer';
  return 'is it a resourceVersion of this type and server? kubectl get TYPE NAME -o jsonpath={.metadata.resourceVersion} prints one; a longer --timeout waits longer';
}
