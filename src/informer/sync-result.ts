import { scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';
import { inheriting } from '../kit/surroundings.ts';

/**
 * The result of a wait for several caches: which have synced, and what delayed the others. Source: client-go
 * tools/cache SyncResult.
 */
export class SyncResult {
  /** By name, whether a cache has synced. Contains only caches that had been started. */
  readonly synced: ReadonlyMap<string, boolean>;
  /** Why the wait ended before all had synced; undefined otherwise. */
  readonly cause: unknown;
  /** The cause of each late cache's delay, as far as it is known. */
  readonly troubles: ReadonlyMap<string, unknown>;

  /** The names of the informers of a factory that were never started, so that they were not waited for. */
  readonly notStarted: readonly string[];

  constructor(
    synced: ReadonlyMap<string, boolean>,
    cause?: unknown,
    troubles: ReadonlyMap<string, unknown> = new Map(),
    notStarted: readonly string[] = [],
  ) {
    this.notStarted = notStarted;
    this.synced = synced;
    this.cause = cause;
    this.troubles = troubles;
  }

  get isComplete(): boolean {
    return this.notStarted.length === 0 && [...this.synced.values()].every(Boolean);
  }

  /** The names of the late caches, sorted. */
  get late(): string[] {
    return [...this.synced]
      .filter(([, isSynced]) => !isSynced)
      .map(([name]) => name)
      .sort();
  }

  /**
   * The error "failed to sync all caches: a, b: cause"; undefined when all have synced. The hint contains the causes of
   * the delays.
   */
  asError(): InformerError | undefined {
    const { late } = this;
    if (this.isComplete) return undefined;
    if (late.length === 0) return notStarted(this.notStarted);
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

function notStarted(names: readonly string[]): InformerError {
  return new InformerError('sync', `not started: ${names.join(', ')}`, {
    hint: 'call start(signal) of the factory again, after forResource',
  });
}

/** A cache whose initial sync can be awaited. */
export interface Syncable {
  readonly name: string;
  readonly hasSynced: boolean;
  /** The error that delays the sync, if any. */
  readonly lastError?: unknown;
  /** False when the cache has not been started. */
  readonly isStarted?: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Options of {@link waitForSync}. */
export interface WaitOptions {
  /** The longest wait, ms. Default: without end. */
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
  /**
   * The logger for reminders of a long wait: after 10 s, then less and less often, each with the cause of the delay.
   * Default: stderr.
   */
  logger?: Logger | undefined;
}

const KNOWN_WAIT_OPTIONS = {
  timeoutMs: 'number',
  clock: 'clock',
  logger: 'logger',
} satisfies KnownOptionsOf<WaitOptions>;

const FIRST_REMINDER_MS = 10_000;
const LONGEST_REMINDER_MS = 300_000;

/**
 * Waits for the initial sync of every cache, without polling. Never rejects: the result names each late cache and the
 * cause of its delay. A cache that has synced counts even when the signal aborts at the same moment. During the wait,
 * reminders go to the logger.
 */
export async function waitForSync(
  caches: readonly Syncable[],
  signal?: AbortSignal,
  options: WaitOptions = {},
): Promise<SyncResult> {
  checkArgument('waitForSync', 'caches', caches, 'list');
  if (signal !== undefined) checkArgument('waitForSync', 'signal', signal, 'signal');
  checkOptions('waitForSync', options, KNOWN_WAIT_OPTIONS);
  const { timeoutMs, clock = systemClock, logger = defaultLogger } = inheriting(options, ...caches);
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new InformerError('argument', `timeoutMs must be a number not below 0, not ${timeoutMs}`);
  using waiting = scope(signal);
  const giveUp = (afterMs: number) => waiting.abort(new InformerError('sync', `no sync within ${afterMs / 1000}s`));
  using _timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => giveUp(timeoutMs));
  using _reminders = reminders(caches, clock, logger);
  const failures: unknown[] = [];
  const waits = caches.map((cache) => cache.whenSynced(waiting.signal).catch((error) => failures.push(error)));
  await Promise.all(waits);
  const late = caches.filter((cache) => !cache.hasSynced);
  const synced = new Map(caches.map((cache) => [cache.name, cache.hasSynced]));
  return new SyncResult(
    synced,
    late.length > 0 ? failures[0] : undefined,
    new Map(late.map((cache) => [cache.name, troubleOf(cache)])),
  );
}

/** Logs the cause of each late cache's delay, so that an endless wait is not silent. */
function reminders(caches: readonly Syncable[], clock: Clock, logger: Logger): Disposable {
  let everyMs = FIRST_REMINDER_MS;
  let waitedMs = 0;
  let timer: Disposable;
  const remind = () => {
    waitedMs += everyMs;
    for (const cache of caches) {
      if (cache.hasSynced) continue;
      logger.warn('still waiting for the initial sync', {
        cache: cache.name,
        seconds: waitedMs / 1000,
        because: messageOf(troubleOf(cache)),
      });
    }
    everyMs = Math.min(everyMs * 2, LONGEST_REMINDER_MS);
    timer = clock.after(everyMs, remind);
  };
  timer = clock.after(everyMs, remind);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** The cause of a cache's delay: its last error, or that it has not been started. */
export function troubleOf({ lastError, isStarted }: Pick<Syncable, 'lastError' | 'isStarted'>): unknown {
  if (lastError !== undefined) return lastError;
  return isStarted === false
    ? 'it has not been started: call start(signal) of its factory, or run(signal)'
    : 'no error so far; the server has not sent the whole state yet';
}
