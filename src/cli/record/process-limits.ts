import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { builtin } from '../../kit/builtin.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { oneFile } from '../../kit/one-file.ts';

/** The limits of a process that reads a recording for another one. */
export interface ProcessLimits {
  /** `computing[0]` is 1 while it computes, and 0 while it waits for the reader of what it writes. */
  readonly computing: Int32Array;
  /** How long it may compute, ms. */
  readonly limitMs: number;
  /** How much memory its process may have, bytes. */
  readonly mostBytes: number;
  /** The process that waits for it. */
  readonly parent: number;
}

/** How long a statement of `--sql` may compute where --timeout gives no time, ms. */
export const SQL_MS = 30_000;
/** The most memory of a statement's process. */
export const SQL_BYTES = 1024 ** 3;

/** The file descriptor on which that process learns which limit was reached: `time` or `memory`. */
export const REASON = 3;

/** The variable of such a process: the id of the one that waits for it. */
const PARENT = 'INFORMER_READS_FOR';

/** Whether this process reads a recording for another one, and then whether that one is still there. */
export function readsForAnother(env: NodeJS.ProcessEnv): { readonly isWaited: boolean } | undefined {
  const parent = env[PARENT];
  return parent === undefined ? undefined : { isWaited: Number(parent) === process.ppid };
}

/** This program in another process, with the same command line. It learns that it reads for this one. */
export function ownProcess(env: NodeJS.ProcessEnv, stdio: StdioOptions): ChildProcess {
  const { execPath, execArgv, argv } = process;
  const line = oneFile?.executable ? argv.slice(2) : [...execArgv, ...argv.slice(1)];
  return builtin.childProcess().spawn(execPath, line, { env: { ...env, [PARENT]: String(process.pid) }, stdio });
}

/**
 * The code and the signal with which such a process ends. Rejects with `store` if it could not be started: a process for
 * which the system has no descriptors has no streams either. To be called before its streams are used.
 */
export async function exitOf(child: ChildProcess): Promise<readonly [number | null, string | null]> {
  try {
    return (await once(child, 'exit')) as [number | null, string | null];
  } catch (error) {
    throw new InformerError('store', `no process to read the recording could be started: ${messageOf(error)}`, {
      hint: 'EMFILE: this program has too many files open, ulimit -n says how many it may have; EAGAIN: too many processes',
      cause: error,
    });
  }
}

/** Ends this process at the limits, until disposed. One that has too much memory already does not begin its work. */
export function limited(limits: Omit<ProcessLimits, 'parent'>): Disposable {
  if (process.memoryUsage.rss() > limits.mostBytes) {
    writeSync(REASON, 'memory');
    process.kill(process.pid, 'SIGKILL');
  }
  const thread = new (builtin.threads().Worker)(
    `(${limitsProgram})(require('node:worker_threads').workerData, ${REASON})`,
    { eval: true, workerData: { ...limits, parent: process.ppid } },
  );
  return { [Symbol.dispose]: () => void thread.terminate() };
}

/**
 * The program of the thread beside such work: it uses nothing from outside of the function. SQLite cannot be
 * interrupted here, so it kills the whole process as soon as a limit is reached, or the process that waits has ended.
 */
export function limitsProgram({ computing, limitMs, mostBytes, parent }: ProcessLimits, reason: number): void {
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
