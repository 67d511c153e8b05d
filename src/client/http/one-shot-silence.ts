import type { Clock } from '../../kit/clock.ts';
import { Watchdog } from '../../kit/watchdog.ts';

/** How long a command that answers once waits for the next byte of a server. */
export const GIVE_UP_MS = 30_000;

/** Called while requests to a server are made. */
export interface ExchangeObserver {
  /** Called when a request is sent. */
  started(): void;
  /** Called when the headers or a piece of the body of a response have arrived. */
  received(): void;
  /** Called when the reader of a body is at work, or waits for its own reader: the server owes nothing meanwhile. */
  rests(): void;
  /** Called when such a reader waits for bytes again. */
  waits(): void;
  /** Called when a response is complete, or its request has failed. */
  ended(): void;
}

/**
 * Detects a server that sends nothing. Silence begins with a request and ends with the next byte of any response.
 * A request that fails without a byte does not end it. After a complete response there is none.
 */
export class OneShotSilence implements ExchangeObserver, Disposable {
  readonly #watchdog: Watchdog;
  #open = 0;
  /** The open requests of which the reader is at work. */
  #resting = 0;
  #hasReceived = false;

  /** `onSilent` is called once, after `limitMs` of silence. */
  constructor({ clock, limitMs, onSilent }: { clock: Clock; limitMs: number; onSilent: () => void }) {
    this.#watchdog = new Watchdog({ clock, limitMs, onSilent });
  }

  started(): void {
    this.#open++;
    if (!this.#watchdog.isWatching) this.#watchdog.watch();
  }

  received(): void {
    this.#hasReceived = true;
    this.#watchdog.watch();
  }

  rests(): void {
    if (++this.#resting === this.#open) this.#watchdog.rest();
  }

  waits(): void {
    this.#resting--;
    if (!this.#watchdog.isWatching) this.#watchdog.watch();
  }

  ended(): void {
    this.#open--;
    if (this.#open > 0 || !this.#hasReceived) return;
    this.#watchdog.rest();
    this.#hasReceived = false;
  }

  [Symbol.dispose](): void {
    this.#watchdog[Symbol.dispose]();
  }
}
