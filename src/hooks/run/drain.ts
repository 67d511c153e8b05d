import type { Controller } from '../../controller/controller.ts';
import { isStop, type Reconciler } from '../../controller/reconciler.ts';
import { onAbort } from '../../kit/abort.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { ObjectKey } from '../../model/key.ts';

/** The program that ends. */
export interface EndingProgram {
  readonly clock: Clock;
  /** Aborts when it is to end. */
  readonly signal: AbortSignal;
  /** Called before the process exits at once. */
  readonly atOnce: Set<() => void>;
  /** Gets lines for a person. */
  notice(text: string): void;
}

/** The default of `--grace`, ms: below the 30 s that Kubernetes leaves a Pod. */
export const DEFAULT_GRACE_MS = 25_000;

/** After the grace, programs have this long to end on SIGTERM before they are killed, ms. */
const KILL_MS = 3_000;
/** The longest wait for parts that have not ended by then, ms. */
const GIVE_UP_MS = 1_000;

/** Between two lines that say what is waited for, ms; each time twice as long, up to a minute. */
const FIRST_REMINDER_MS = 5_000;
const LONGEST_REMINDER_MS = 60_000;

/** Keys named of those that the shutdown waits for. */
const MOST_DRAINING = 3;

/**
 * The end of a run. From the first signal on, or from the end that the hook itself asks for, runs that are under way
 * have the grace to finish. Then their signals abort and programs get SIGTERM (the controller does this), SIGKILL 3 s
 * later, and after one more second nothing is waited for any more. Says what is waited for, at first and now and then.
 */
export class Drain implements Disposable {
  readonly #program: EndingProgram;
  readonly #graceMs: number;
  readonly #delayed: ReadonlySet<ObjectKey>;
  readonly #gaveUp = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #listener: Disposable;
  #controller: Controller | undefined;
  #startup: (() => boolean) | undefined;
  #endsAt: number | undefined;

  /** The runs of `delayed` keys wait for a write that is given up at the end, and are not waited for. */
  constructor(program: EndingProgram, graceMs: number, delayed: ReadonlySet<ObjectKey> = new Set()) {
    this.#delayed = delayed;
    this.#program = program;
    this.#graceMs = graceMs;
    this.#listener = onAbort(program.signal, () => this.#begin());
  }

  /** Aborts, with an error, when runs have not ended in spite of everything. */
  get gaveUp(): AbortSignal {
    return this.#gaveUp.signal;
  }

  /** Names the controller whose runs are waited for, and says whether the startup of its hook is under way. */
  of(controller: Controller, isStartingUp: () => boolean = () => false): void {
    this.#controller = controller;
    this.#startup = isStartingUp;
    if (this.#endsAt !== undefined) this.#remind(FIRST_REMINDER_MS);
  }

  /** The reconciler; when it asks for the end of the program, the others have the grace, too. */
  watching(reconcile: Reconciler): Reconciler {
    return async (request, context) => {
      try {
        return await reconcile(request, context);
      } catch (error) {
        if (isStop(error)) this.#after(0, () => this.#begin()); // this run is over by then
        throw error;
      }
    };
  }

  [Symbol.dispose](): void {
    this.#listener[Symbol.dispose]();
    for (const timer of this.#timers) timer.cancel();
  }

  #begin(): void {
    if (this.#endsAt !== undefined) return;
    const { clock, atOnce } = this.#program;
    this.#endsAt = clock.monotonic() + this.#graceMs;
    this.#after(this.#graceMs, () => this.#say('the grace is over; the hook is ended for', ''));
    this.#after(this.#graceMs + KILL_MS, () => {
      for (const act of atOnce) act();
    });
    this.#after(this.#graceMs + KILL_MS + GIVE_UP_MS, () => this.#giveUp());
    this.#remind(FIRST_REMINDER_MS);
  }

  #after(ms: number, run: () => void): void {
    this.#timers.add(this.#program.clock.after(ms, run));
  }

  #remind(nextMs: number): void {
    if (this.#keys.length === 0) return;
    const isFirst = nextMs === FIRST_REMINDER_MS;
    const leftMs = (this.#endsAt ?? 0) - this.#program.clock.monotonic();
    if (leftMs <= 0) return;
    const left = `for at most ${humanDuration(leftMs + 999)}${isFirst ? ' (--grace)' : ' more'}`;
    this.#say(
      isFirst ? 'waiting for the hook to finish' : 'still waiting for',
      isFirst ? `, ${left}; a second signal (Ctrl-C again) ends it at once` : `, ${left}`,
    );
    this.#after(nextMs, () => this.#remind(Math.min(2 * nextMs, LONGEST_REMINDER_MS)));
  }

  #say(before: string, after: string): void {
    const keys = this.#keys;
    if (keys.length > 0) this.#program.notice(`${before} ${named(keys)}${after}`);
  }

  #giveUp(): void {
    const keys = this.#keys;
    this.#gaveUp.abort(
      new InformerError('hook', `the hook has not ended for ${named(keys)}; not waited for any longer`, {
        hint: 'a module must end its run when ctx.signal aborts; its unfinished work is done again at the next start',
      }),
    );
  }

  get #keys(): string[] {
    const keys = this.#controller?.snapshot().processing.map(({ key }) => key) ?? [];
    const waited = keys.filter((key) => !this.#delayed.has(key));
    return this.#startup?.() ? ['its startup', ...waited] : waited;
  }
}

function named(keys: readonly string[]): string {
  const more = keys.length > MOST_DRAINING ? ` and ${keys.length - MOST_DRAINING} more` : '';
  return `${keys.slice(0, MOST_DRAINING).join(', ')}${more}`;
}
