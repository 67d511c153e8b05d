export interface RetryWindowOptions {
  /** How long after the first error of a run retries are allowed, ms. 0: never. */
  maxMs: number;
  /** A run ends when this many ms have passed since its last error. */
  forgetAfterMs: number;
}

/** Decides whether a repeated error may still be retried. Source: client-go tools/cache/retry_with_deadline.go. */
export class RetryWindow {
  readonly #options: RetryWindowOptions;
  #firstAt: number | undefined;
  #lastAt = 0;

  constructor(options: RetryWindowOptions) {
    this.#options = options;
  }

  /** Counts one error at the given moment and returns whether to retry. Returning false ends the run. */
  allows(nowMs: number): boolean {
    const { maxMs, forgetAfterMs } = this.#options;
    if (maxMs <= 0) return false;
    if (this.#firstAt === undefined || nowMs - this.#lastAt >= forgetAfterMs) this.#firstAt = nowMs;
    this.#lastAt = nowMs;
    if (nowMs - this.#firstAt <= maxMs) return true;
    this.#firstAt = undefined;
    return false;
  }
}
