import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { Attempt } from './acquire-or-renew.ts';

/**
 * Gives each attempt at a lease a limit of time: half of the deadline for a renewal. An attempt may take twice as long
 * as the last one if that got no answer in time, up to the duration of the lease. An attempt that is cut off loses its
 * connection, so where a new connection, a read and a write take longer than the limit, each attempt would fail.
 */
export class TimedAttempts {
  readonly #clock: Clock;
  readonly #firstMs: number;
  readonly #mostMs: number;
  #limitMs: number;

  constructor(
    clock: Clock,
    { renewDeadlineMs, leaseDurationMs }: { renewDeadlineMs: number; leaseDurationMs: number },
  ) {
    this.#clock = clock;
    this.#firstMs = Math.max(SHORTEST_ATTEMPT_MS, renewDeadlineMs / 2);
    this.#mostMs = Math.max(this.#firstMs, leaseDurationMs);
    this.#limitMs = this.#firstMs;
  }

  /** One attempt. Does not wait for one that ignores its signal. Never rejects. */
  async run(parent: AbortSignal, attempt: (signal: AbortSignal) => Promise<Attempt>): Promise<Attempt> {
    const limitMs = this.#limitMs;
    const startedAt = this.#clock.monotonic();
    const outcome = await timed(this.#clock, limitMs, attempt, parent).catch(
      (error) => ({ kind: 'failed', error }) as const,
    );
    if (outcome.kind !== 'failed') this.#limitMs = this.#firstMs;
    else if (this.#clock.monotonic() - startedAt >= limitMs) this.#limitMs = Math.min(this.#mostMs, limitMs * 2);
    return outcome;
  }
}

/** Runs a task whose signal aborts after `limitMs`. Does not wait for a task that ignores the signal. */
export async function timed<T>(
  clock: Clock,
  limitMs: number,
  task: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  using limited = scope(parent);
  const late = new InformerError('transport', `no answer about the lease within ${limitMs / 1000}s`);
  using _limit = clock.after(limitMs, () => limited.abort(late));
  return await abortable(task(limited.signal), limited.signal);
}

/** The least time for one attempt, ms. Source: client-go resourcelock NewFromKubeconfig. */
const SHORTEST_ATTEMPT_MS = 1_000;
