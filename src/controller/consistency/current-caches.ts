import { scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';
import type { ReadCache } from './read-cache.ts';
import { leftOfWaitMs, REPORTED_MS } from './wait-limit.ts';

/**
 * Waits until caches show what the server has now, so also what another process wrote that did the same work before.
 * Caches that have not synced are left out. The wait ends after a minute with open watches, and ten minutes without; it
 * is reported after ten seconds, and when it is given up. Rejects only with the signal's reason.
 */
export async function whenCachesCurrent(
  caches: Iterable<ReadCache>,
  { clock, logger, signal }: Waiting,
): Promise<void> {
  const since = clock.monotonic();
  const behind = new Set([...caches].filter((cache) => cache.hasSynced && !cache.isStopped));
  using waiting = scope(signal);
  const each = [...behind].map((cache) =>
    cache
      .whenCurrent(waiting.signal)
      .catch(() => {}) // it has ended, or the wait has
      .then(() => behind.delete(cache)),
  );
  const all = Promise.all(each);
  const report = (text: string) => logger.warn(text, { caches: [...behind].map(({ name }) => name) });
  for (let untilReportMs = REPORTED_MS; ; ) {
    const leftMs = Math.max(0, ...[...behind].map((cache) => leftOf(cache, since, clock)));
    const sleep = clock.sleep(Math.min(leftMs, untilReportMs), { signal: waiting.signal }).catch(() => {});
    await Promise.race([all, sleep]);
    signal.throwIfAborted();
    if (behind.size === 0) return;
    if (Math.max(...[...behind].map((cache) => leftOf(cache, since, clock))) <= 0) break;
    if (untilReportMs === REPORTED_MS) report('waits for caches that do not show what was written before');
    untilReportMs = LATER_MS;
  }
  report('runs may read a state before what an earlier process wrote: the caches did not show it');
}

/**
 * Starts with caches that show what the server has now. Those that have synced are waited for before the start, which may
 * run code of a user, and the others after it.
 */
export async function startCurrent(
  start: () => Promise<void>,
  {
    caches,
    phase,
    ...waiting
  }: Waiting & { caches: () => Iterable<ReadCache>; phase: (phase: 'catching up' | 'syncing') => void },
): Promise<void> {
  phase('catching up');
  const synced = new Set([...caches()].filter(({ hasSynced }) => hasSynced));
  await whenCachesCurrent(synced, waiting);
  phase('syncing');
  await start();
  phase('catching up');
  await whenCachesCurrent(new Set([...caches()].filter((cache) => !synced.has(cache))), waiting);
}

interface Waiting {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** How often an end of the wait is looked for, ms. */
const LATER_MS = 5_000;

const leftOf = ({ continuity }: ReadCache, since: number, clock: Clock) =>
  Math.max(...continuity.map((each) => leftOfWaitMs(each, since, clock)));
