import { exitNow } from './process-end.ts';

/** The signals that end a command: Ctrl-C, a polite kill, and the terminal's closing. */
type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** 128 and the signal's number, as shells report it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The reason of an abort by a signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: EndingSignal;

  constructor(signal: EndingSignal) {
    super(signal);
    this.signal = signal;
  }

  get exitCode(): 129 | 130 | 143 {
    return EXIT_CODES[this.signal];
  }
}

/**
 * Ctrl-C in a terminal reaches this process and its parent (npm, say), which may pass it on. A second signal within
 * this time is that copy: no person presses twice so fast.
 */
const ECHO_MS = 60;

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP (the terminal went) into an abort with {@link Interrupted} as its reason;
 * the second calls `atOnce` and ends the process. Disposing gives the signals back.
 */
export function abortOnSignals(controller: AbortController, atOnce: () => void): Disposable {
  let firstAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal as EndingSignal);
    if (firstAt === 0) {
      firstAt = performance.now();
      controller.abort(interrupted);
    } else if (performance.now() - firstAt > ECHO_MS) {
      atOnce();
      exitNow(interrupted.exitCode);
    }
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onSignal);
    },
  };
}
