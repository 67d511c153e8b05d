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
