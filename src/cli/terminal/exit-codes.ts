import { inWords, saysItsCause } from '../../client/http/connection-text.ts';
import { causesOf, InformerError, isInformerError, messageOf, withoutCall } from '../../kit/error.ts';
import { isAboutSecret, withoutSecretValues } from '../../model/secret-error.ts';
import { StatusError, statusOf } from '../../model/status.ts';
import { continued } from '../../output/escape.ts';
import { exitNow } from './exit-now.ts';
import type { Io } from './io.ts';
import { logJson } from './logging.ts';
import { optionsAsFlags } from './option-flags.ts';
import { Interrupted } from './signals.ts';

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

/**
 * Writes on stderr what went wrong, and gives the exit code it stands for. A signal, and a reader that has left, need
 * no words.
 */
export function reportError(error: unknown, { stdout, stderr }: Io): ExitCode {
  if (error instanceof Interrupted) return error.exitCode;
  if (stdout.closed.aborted) return ExitCode.ok; // why is reported when the process ends
  if (stderr.isJson) describeErrorAsJson(error, stderr);
  else stderr.write(describeError(error));
  return exitCodeOf(error);
}

/** A type that was found in a kept discovery and is not served any more; the discovery has been forgotten. */
export class StaleType extends InformerError {
  override readonly name = 'StaleType';
}

export function hasStaleType(error: unknown): boolean {
  return error instanceof StaleType || (error instanceof SeveralErrors && error.errors.some(hasStaleType));
}

/**
 * Runs a command, once more where a type that it found in a kept discovery is gone: the type may be served in another
 * version by now. When the type is not found at all, the first error is thrown.
 */
export async function withFreshTypes<R>(run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (stale) {
    if (!hasStaleType(stale)) throw stale;
    try {
      return await run();
    } catch (error) {
      throw isInformerError(error, 'discovery') ? stale : error;
    }
  }
}

/** A request that took longer than `--request-timeout`, as an error of time that ran out. */
export function requestTimeoutError(error: unknown): InformerError {
  return new InformerError('sync', messageOf(error), { cause: error, hint: 'a longer --request-timeout waits longer' });
}

/** An error as the user reads it: `error: …` with what caused it, then the next step as a hint line. */
export function describeError(error: unknown): string {
  if (error instanceof SeveralErrors) return error.errors.map(describeError).join('');
  const { message, hint } = errorTexts(error);
  const lines = [`error: ${continued(message) || 'unknown'}`];
  if (hint) lines.push(`hint: ${continued(hint)}`);
  return `${lines.join('\n')}\n`;
}

/** The error with its cause, and the next step, without any layout. */
export function errorTexts(error: unknown): { message: string; hint: string | undefined } {
  const parts: string[] = [];
  let hint: string | undefined;
  for (const cause of causesOf(error)) {
    if (cause instanceof SyntaxError) continue; // it quotes what it could not read, which may hold anything
    const text =
      cause instanceof StatusError
        ? statusText(isAboutSecret(cause) ? withoutSecretValues(cause) : cause)
        : inWords(messageOf(cause));
    const isKnown = (part: string) => isSame(part, withoutCall(messageOf(cause))) || isSame(part, text);
    if (text && !parts.some(isKnown)) parts.push(text);
    if (isInformerError(cause)) hint ??= cause.hint;
    if (saysItsCause(cause)) break;
  }
  return { message: parts.join(': '), hint: hint && optionsAsFlags(hint) };
}

function describeErrorAsJson(error: unknown, stderr: Io['stderr']): void {
  if (error instanceof SeveralErrors) {
    for (const each of error.errors) describeErrorAsJson(each, stderr);
    return;
  }
  const { message, hint } = errorTexts(error);
  logJson({ stderr }, 'error', continued(message) || 'unknown', hint ? { hint: continued(hint) } : {});
}

/** True if one text contains the other. */
const isSame = (a: string, b: string) => a.includes(b) || b.includes(a);

function statusText(error: StatusError): string {
  const reason = error.reason === '' ? '' : ` (${error.reason})`;
  return error.message.endsWith(reason) ? error.message : `${error.message}${reason}`;
}

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

/** Whether the reader of stdout has left (EPIPE, as after `| head`), which ends a command quietly. */
export function isReaderGone(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException | undefined)?.code === 'EPIPE' && !isInformerError(reason);
}
