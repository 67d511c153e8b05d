import { basename } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { TOO_DEEP } from '../../kit/depth.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { jsonText, parseJson } from '../../kit/exact-json.ts';
import { splitKey } from '../../model/key.ts';
import { StopError, TerminalError } from '../reconciler.ts';
import type { ChildProcessEnd } from './child-process.ts';
import { killGroup, runChildProcess } from './child-process.ts';
import type { Hook, HookRequest } from './hook.ts';
import type { Environment } from './hook-environment.ts';
import { hookEnvironment } from './hook-environment.ts';

export interface ExecHookOptions {
  /** The executable: a path, or a name that is searched in PATH. */
  command: string;
  /** Its arguments, or a function that returns them for a request. */
  args?: readonly string[] | ((request: HookRequest) => readonly string[]) | undefined;
  cwd?: string | undefined;
  /** The name in messages. Default: the base name of the command. */
  name?: string | undefined;
  /** The program's environment, from which hooks get the variables of an allow-list. */
  env: Environment;
  /** Whether hooks also get the variables that lead to a cluster's credentials. Default false. */
  passCredentials?: boolean | undefined;
  /** Variables that are set in addition with `passCredentials`, such as KUBECONFIG for the program's cluster. */
  credentials?: Environment | undefined;
  /** The time between SIGTERM and SIGKILL, ms. Default 5,000. */
  graceMs?: number | undefined;
  clock?: Clock | undefined;
}

/**
 * The exit codes of a hook. Every other code, and an end by a signal, means a retry. Source: sysexits.h for the
 * numbers.
 */
const HOOK_EXIT = { ok: 0, badConfiguration: 64, permanent: 65, retry: 75 } as const;

/**
 * A hook that is an executable. It reads one JSON request from stdin, and prints its reply as the last line of stdout,
 * as JSON. Its exit code says whether it succeeded, and whether a failure is retried.
 *
 * Each run has its own process group. If the signal of a run aborts, the group gets SIGTERM, and SIGKILL after the
 * grace; the run rejects when the whole group has ended. Lines on stderr are logged. The environment has the variables
 * of an allow-list, and INFORMER_KEY, INFORMER_NAMESPACE, INFORMER_NAME, INFORMER_GVR, INFORMER_ATTEMPT and
 * INFORMER_DELETED.
 */
export function createExecHook(options: ExecHookOptions): Hook {
  const {
    command,
    args = [],
    cwd,
    graceMs = 5_000,
    clock = systemClock,
    passCredentials = false,
    env: from,
    credentials,
  } = options;
  const env = hookEnvironment({ from, passCredentials, credentials });
  const groups = new Set<number>();
  const { name = basename(command) } = options;
  return {
    name,
    async run(request, { signal, logger, onOutput }) {
      let group: number | undefined;
      let lastLine = '';
      const end = await runChildProcess(command, {
        args: typeof args === 'function' ? args(request) : args,
        env: { ...env, ...variablesOf(request) },
        cwd,
        input: `${requestText(request)}\n`,
        signal,
        graceMs,
        clock,
        onStderrLine: (line) => {
          lastLine = line.trim() === '' ? lastLine : line;
          logger.info('hook stderr', { hook: name, line });
        },
        onGroup: (pid) => {
          if (group !== undefined) groups.delete(group);
          group = pid;
          if (pid !== undefined) groups.add(pid);
        },
      }).catch((error) => cannotRun(command, error, signal));
      if (onOutput) for (const line of linesBeside(end.stdout)) onOutput(line);
      return replyOf(name, end, lastLine);
    },
    kill() {
      for (const pid of groups) killGroup(pid, 'SIGKILL');
    },
  };
}

/** The request as JSON. Parks the key of an object that is nested too deep for that: no later run can succeed. */
function requestText(request: HookRequest): string {
  try {
    return jsonText(request);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TerminalError(
      new InformerError('hook', `the object cannot be passed to the hook: ${TOO_DEEP}`, { cause }),
    );
  }
}

function variablesOf({ key, gvr, attempt, object }: HookRequest): Record<string, string> {
  const { namespace, name } = splitKey(key);
  return {
    INFORMER_KEY: key,
    INFORMER_NAMESPACE: namespace,
    INFORMER_NAME: name,
    INFORMER_GVR: gvr,
    INFORMER_ATTEMPT: String(attempt),
    INFORMER_DELETED: String(object === null),
  };
}

const START_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'check the path, and the interpreter in its first line',
  EACCES: 'make it executable: chmod +x',
  ENOEXEC: 'begin the script with a line such as #!/bin/sh',
};

function cannotRun(command: string, error: unknown, signal: AbortSignal): never {
  if (signal.aborted && error === signal.reason) throw error;
  const code = (error as NodeJS.ErrnoException).code;
  const hint = code === undefined ? undefined : START_HINTS[code];
  if (hint) throw new StopError(`cannot run hook ${command}: ${messageOf(error)}`, { cause: error, hint });
  throw new InformerError('hook', `hook ${command}: ${messageOf(error)}`, { cause: error });
}

function replyOf(name: string, end: ChildProcessEnd, lastLine: string): unknown {
  if (end.code === HOOK_EXIT.ok) return readReply(end.stdout);
  const how = end.code === null ? `was ended by ${end.signal}` : `exited with ${end.code}`;
  const message = `hook ${name} ${how}${lastLine === '' ? '' : `: ${lastLine}`}`;
  if (end.code === HOOK_EXIT.badConfiguration)
    throw new StopError(message, { hint: 'exit code 64 means bad configuration; correct it and start again' });
  if (end.code === HOOK_EXIT.permanent) throw new TerminalError(new InformerError('hook', message));
  throw new InformerError('hook', message);
}

/**
 * Finds the reply in the output of a hook: the last line, or else the whole output, if it is a JSON object. Returns
 * undefined for any other output. Throws `hook` if the end looks like JSON but cannot be parsed, so that a reply that
 * is cut or spread over several lines is not silently lost.
 */
export function readReply(stdout: string): unknown {
  const text = stdout.trim();
  const lastLine = text.slice(text.lastIndexOf('\n') + 1).trim();
  for (const candidate of text === lastLine ? [text] : [lastLine, text]) {
    const parsed = parseObject(candidate);
    if (parsed !== undefined) return parsed;
  }
  if (lastLine.startsWith('{') || lastLine === '}') {
    throw new InformerError('hook', `the hook's reply is not one line of JSON: ${lastLine.slice(0, 200)}`, {
      hint: 'print it on the last line by itself, as jq -c does',
    });
  }
  return undefined;
}

/** The lines of a hook's output without its reply. */
function linesBeside(stdout: string): string[] {
  const text = stdout.trim();
  if (text === '' || parseObject(text) !== undefined) return [];
  const lines = stdout.trimEnd().split(/\r?\n/);
  return parseObject(lines.at(-1)?.trim() ?? '') === undefined ? lines : lines.slice(0, -1);
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return parseJson(text) as object;
  } catch {
    return undefined;
  }
}
