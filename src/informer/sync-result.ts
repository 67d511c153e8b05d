import { scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';

/** Which of several caches have synced, and what kept the others. Source: client-go tools/cache SyncResult. */
export class SyncResult {
  /** By name, only of those that had been started. */
  readonly synced: ReadonlyMap<string, boolean>;
  /** Why the wait ended, if not by success. */
  readonly cause: unknown;
  /** What stands in the way of each one that is late, as far as it is known. */
  readonly troubles: ReadonlyMap<string, unknown>;

  constructor(synced: ReadonlyMap<string, boolean>, cause?: unknown, troubles: ReadonlyMap<string, unknown> = new Map()) {
    this.synced = synced;
    this.cause = cause;
    this.troubles = troubles;
  }

  get isComplete(): boolean {
    return [...this.synced.values()].every(Boolean);
  }

  /** The names of those that are late, sorted. */
  get late(): string[] {
    return [...this.synced]
      .filter(([, isSynced]) => !isSynced)
      .map(([name]) => name)
      .sort();
  }

  /** "failed to sync all caches: a, b: cause", or undefined when all have synced. The hint tells what stood in the way. */
  asError(): InformerError | undefined {
    const { late } = this;
    if (late.length === 0) return undefined;
    const cause = this.cause === undefined ? '' : `: ${messageOf(this.cause)}`;
    const hint = late
      .filter((name) => this.troubles.get(name) !== undefined)
      .map((name) => `${name}: ${messageOf(this.troubles.get(name))}`);
    return new InformerError('sync', `failed to sync all caches: ${late.join(', ')}${cause}`, {
      cause: this.cause,
      hint: hint.length > 0 ? hint.join('; ') : undefined,
    });
  }
}

/** A cache that can be waited for. */
export interface Syncable {
  readonly name: string;
  readonly hasSynced: boolean;
  /** What keeps it from syncing, if it knows. */
  readonly lastError?: unknown;
  /** False when nobody has started it. */
  readonly isStarted?: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
}

export interface WaitOptions {
  /** How long to wait at most, ms. Default without end. */
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
}

/**
 * Waits for every cache, without polling. One that has synced counts even when the signal aborts at the same moment. Never rejects: what
 * came of it, which cache is late and what stands in its way is in the result.
 */
export async function waitForSync(caches: readonly Syncable[], signal?: AbortSignal, options: WaitOptions = {}): Promise<SyncResult> {
  const { timeoutMs, clock = systemClock } = options;
  using waiting = scope(signal);
  const giveUp = () => waiting.abort(new InformerError('sync', `no sync within ${(timeoutMs ?? 0) / 1000}s`));
  using _timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, giveUp);
  const failures: unknown[] = [];
  const waits = caches.map((cache) => cache.whenSynced(waiting.signal).catch((error) => failures.push(error)));
  await Promise.all(waits);
  const late = caches.filter((cache) => !cache.hasSynced);
  const synced = new Map(caches.map((cache) => [cache.name, cache.hasSynced]));
  return new SyncResult(synced, late.length > 0 ? failures[0] : undefined, new Map(late.map((cache) => [cache.name, troubleOf(cache)])));
}

function troubleOf({ lastError, isStarted }: Syncable): unknown {
  if (lastError !== undefined) return lastError;
  return isStarted === false ? 'it has not been started' : 'no error so far; the server has not sent the whole state yet';
}
