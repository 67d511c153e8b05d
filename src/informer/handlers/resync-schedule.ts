/** When one handler is due for its periodic resync. Source: client-go tools/cache/shared_informer.go processorListener. */
export class ResyncSchedule {
  readonly #periodMs: number;
  #nextAt: number;
  /**
   * Whether updates that changed nothing are for this handler. True until a resync check has said otherwise: with no resync at all, every
   * handler hears of unchanged objects after a relist.
   */
  isDue = true;

  /** `periodMs` 0 = never due at a check. */
  constructor(periodMs: number, nowMs: number) {
    this.#periodMs = periodMs;
    this.#nextAt = nowMs + periodMs;
  }

  /** Settles whether the handler is due at this check, and if so when it will be next. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextAt;
    if (this.isDue) this.#nextAt = nowMs + this.#periodMs;
    return this.isDue;
  }
}
