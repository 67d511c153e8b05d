import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';

/** The exit statuses of a command. The table is part of the contract. */
export const ExitCode = {
  /** Success: what was asked for happened; a stream without an end of its own that was asked to end counts too. */
  ok: 0,
  /** The cluster or a hook failed for good. */
  failed: 1,
  /** Wrong usage: flag, expression, selector, unknown resource. */
  usage: 2,
  /** Time ran out before what was waited for. */
  timeout: 3,
  /** Continuity was lost under --strict, or an answer was not fresh enough. */
  continuity: 4,
  /** --fail-if was met. */
  failIf: 5,
  /** SIGHUP came first: the terminal was closed. */
  hungUp: 129,
  /** SIGINT came first. */
  interrupted: 130,
  /**
   * The reader of stdout left (EPIPE) before what was waited for. A shell reports a program that SIGPIPE ended in the
   * same way.
   */
  readerGone: 141,
  /** SIGTERM came first. */
  terminated: 143,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Several errors of one command, each to be described. The first decides the exit code. */
export class SeveralErrors extends Error {
  override readonly name = 'SeveralErrors';
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super(errors.map(messageOf).join('; '));
    this.errors = errors;
  }

  /** The errors as one error. A single error is returned as it is. */
  static of(errors: readonly unknown[]): unknown {
    const all = errors.flatMap((error) => (error instanceof SeveralErrors ? error.errors : [error]));
    return all.length > 1 ? new SeveralErrors(all) : all[0];
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof SeveralErrors) return exitCodeOf(error.errors[0]);
  if (isInformerError(error, 'argument')) return ExitCode.usage;
  // a type that is not there; else the server refused
  if (isInformerError(error, 'discovery') && !statusOf(error)) return ExitCode.usage;
  if (isInformerError(error, 'sync')) return ExitCode.timeout;
  if (isInformerError(error, 'stale')) return ExitCode.continuity;
  return ExitCode.failed;
}

/** A request that took longer than `--request-timeout`, as an error of time that ran out. */
export function requestTimeoutError(error: unknown): InformerError {
  return new InformerError('sync', messageOf(error), { cause: error, hint: 'a longer --request-timeout waits longer' });
}

/** Whether the reader of stdout has left (EPIPE, as after `| head`), which ends a command quietly. */
export function isReaderGone(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException | undefined)?.code === 'EPIPE' && !isInformerError(reason);
}
