import type { Clock, Timer } from '../../kit/clock.ts';
import { progressText } from '../../stream/conditions/progress-text.ts';
import type { WaitProgress } from '../../stream/conditions/waiter.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';

/** A log gets a line about a wait at most this often. */
const EVERY_MS = 5000;

export interface WaitProgressOptions {
  readonly progress: () => WaitProgress;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** One line for good. */
  readonly notice: (text: string) => void;
  /** A line that is renewed; undefined where there is no terminal. */
  readonly status: StatusDisplay | undefined;
}

/**
 * Tells how far a wait is: on a terminal in the line that is renewed; elsewhere a line for good whenever the count has changed, at most every
 * five seconds; that all is met and has to stay so is told when it begins. Disposing takes the renewed line away; a log gets the last count if it has another one.
 */
export class WaitProgressTeller implements Disposable {
  readonly #options: WaitProgressOptions;
  #told = '';
  #toldAt = Number.NEGATIVE_INFINITY;
  #heldAt = Number.NEGATIVE_INFINITY;
  #later: Timer | undefined;
  #shown: string | undefined;

  constructor(options: WaitProgressOptions) {
    this.#options = options;
  }

  /** The progress may have changed. */
  changed(): void {
    const { progress, clock, status } = this.#options;
    if (status) {
      this.#shown = progressText(progress());
      status.show(this.#shown);
      return;
    }
    const dueIn = (this.#isHeld ? this.#heldAt : this.#toldAt) + EVERY_MS - clock.monotonic();
    if (dueIn <= 0) this.#tell();
    else this.#later ??= clock.after(dueIn, () => this.#tell());
  }

  [Symbol.dispose](): void {
    if (this.#shown !== undefined) this.#options.status?.clear(this.#shown);
    if (this.#later) this.#tell();
  }

  /** All is met, and has to stay so. */
  get #isHeld(): boolean {
    const { met, total, staysMs = 0 } = this.#options.progress();
    return staysMs > 0 && total > 0 && met === total;
  }

  #tell(): void {
    const { progress, clock, notice } = this.#options;
    this.#later?.cancel();
    this.#later = undefined;
    const now = progress();
    const count = `${now.met}/${now.total}`;
    if (count === this.#told) return;
    this.#told = count;
    this.#toldAt = clock.monotonic();
    if (this.#isHeld) this.#heldAt = this.#toldAt;
    notice(progressText(now));
  }
}
