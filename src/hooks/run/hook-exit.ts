import { StopError, TerminalError } from '../../controller/reconciler.ts';
import { InformerError } from '../../kit/error.ts';

/**
 * The exit codes of a hook. Every other code, and an end by a signal, means a retry. Source: sysexits.h for the
 * numbers.
 */
export const HOOK_EXIT = { ok: 0, badConfiguration: 64, permanent: 65, retry: 75 } as const;

/** How a process ended: with an exit code, or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A run of a hook that failed with an exit code or by a signal. */
class HookExit extends InformerError {
  override readonly name = 'HookExit';
  /** Undefined if a signal ended the process. */
  readonly exitCode: number | undefined;

  constructor(message: string, { code }: ProcessEnd) {
    super('hook', message);
    this.exitCode = code ?? undefined;
  }
}

/** The error that the end of a hook's process means. `lastLine` is its last line on stderr. */
export function exitError(name: string, end: ProcessEnd, lastLine: string, when = ''): InformerError {
  const how = end.code === null ? `was ended by ${end.signal}` : `exited with ${end.code}`;
  const exit = new HookExit(`hook ${name} ${how}${when}${lastLine === '' ? '' : `: ${lastLine}`}`, end);
  if (end.code === HOOK_EXIT.permanent) return new TerminalError(exit);
  if (end.code !== HOOK_EXIT.badConfiguration) return exit;
  const hint = 'exit code 64 means bad configuration; correct it and start again';
  return new StopError(exit.message, { cause: exit, hint });
}
