import type { Clock } from '../../kit/clock.ts';
import { Watchdog } from '../../kit/watchdog.ts';

/** What is told of the exchanges with a server as they go on. */
export interface ExchangeObserver {
  /** A request is sent. */
  began(): void;
  /** The headers or a piece of the body of its answer came. */
  heard(): void;
  /** Its answer is complete, or it failed. */
  ended(): void;
}

/**
 * Notices a server that says nothing. Silence begins with a request and ends with the next byte of any answer; requests that fail without
 * a byte do not end it. While nothing is asked, and after a complete answer, there is none.
 */
export class ServerSilence implements ExchangeObserver, Disposable {
  readonly #watchdog: Watchdog;
  #open = 0;
  #wasHeard = false;
  /** A wait goes on over requests that failed without a byte. */
  #isWaiting = false;

  /** `onSilent` is called once, after `limitMs` of silence. */
  constructor({ clock, limitMs, onSilent }: { clock: Clock; limitMs: number; onSilent: () => void }) {
    this.#watchdog = new Watchdog({ clock, limitMs, onSilent });
  }

  began(): void {
    if (this.#open++ === 0 && !this.#isWaiting) this.#watch();
  }

  heard(): void {
    this.#wasHeard = true;
    this.#watch();
  }

  ended(): void {
    this.#open--;
    if (this.#open > 0 || !this.#wasHeard) return;
    this.#watchdog.rest();
    this.#isWaiting = false;
    this.#wasHeard = false;
  }

  [Symbol.dispose](): void {
    this.#watchdog[Symbol.dispose]();
  }

  #watch(): void {
    this.#isWaiting = true;
    this.#watchdog.watch();
  }
}
