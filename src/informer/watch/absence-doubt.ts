import { scope } from '../../kit/abort.ts';
import { type Clock, sleepOn } from '../../kit/clock.ts';
import { keyOf } from '../../model/key.ts';
import type { KubeObject } from '../../model/object.ts';
import { compareResourceVersions, type ResourceVersion } from '../../model/resource-version.ts';
import { type History, replacedHistory } from './history-check.ts';
import { isMovedCollection } from './moved-collection.ts';
import type { StalledWatchCheck } from './stalled-watch-check.ts';
import type { WatchConnection } from './watch-connection.ts';

/** How long a deletion that was missed during a break may take to arrive, ms. */
const ABSENT_GRACE_MS = 5_000;
/** How often its arrival is checked, ms. */
const MOST_DOUBTS = 10;
/**
 * How much later than another server one may learn of a deletion, ms. Before that, a second watch without a change
 * proves nothing.
 */
const MOST_LAG_MS = 30_000;

/** The stream that may belong to another history. */
export interface DoubtedStream<T> {
  readonly history: History<T>;
  readonly connection: WatchConnection<T>;
  readonly guard: StalledWatchCheck<T> | undefined;
  readonly clock: Clock;
  /** The version that the stream has reached. */
  readonly reached: () => ResourceVersion;
}

/**
 * Resolves the doubt about a cached object that the server did not have. One of the next events deletes it, or the
 * server's history is another one. Another history is proven when the stream has passed a version at which the server
 * did not have the object, or when a second watch shows no more changes than ours after a while in which a lagging
 * server would have caught up. The stream then fails. Disposing ends it.
 */
export function doubtAbsence<T>(object: KubeObject, stream: DoubtedStream<T>, signal: AbortSignal): Disposable {
  const doubting = scope(signal);
  resolveDoubt(object, stream, doubting.signal).catch((error) => {
    if (isMovedCollection(error)) stream.connection.fail(error); // any other error proves nothing
  });
  return doubting;
}

async function resolveDoubt<T>(
  object: KubeObject,
  { history, connection, guard, clock, reached }: DoubtedStream<T>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = clock.monotonic();
  for (let tries = 0; tries < MOST_DOUBTS; tries++) {
    const absentAt = await history.absentAt(object, signal);
    await sleepOn(clock, ABSENT_GRACE_MS, signal);
    if (absentAt === undefined || !history.isUntouched(object)) return;
    const order = compareResourceVersions(reached(), absentAt);
    const hasPassed = order !== undefined && order >= 0;
    const isLate = clock.monotonic() - startedAt >= MOST_LAG_MS;
    const isProven = hasPassed || (isLate && (await guard?.isQuiet(signal)) === true);
    if (!isProven || !history.isUntouched(object)) continue;
    connection.fail(replacedHistory(`"${keyOf(object)}" is not on the server, and no event reported its deletion`));
    return;
  }
}
