import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { onAbort } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { ProcessEnd } from './hook-exit.ts';
import { LineReader } from './line-reader.ts';
import { ProcessGroup } from './process-group.ts';

export interface ChildProcessOptions {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** Written to stdin, which is then closed. The process may ignore stdin. */
  input: string;
  /** Called with the bytes of stdout as they come. */
  onStdout(chunk: Buffer): void;
  /** Called with each line of stderr. */
  onStderrLine(line: string): void;
  /**
   * If it aborts, the whole process group gets SIGTERM, and SIGKILL after `graceMs`. With `leadership` as its reason it
   * gets SIGKILL at once.
   */
  signal: AbortSignal;
  graceMs: number;
  clock: Clock;
  /** Called with the id of the process group when it runs, and with undefined when it has ended. */
  onGroup?: ((pid: number | undefined) => void) | undefined;
}

/** The most output on stdout. More than this is a mistake, not a reply. */
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
/** How long output is read after the process has ended, if a remaining child process keeps its pipes open. */
export const OUTPUT_DRAIN_MS = 200;

/**
 * Runs a command in a process group of its own.
 *
 * Resolves when the process has ended by itself. Rejects with the signal's reason when the whole group has ended, with
 * the spawn error if the process cannot be started, and with `hook` if it prints more than 16 MiB. Remaining child
 * processes are not waited for, and not killed unless the signal aborts.
 */
export async function runChildProcess(command: string, options: ChildProcessOptions): Promise<ProcessEnd> {
  options.signal.throwIfAborted();
  const child = spawn(command, options.args, {
    cwd: options.cwd,
    env: options.env,
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const exited = new Promise<void>((resolve, reject) => child.once('exit', () => resolve()).once('error', reject));
  if (child.pid === undefined) await exited; // it was not started: this rejects, and some pipes may be missing
  const output = pass(child, options);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const group = new ProcessGroup(child, options.clock, options.graceMs);
  child.stdin.on('error', () => {}); // EPIPE: the process did not read its input
  child.stdin.end(options.input);
  options.onGroup?.(child.pid);
  try {
    using _abort = onAbort(options.signal, () => group.endFor(options.signal.reason));
    output.onTooLong = () => group.end();
    await exited;
    await waitAtMost(closed, group.isEnding ? options.graceMs : OUTPUT_DRAIN_MS, options.clock);
  } finally {
    group.finish();
    output.end();
    release(child);
    options.onGroup?.(undefined);
  }
  options.signal.throwIfAborted();
  if (output.isTooLong) throw new InformerError('hook', 'it printed more than 16 MiB on stdout');
  return { code: child.exitCode, signal: child.signalCode };
}

interface Output {
  isTooLong: boolean;
  onTooLong: () => void;
  /** Passes on a last line of stderr without an end. */
  end: () => void;
}

function pass(child: ChildProcessWithoutNullStreams, { onStdout, onStderrLine }: ChildProcessOptions): Output {
  let size = 0;
  const output: Output = { isTooLong: false, onTooLong: () => {}, end: () => {} };
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_OUTPUT_BYTES) {
      onStdout(chunk);
      return;
    }
    output.isTooLong = true;
    output.onTooLong();
  });
  const lines = new LineReader({ onLine: onStderrLine });
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk));
  output.end = () => lines.end();
  return output;
}

/** Waits for the promise, at most for `ms`. */
export async function waitAtMost(promise: Promise<void>, ms: number, clock: Clock): Promise<void> {
  let timer: Disposable | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.after(ms, resolve);
  });
  await Promise.race([promise, late]);
  timer?.[Symbol.dispose]();
}

/** Closes the pipes, which remaining child processes may keep open. */
export function release(child: ChildProcessWithoutNullStreams): void {
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}
