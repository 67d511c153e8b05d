import type { Clock, Timer } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';

export interface StoreResyncOptions {
  name: string;
  /** The period in ms; 0: never. */
  periodMs: number;
  clock: Clock;
  /** Called when a resync is due; returning false skips it. */
  shouldResync: () => boolean;
  resync: () => void;
  /** Called when a resync threw. There is no further resync until the next `start`. */
  onError: (error: InformerError) => void;
}

class ResyncError extends InformerError {}

export const isResyncFailure = (error: unknown): boolean => error instanceof ResyncError;

/** Resyncs a store periodically between `start` and `stop`. Source: client-go tools/cache/reflector.go startResync. */
export class StoreResync {
  readonly #options: StoreResyncOptions;
  #timer: Timer | undefined;

  constructor(options: StoreResyncOptions) {
    this.#options = options;
  }

  /** Starts a new period. */
  start(): void {
    const { clock, periodMs } = this.#options;
    this.stop();
    if (periodMs > 0) this.#timer = clock.after(periodMs, () => this.#fire());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #fire(): void {
    this.start();
    try {
      if (this.#options.shouldResync()) this.#options.resync();
    } catch (error) {
      this.stop();
      const { name, onError } = this.#options;
      onError(new ResyncError('store', `unable to resync ${name}: ${messageOf(error)}`, { cause: error }));
    }
  }
}
