/** The signals that end a command: Ctrl-C, a polite kill, and the terminal's closing. */
type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** 128 and the signal's number, as shells report it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Why a command was told to end from outside. */
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

/** Ctrl-C in a terminal reaches us and whoever started us, who may pass it on: the echo is no second one. No hand is that quick. */
const ECHO_MS = 60;

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP (the terminal went) into an abort with {@link Interrupted} as its reason; the second calls `atOnce` and ends the process.
 * Disposing gives the signals back.
 */
export function abortOnSignals(controller: AbortController, atOnce: () => void): Disposable {
  let firstAt = 0;
  const heard = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal as EndingSignal);
    if (firstAt === 0) {
      firstAt = performance.now();
      controller.abort(interrupted);
    } else if (performance.now() - firstAt > ECHO_MS) {
      atOnce();
      process.exit(interrupted.exitCode);
    }
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
  process.on('SIGHUP', heard);
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', heard);
      process.off('SIGTERM', heard);
      process.off('SIGHUP', heard);
    },
  };
}
