import type { Clock, Timer } from '../../kit/clock.ts';
import { progressText } from '../../stream/conditions/progress-text.ts';
import type { WaitProgress } from '../../stream/conditions/waiter.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';

/** A log gets a line about a wait at most this often. */
const EVERY_MS = 5000;

export interface WaitProgressOptions {
  readonly progress: () => WaitProgress;
  readonly clock: Clock;
  /** Prints a line that stays. */
  readonly notice: (text: string) => void;
  /** A line that is renewed; undefined where there is no terminal. */
  readonly status: StatusDisplay | undefined;
}

/**
 * Reports the progress of a wait: on a terminal in one line that is redrawn, elsewhere as a new line when the count has
 * changed, at most every five seconds. The moment from which all conditions have to stay met is reported at once.
 * Disposing removes the redrawn line; a log gets the last count unless it has it already.
 */
export class WaitProgressReporter implements Disposable {
  readonly #options: WaitProgressOptions;
  #reported = '';
  #reportedAt = Number.NEGATIVE_INFINITY;
  #metAt = Number.NEGATIVE_INFINITY;
  #later: Timer | undefined;
  #shown: string | undefined;

  constructor(options: WaitProgressOptions) {
    this.#options = options;
  }

  /** The progress may have changed. */
  changed(): void {
    const { progress, clock, status } = this.#options;
    if (isOfNothing(progress())) return;
    if (status) {
      this.#shown = progressText(progress());
      status.show(this.#shown);
      return;
    }
    const dueIn = (this.#isMet ? this.#metAt : this.#reportedAt) + EVERY_MS - clock.monotonic();
    if (dueIn <= 0) this.#print();
    else this.#later ??= clock.after(dueIn, () => this.#print());
  }

  [Symbol.dispose](): void {
    if (this.#shown !== undefined) this.#options.status?.clear(this.#shown);
    if (this.#later) this.#print();
  }

  /** All is met, and has to stay so. */
  get #isMet(): boolean {
    const { met, total, staysMs = 0 } = this.#options.progress();
    return staysMs > 0 && total > 0 && met === total;
  }

  #print(): void {
    const { progress, clock, notice } = this.#options;
    this.#later?.cancel();
    this.#later = undefined;
    const now = progress();
    const count = `${now.met}/${now.total}`;
    if (count === this.#reported) return;
    this.#reported = count;
    this.#reportedAt = clock.monotonic();
    if (this.#isMet) this.#metAt = this.#reportedAt;
    notice(progressText(now));
  }
}

/** A deletion is waited for, and there is nothing: that is no state on the way. */
const isOfNothing = ({ total, word }: WaitProgress) => total === 0 && word === 'deleted';
