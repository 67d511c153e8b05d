import type { Clock, Timer } from '../kit/clock.ts';

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
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #open = 0;
  #since: number | undefined;
  #wasHeard = false;
  #timer: Timer | undefined;

  /** `onSilent` is called once, after `limitMs` of silence. */
  constructor({ clock, limitMs, onSilent }: { clock: Clock; limitMs: number; onSilent: () => void }) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilent = onSilent;
  }

  began(): void {
    this.#open++;
    this.#since ??= this.#clock.monotonic();
    this.#timer ??= this.#clock.after(this.#limitMs, () => this.#look());
  }

  heard(): void {
    this.#wasHeard = true;
    this.#since = this.#clock.monotonic();
  }

  ended(): void {
    this.#open--;
    if (this.#open > 0 || !this.#wasHeard) return;
    this.#since = undefined;
    this.#wasHeard = false;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  /** One timer for all bytes: it looks how long the present silence has lasted, and comes again when that can be enough. */
  #look(): void {
    this.#timer = undefined;
    if (this.#since === undefined) return;
    const left = this.#since + this.#limitMs - this.#clock.monotonic();
    if (left <= 0) this.#onSilent();
    else this.#timer = this.#clock.after(left, () => this.#look());
  }
}
