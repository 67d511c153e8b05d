import { onAbort } from '../../kit/abort.ts';
import { systemClock } from '../../kit/clock.ts';
import type { Io } from '../terminal/io.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';

export interface CommandEndOptions {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** Ends the command this long after its start, ms. */
  readonly timeout: number | undefined;
}

/** Says when a command is to end: on a signal, without a reader of stdout, by its timeout, or when it says so. */
export class CommandEnd implements Disposable {
  readonly #ending = new AbortController();
  readonly #following: Disposable[];

  constructor({ io, signal, startedAt, timeout }: CommandEndOptions) {
    this.#following = [signal, io.stdout.closed].map((each) => onAbort(each, () => this.end(each.reason)));
    if (timeout === undefined) return;
    const left = timeout - (systemClock.monotonic() - startedAt);
    this.#following.push(systemClock.after(left, () => this.end(new StreamEnd('timeout'))));
  }

  /** Aborts with the reason. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  [Symbol.dispose](): void {
    for (const each of this.#following) each[Symbol.dispose]();
  }
}
