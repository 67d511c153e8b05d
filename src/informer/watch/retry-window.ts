export interface RetryWindowOptions {
  /** How long after the first error of a run retries are allowed, ms. 0: never. */
  maxMs: number;
  /** A run ends when this many ms have passed since its last error. */
  forgetAfterMs: number;
}

/** Decides whether a repeated error may still be retried. Source: client-go tools/cache/retry_with_deadline.go. */
export class RetryWindow {
  readonly #options: RetryWindowOptions;
  #run: { readonly firstAt: number; readonly lastAt: number } | undefined;

  constructor(options: RetryWindowOptions) {
    this.#options = options;
  }

  /** Counts one error at the given moment and returns whether to retry. Returning false ends the run. */
  allows(nowMs: number): boolean {
    const { maxMs, forgetAfterMs } = this.#options;
    if (maxMs <= 0) return false;
    const run = this.#run;
    const firstAt = run && nowMs - run.lastAt < forgetAfterMs ? run.firstAt : nowMs;
    const isAllowed = nowMs - firstAt <= maxMs;
    this.#run = isAllowed ? { firstAt, lastAt: nowMs } : undefined;
    return isAllowed;
  }
}
