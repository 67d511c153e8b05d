import { basename } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { splitKey } from '../../model/key.ts';
import type { Hook, HookRequest } from '../hook.ts';
import { runChildProcess } from './child-process.ts';
import type { Environment } from './hook-environment.ts';
import { hookEnvironment } from './hook-environment.ts';
import { exitError, HOOK_EXIT } from './hook-exit.ts';
import { OutputLimit } from './output-limit.ts';
import { killGroup } from './process-group.ts';
import type { GuardedProgram, ProgramGuard } from './program-guard.ts';
import { ReplyReader } from './reply-reader.ts';
import { requestText } from './request-text.ts';
import { cannotRun } from './start-error.ts';

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
  /** Returns variables for one run, in addition. */
  variables?: ((request: HookRequest) => Readonly<Record<string, string>>) | undefined;
  /** The time between SIGTERM and SIGKILL, ms. Default 5,000. */
  graceMs?: number | undefined;
  clock?: Clock | undefined;
  /** Ends the programs when this process cannot. */
  guard?: ProgramGuard | undefined;
}

const LOST_REPLY = 'a line that looks like a reply is not the last line on stdout, and is not used';

/**
 * A hook that is an executable. It reads one JSON request from stdin, and prints its reply as the last line of stdout,
 * as JSON. Its exit code says whether it succeeded, and whether a failure is retried.
 *
 * Each run has its own process group. If the signal of a run aborts, the group gets SIGTERM, and SIGKILL after the
 * grace, or SIGKILL at once if the reason is `leadership`; the run rejects when the whole group has ended. Lines on stderr, and those on stdout beside the reply, are
 * passed on as they come, at most 200 a second. The environment has the variables of an allow-list, and INFORMER_KEY,
 * INFORMER_NAMESPACE, INFORMER_NAME, INFORMER_GVR, INFORMER_ATTEMPT and INFORMER_DELETED; at startup also
 * INFORMER_EVENT.
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
    guard,
    variables,
  } = options;
  const env = hookEnvironment({ from, passCredentials, credentials });
  const groups = new Set<number>();
  let hasStarted = false;
  const { name = basename(command) } = options;
  return {
    name,
    async run(request, { signal, logger, onOutput }) {
      let group: number | undefined;
      let guarded: GuardedProgram | undefined;
      let lastLine = '';
      using stderr = new OutputLimit(
        (line) => (onOutput ? onOutput(line, 'stderr') : logger.info('hook stderr', { hook: name, line })),
        clock,
      );
      using stdout = new OutputLimit((line) => onOutput?.(line, 'stdout'), clock);
      const reading = new ReplyReader({
        onLine: (line) => stdout.line(line),
        onLostReply: (line) => logger.warn(LOST_REPLY, { hook: name, line: line.slice(0, 200) }),
      });
      const run = runChildProcess(command, {
        args: typeof args === 'function' ? args(request) : args,
        env: { ...env, ...variablesOf(request), ...variables?.(request) },
        cwd,
        input: `${requestText(request)}\n`,
        signal,
        graceMs,
        clock,
        onStdout: (chunk) => reading.push(chunk),
        onStderrLine: (line) => {
          lastLine = line.trim() === '' ? lastLine : line;
          stderr.line(line);
        },
        onGroup: (pid) => {
          if (group !== undefined) groups.delete(group);
          guarded?.[Symbol.dispose]();
          group = pid;
          if (pid === undefined) return;
          hasStarted = true;
          groups.add(pid);
          guarded = guard?.add(pid);
          guarded?.work();
        },
      });
      const end = await run
        .catch((error) => cannotRun(command, error, { signal, hasStarted }))
        .finally(() => reading.end());
      if (end.code !== HOOK_EXIT.ok) throw exitError(name, end, lastLine);
      return reading.reply();
    },
    kill() {
      for (const pid of groups) killGroup(pid, 'SIGKILL');
    },
  };
}

function variablesOf({ key, gvr, attempt, object, event }: HookRequest): Record<string, string> {
  const { namespace, name } = splitKey(key);
  return {
    INFORMER_KEY: key,
    INFORMER_NAMESPACE: namespace,
    INFORMER_NAME: name,
    INFORMER_GVR: gvr,
    INFORMER_ATTEMPT: String(attempt),
    INFORMER_DELETED: String(object === null && event === undefined),
    ...(event === undefined ? {} : { INFORMER_EVENT: event }),
  };
}
