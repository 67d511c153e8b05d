export interface RetryWindowOptions {
  /** How long after the first of a run of errors retrying is allowed, ms. 0 = never. */
  maxMs: number;
  /** A run is forgotten when this long passed since its last error, ms. */
  forgetAfterMs: number;
}

/** Says whether an error that keeps coming may still be retried. Source: client-go tools/cache/retry_with_deadline.go. */
export class RetryWindow {
  readonly #options: RetryWindowOptions;
  #firstAt: number | undefined;
  #lastAt = 0;

  constructor(options: RetryWindowOptions) {
    this.#options = options;
  }

  /** Counts one error at the given moment and says whether to retry. Saying no ends the run. */
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
