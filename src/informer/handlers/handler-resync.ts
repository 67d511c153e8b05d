import { InformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
/**
 * The schedule of one handler's periodic resync. Source: client-go tools/cache/shared_informer.go processorListener.
 */
export class HandlerResync {
  readonly #periodMs: number;
  #nextAt: number;
  /**
   * Whether this handler gets updates that changed nothing. True until the first resync check: without any resync,
   * every handler gets unchanged objects after a new list.
   */
  isDue = true;

  /** `periodMs` 0: never due at a check. */
  constructor(periodMs: number, nowMs: number) {
    this.#periodMs = periodMs;
    this.#nextAt = nowMs + periodMs;
  }

  /** Determines whether the handler is due at this check, and if so, when it is due next. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextAt;
    if (this.isDue) this.#nextAt = nowMs + this.#periodMs;
    return this.isDue;
  }
}

export const LEAST_RESYNC_MS = 1000;

/** An informer, as far as the resyncs of its handlers go. */
interface ResyncingInformer {
  /** How often it looks for handlers that are due, ms; 0: never. */
  readonly checkMs: number;
  readonly isStarted: boolean;
  readonly logger: Logger;
}

/**
 * How often a handler gets resyncs, and how often the informer looks for it from now on, ms. Throws `argument`.
 * Source: client-go shared_informer.go AddEventHandlerWithOptions, determineResyncPeriod.
 */
export function resyncPeriod(
  wantedMs: number,
  { checkMs, isStarted, logger }: ResyncingInformer,
): { readonly periodMs: number; readonly checkMs: number } {
  if (!(wantedMs >= 0)) throw new InformerError('argument', `resyncMs must be a number not below 0, not ${wantedMs}`);
  if (wantedMs === 0) return { periodMs: 0, checkMs };
  if (checkMs === 0) {
    logger.warn('a handler asked for resyncs of an informer that has none', { resyncMs: wantedMs });
    return { periodMs: 0, checkMs };
  }
  if (wantedMs < LEAST_RESYNC_MS)
    logger.warn('a resync period was raised to the shortest one', { resyncMs: wantedMs, least: LEAST_RESYNC_MS });
  const periodMs = Math.max(wantedMs, LEAST_RESYNC_MS);
  if (periodMs >= checkMs) return { periodMs, checkMs };
  if (!isStarted) return { periodMs, checkMs: periodMs };
  logger.warn('a resync period was raised to the check interval of the running informer', {
    resyncMs: periodMs,
    check: checkMs,
  });
  return { periodMs: checkMs, checkMs };
}
