import type { Clock, Timer } from '../../kit/clock.ts';

const WINDOW_MS = 1_000;
/** The lines and UTF-16 units that are shown in a window. */
const MOST_LINES = 200;
const MOST_UNITS = 256 * 1024;
/** The lines that are shown in a window after one that had too many. */
const MOST_LINES_IN_FLOOD = 20;

/**
 * Limits the lines that a hook shows: 200 lines and 256 Ki characters a second, and 20 lines a second as long as it
 * prints more than that. After each second, and at disposal, a line says how many were left out.
 */
export class OutputLimit implements Disposable {
  readonly #show: (line: string) => void;
  readonly #clock: Clock;
  #window: Timer | undefined;
  #most = MOST_LINES;
  #lines = 0;
  #units = 0;
  #leftOut = 0;

  constructor(show: (line: string) => void, clock: Clock) {
    this.#show = show;
    this.#clock = clock;
  }

  line(text: string): void {
    this.#window ??= this.#clock.after(WINDOW_MS, () => this.#close());
    this.#lines++;
    this.#units += text.length;
    if (this.#lines <= this.#most && this.#units <= MOST_UNITS) this.#show(text);
    else this.#leftOut++;
  }

  [Symbol.dispose](): void {
    this.#window?.cancel();
    this.#close();
  }

  #close(): void {
    const leftOut = this.#leftOut;
    this.#window = undefined;
    this.#lines = 0;
    this.#units = 0;
    this.#leftOut = 0;
    this.#most = leftOut > 0 ? MOST_LINES_IN_FLOOD : MOST_LINES;
    if (leftOut > 0) this.#show(`… ${leftOut} line${leftOut === 1 ? '' : 's'} left out`);
  }
}
