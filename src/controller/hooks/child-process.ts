import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { onAbort } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';

export interface ChildProcessOptions {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  /** Written to its stdin, which is then closed. A process that does not read it is none the worse. */
  input: string;
  onStderrLine(line: string): void;
  /** Aborting it ends the whole process group: SIGTERM, and after `graceMs` SIGKILL. */
  signal: AbortSignal;
  graceMs: number;
  clock: Clock;
  /** Told the group's id once it runs, and undefined when it is over. */
  onGroup?: ((pid: number | undefined) => void) | undefined;
}

export interface ChildProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

/** More than this on stdout is no reply but a mistake. */
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
const LONGEST_LINE = 64 * 1024;
/** How long output may still be read after the process has ended, from pipes that a child it left behind holds open. */
const OUTPUT_DRAIN_MS = 200;

/**
 * Runs a command in a process group of its own and collects its stdout.
 *
 * Resolves when it has ended by itself. Rejects with the signal's reason once the whole group is gone, with the spawn error when it cannot be
 * started, with `hook` when it prints more than 16 MiB. Children it leaves behind are not waited for, and not killed unless the signal aborts.
 */
export async function runChildProcess(command: string, options: ChildProcessOptions): Promise<ChildProcessEnd> {
  options.signal.throwIfAborted();
  const child = spawn(command, options.args, {
    cwd: options.cwd,
    env: options.env,
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const exited = new Promise<void>((resolve, reject) => child.once('exit', () => resolve()).once('error', reject));
  if (child.pid === undefined) await exited; // it was not started: rejects, and some of its pipes may not even be there
  const output = collect(child, options.onStderrLine);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const group = new Group(child, options.clock, options.graceMs);
  child.stdin.on('error', () => {}); // EPIPE: it did not care for its input
  child.stdin.end(options.input);
  options.onGroup?.(child.pid);
  try {
    using _abort = onAbort(options.signal, () => group.end());
    output.onTooLong = () => group.end();
    await exited;
    await within(closed, group.isEnding ? options.graceMs : OUTPUT_DRAIN_MS, options.clock);
  } finally {
    group.finish();
    release(child);
    options.onGroup?.(undefined);
  }
  options.signal.throwIfAborted();
  if (output.isTooLong) throw new InformerError('hook', `it printed more than ${MOST_OUTPUT_BYTES} bytes`);
  return { code: child.exitCode, signal: child.signalCode, stdout: output.text() };
}

/** Sends a signal to a process group; one that is gone is no error. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // ESRCH: it has ended already
  }
}

/** The way down of a process group: asked first, made to after the grace. */
class Group {
  readonly #pid: number | undefined;
  readonly #clock: Clock;
  readonly #graceMs: number;
  #timer: Disposable | undefined;

  constructor(child: ChildProcessWithoutNullStreams, clock: Clock, graceMs: number) {
    this.#pid = child.pid;
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  get isEnding(): boolean {
    return this.#timer !== undefined;
  }

  end(): void {
    const pid = this.#pid;
    if (pid === undefined || this.#timer) return;
    killGroup(pid, 'SIGTERM');
    this.#timer = this.#clock.after(this.#graceMs, () => killGroup(pid, 'SIGKILL'));
  }

  /** The leader is gone; whoever of its group has not followed is made to. */
  finish(): void {
    if (!this.#timer) return;
    this.#timer[Symbol.dispose]();
    if (this.#pid !== undefined) killGroup(this.#pid, 'SIGKILL');
  }
}

interface Output {
  isTooLong: boolean;
  onTooLong: () => void;
  text(): string;
}

function collect(child: ChildProcessWithoutNullStreams, onStderrLine: (line: string) => void): Output {
  const chunks: Buffer[] = [];
  let size = 0;
  const output: Output = { isTooLong: false, onTooLong: () => {}, text: () => Buffer.concat(chunks).toString('utf8') };
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_OUTPUT_BYTES) {
      chunks.push(chunk);
      return;
    }
    output.isTooLong = true;
    output.onTooLong();
  });
  readLines(child.stderr, onStderrLine);
  return output;
}

/** Line by line; a last line without an end counts, an endless one is cut. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (rest.length > LONGEST_LINE) {
      onLine(rest);
      rest = '';
    }
  });
  stream.once('close', () => {
    if (rest !== '') onLine(rest);
  });
}

async function within(promise: Promise<void>, ms: number, clock: Clock): Promise<void> {
  let timer: Disposable | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.after(ms, resolve);
  });
  await Promise.race([promise, late]);
  timer?.[Symbol.dispose]();
}

/** Lets go of pipes that a child left behind still holds. */
function release(child: ChildProcessWithoutNullStreams): void {
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}
