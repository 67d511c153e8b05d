import type { Continuity } from '../../informer/watch/continuity-ledger.ts';
import type { Clock } from '../../kit/clock.ts';

/** An open watch must bring a write within this time, ms. After it, the write is not waited for. */
export const LONGEST_MS = 60_000;
/** The same for a cache whose watch was not open that long, ms. */
const LONGEST_OUTAGE_MS = 600_000;

/** No write is waited for longer than this, ms. */
export const LONGEST_WAIT_MS = LONGEST_OUTAGE_MS;

/** A wait of this length is reported, ms. */
export const REPORTED_MS = 10_000;

/** How much longer a cache is waited for that has to show what the server had at `since`, monotonic ms. */
export function leftOfWaitMs(
  continuity: Continuity | undefined,
  since: number,
  clock: Clock,
  longestMs = LONGEST_MS,
): number {
  const agoMs = clock.monotonic() - since;
  const connection = continuity?.connection;
  const openMs = connection?.state === 'connected' ? Math.min(agoMs, clock.now() - connection.since) : 0;
  return Math.min(longestMs - openMs, LONGEST_OUTAGE_MS - agoMs);
}
