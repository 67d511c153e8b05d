import { onAbort } from '../../kit/abort.ts';
import { builtin } from '../../kit/builtin.ts';
import { InformerError } from '../../kit/error.ts';
import { killChild } from '../../kit/kill-child.ts';

/** The most memory of the program jq, bytes, where the system limits it: a shell's `ulimit` does on Linux. */
export const MOST_MEMORY = 4 * 1024 * 1024 * 1024;

/** The shell adds variables of its own, which are removed again. */
const LIMITED = `ulimit -v ${MOST_MEMORY / 1024} 2>/dev/null; exec /usr/bin/env -i "$0" "$@"`;

/** The most output of one call, bytes. */
const MOST_OUTPUT = 512 * 1024 * 1024;

/** How a program ended, and what it printed. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. Rejects if it cannot be started or prints too much, and with the signal's reason, which kills it. */
export function runProgram(
  file: string,
  args: readonly string[],
  { input, env, signal }: { input: string; env: NodeJS.ProcessEnv; signal: AbortSignal | undefined },
): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? builtin.childProcess().spawn(file, args, { env, windowsHide: true })
    : builtin.childProcess().spawn('/bin/sh', ['-c', LIMITED, file, ...args], { env });
  const kill = () => killChild(child, 'SIGKILL');
  process.once('exit', kill); // also when the process exits without an abort
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const ending = signal && onAbort(signal, () => reject(signal.reason));
  const out: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_OUTPUT)
      reject(new InformerError('argument', `it prints more than ${MOST_OUTPUT} bytes, the limit of one call`));
    else out.push(chunk);
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MOST_WORDS) stderr += text;
  });
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(input);
  child.on('error', reject);
  child.on('close', (code, killedBy) =>
    resolve({ code, killedBy, stdout: Buffer.concat(out).toString('utf8'), stderr }),
  );
  return promise.finally(() => {
    ending?.[Symbol.dispose]();
    process.off('exit', kill);
    kill();
  });
}

/** How much a program may say on stderr, in characters; the rest is left out. */
const MOST_WORDS = 1024 * 1024;
