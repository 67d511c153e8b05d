import type { Reconciler } from '../controller/reconciler.ts';
import { humanDuration } from '../kit/duration.ts';

/** Counts the runs of a hook, for the last line of `reconcile`: a hook that prints nothing leaves no other sign. */
export class RunTally {
  #runs = 0;
  #failed = 0;

  /** The reconciler, counted. A run that is under way is no run yet. */
  counting(reconcile: Reconciler): Reconciler {
    return async (request, context) => {
      let isDone = false;
      try {
        const result = await reconcile(request, context);
        isDone = true;
        return result;
      } finally {
        this.#runs++;
        if (!isDone) this.#failed++;
      }
    };
  }

  /** The last line, without its newline: `ended by SIGINT after 5m3s: 14 runs, 2 of them failed`. */
  line(why: string, elapsedMs: number): string {
    const runs = this.#runs === 0 ? 'no runs' : `${this.#runs} run${this.#runs === 1 ? '' : 's'}`;
    const failed =
      this.#failed === 0
        ? ''
        : this.#failed === this.#runs
          ? this.#runs === 1
            ? ', failed'
            : ', all failed'
          : `, ${this.#failed} of them failed`;
    return `${why} after ${humanDuration(elapsedMs)}: ${runs}${failed}`;
  }
}
