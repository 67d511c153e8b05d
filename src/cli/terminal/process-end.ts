import { messageOf } from '../../kit/error.ts';
import { ExitCode, isReaderGone } from './exit-codes.ts';
import type { Io } from './io.ts';

const { exit } = process;

/**
 * Ends the process at once, also where `process.exit` is kept from the module of a hook. Without a code,
 * `process.exitCode` counts: Node takes an argument that is undefined as 0.
 */
export const exitNow = (code?: number): never => (code === undefined ? exit.call(process) : exit.call(process, code));

/**
 * Ends the process gracefully: sets the exit code and releases the streams, so that a slow reader still gets every byte
 * (`process.exit` would cut a pipe off). Resolves when stdout has taken all, or its reader is gone. Output that could
 * not be written is an error.
 */
export async function finish(io: Io, code: ExitCode): Promise<void> {
  process.exitCode = code;
  await io.stdout.drained();
  const { aborted, reason } = io.stdout.closed;
  if (aborted && !isReaderGone(reason)) {
    process.exitCode = ExitCode.failed;
    io.stderr.write(`error: cannot write to stdout: ${messageOf(reason)}\n`);
  }
  await io.stderr.drained();
  setTimeout(() => exitNow(), LINGER_MS).unref();
}

/**
 * All is written and let go of; what a user's hook left open (a timer, a pool of connections) keeps the process no
 * longer than this.
 */
const LINGER_MS = 500;
