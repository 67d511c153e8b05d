/** The limits of a statement. */
export interface StatementLimits {
  /** `computing[0]` is 1 while the statement computes, and 0 while it waits for the reader of its rows. */
  readonly computing: Int32Array;
  /** How long it may compute, ms. */
  readonly limitMs: number;
  /** How much memory its process may have, bytes. */
  readonly mostBytes: number;
  /** The process that waits for it. */
  readonly parent: number;
}

/** The file descriptor on which that process learns which limit was reached: `time` or `memory`. */
export const REASON = 3;

/**
 * The program of the thread beside a statement: it uses nothing from outside of the function. SQLite cannot be
 * interrupted here, so it kills the whole process as soon as a limit is reached, or the process that waits has ended.
 */
export function limitsProgram({ computing, limitMs, mostBytes, parent }: StatementLimits, reason: number): void {
  const EVERY_MS = 20;
  let last = process.hrtime.bigint();
  let computedMs = 0;
  const end = (why: string) => {
    try {
      process.getBuiltinModule('node:fs').writeSync(reason, why);
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  };
  setInterval(() => {
    const now = process.hrtime.bigint();
    if (Atomics.load(computing, 0) === 1) computedMs += Number(now - last) / 1e6;
    last = now;
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    else if (computedMs > limitMs) end('time');
    else if (process.memoryUsage.rss() > mostBytes) end('memory');
  }, EVERY_MS);
}
