/** Why a command was told to end from outside. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal);
    this.signal = signal;
  }

  get exitCode(): 130 | 143 {
    return this.signal === 'SIGINT' ? 130 : 143;
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
    const interrupted = new Interrupted(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
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
