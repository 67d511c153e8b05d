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
  /** The executable: a path, or a name looked up in PATH. */
  command: string;
  /** Its arguments; a function may make them from the request. */
  args?: readonly string[] | ((request: HookRequest) => readonly string[]) | undefined;
  cwd?: string | undefined;
  /** For messages. Default: the command's. */
  name?: string | undefined;
  /** The program's own environment, of which hooks get an allow-list. */
  env: Environment;
  /** Also pass what leads to a cluster's credentials. Default false. */
  passCredentials?: boolean | undefined;
  /** Such as a KUBECONFIG for the cluster the program works on; only with `passCredentials`. */
  credentials?: Environment | undefined;
  /** Between SIGTERM and SIGKILL, ms. Default 5,000. */
  graceMs?: number | undefined;
  clock?: Clock | undefined;
}

/** What the exit codes of a hook mean; every other one, and a death by signal, means "try again". Source: sysexits.h for the numbers. */
const HOOK_EXIT = { ok: 0, badConfiguration: 64, permanent: 65, retry: 75 } as const;

/**
 * A hook that is an executable: one JSON request on stdin, the reply as the last JSON line on stdout, meaning by exit code.
 *
 * Each run is a process group of its own. When a run's signal aborts the group gets SIGTERM, and SIGKILL after the grace, and the run rejects
 * when all of it is gone. What it writes to stderr is logged line by line. The environment is an allow-list plus INFORMER_KEY,
 * INFORMER_NAMESPACE, INFORMER_NAME, INFORMER_GVR, INFORMER_ATTEMPT and INFORMER_DELETED.
 */
export function createExecHook(options: ExecHookOptions): Hook {
  const { command, args = [], cwd, graceMs = 5_000, clock = systemClock, passCredentials = false, env: from, credentials } = options;
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

/** Parks the key of an object that is nested too deep to be written as JSON: no later run can succeed. */
function requestText(request: HookRequest): string {
  try {
    return jsonText(request);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TerminalError(new InformerError('hook', `the object cannot be handed to the hook: ${TOO_DEEP}`, { cause }));
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
  ENOENT: 'check the path, and the interpreter its first line names',
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
 * The reply in what a hook printed: all of it when that is one JSON object, else its last line when that is one; anything else is not for us.
 * Throws `hook` when the end looks like a reply but cannot be read, so that a reply cut short or spread over lines is not lost in silence.
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

/** The lines of what a hook printed that are not its reply. */
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
