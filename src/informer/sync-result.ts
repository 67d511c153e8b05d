import { scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { defaultLogger, type Logger } from '../kit/logger.ts';

/** Which of several caches have synced, and what kept the others. Source: client-go tools/cache SyncResult. */
export class SyncResult {
  /** By name, only of those that had been started. */
  readonly synced: ReadonlyMap<string, boolean>;
  /** Why the wait ended, if not by success. */
  readonly cause: unknown;
  /** What stands in the way of each one that is late, as far as it is known. */
  readonly troubles: ReadonlyMap<string, unknown>;

  /** The names of those that a factory was asked for and that nobody has started, so that they were not waited for. */
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
    hint: 'call start(signal) of the factory once more, after forResource',
  });
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
  /** Where a wait that goes on is reported, after 10 s and then ever more rarely, with what stands in the way. Default: stderr. */
  logger?: Logger | undefined;
}

const KNOWN_WAIT_OPTIONS = { timeoutMs: 'number', clock: true, logger: true } satisfies KnownOptionsOf<WaitOptions>;

const FIRST_REMINDER_MS = 10_000;
const LONGEST_REMINDER_MS = 300_000;

/**
 * Waits for every cache, without polling. One that has synced counts even when the signal aborts at the same moment. Never rejects: what
 * came of it, which cache is late and what stands in its way is in the result. While it lasts, reminders go to the logger.
 */
export async function waitForSync(caches: readonly Syncable[], signal?: AbortSignal, options: WaitOptions = {}): Promise<SyncResult> {
  checkOptions('waitForSync', options, KNOWN_WAIT_OPTIONS);
  const { timeoutMs, clock = systemClock, logger = defaultLogger } = options;
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new InformerError('argument', `timeoutMs must be a number not below 0, not ${timeoutMs}`);
  using waiting = scope(signal);
  const giveUp = () => waiting.abort(new InformerError('sync', `no sync within ${(timeoutMs ?? 0) / 1000}s`));
  using _timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, giveUp);
  using _reminders = reminders(caches, clock, logger);
  const failures: unknown[] = [];
  const waits = caches.map((cache) => cache.whenSynced(waiting.signal).catch((error) => failures.push(error)));
  await Promise.all(waits);
  const late = caches.filter((cache) => !cache.hasSynced);
  const synced = new Map(caches.map((cache) => [cache.name, cache.hasSynced]));
  return new SyncResult(synced, late.length > 0 ? failures[0] : undefined, new Map(late.map((cache) => [cache.name, troubleOf(cache)])));
}

/** Says of each cache that is late what stands in its way, so that a wait without an end is not a silent one. */
function reminders(caches: readonly Syncable[], clock: Clock, logger: Logger): Disposable {
  let everyMs = FIRST_REMINDER_MS;
  let waitedMs = 0;
  let timer: Disposable;
  const remind = () => {
    waitedMs += everyMs;
    for (const cache of caches) {
      if (cache.hasSynced) continue;
      logger.warn('still waiting for the first sync', {
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

/** What stands in the way of a cache that has not synced: its last error, or that nobody has started it. */
export function troubleOf({ lastError, isStarted }: Pick<Syncable, 'lastError' | 'isStarted'>): unknown {
  if (lastError !== undefined) return lastError;
  return isStarted === false
    ? 'it has not been started: call start(signal) of its factory, or run(signal)'
    : 'no error so far; the server has not sent the whole state yet';
}
