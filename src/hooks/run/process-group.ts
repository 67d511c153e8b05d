import type { Clock } from '../../kit/clock.ts';
import { isInformerError } from '../../kit/error.ts';

/** Sends a signal to a process group. A group that has ended is no error. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // ESRCH: it has ended already
  }
}

/** A process group, by the process that leads it. */
export class ProcessGroup {
  readonly #pid: number | undefined;
  readonly #clock: Clock;
  readonly #graceMs: number;
  #timer: Disposable | undefined;
  #isKilled = false;

  constructor(leader: { readonly pid?: number | undefined }, clock: Clock, graceMs: number) {
    this.#pid = leader.pid;
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  get isEnding(): boolean {
    return this.#timer !== undefined;
  }

  /** Ends it: with SIGTERM first, with SIGKILL after the grace. One that was killed gets no signal: its id may be free. */
  end(): void {
    const pid = this.#pid;
    if (pid === undefined || this.#timer || this.#isKilled) return;
    killGroup(pid, 'SIGTERM');
    this.#timer = this.#clock.after(this.#graceMs, () => killGroup(pid, 'SIGKILL'));
  }

  /** Ends it for this reason: at once if the lease of its work may be another process's, which has no grace to give. */
  endFor(reason: unknown): void {
    if (isInformerError(reason, 'leadership')) this.kill();
    else this.end();
  }

  /** Kills what is left of it. */
  kill(): void {
    this.#isKilled = true;
    this.#timer?.[Symbol.dispose]();
    if (this.#pid !== undefined) killGroup(this.#pid, 'SIGKILL');
  }

  /** Called when the leader has ended: kills the other processes of a group that is being ended. */
  finish(): void {
    if (this.#timer) this.kill();
  }
}
