import { inWords, saysItsCause } from '../../client/http/connection-text.ts';
import { causesOf, isInformerError, messageOf, withoutCall } from '../../kit/error.ts';
import { isAboutSecret, withoutSecretValues } from '../../model/secret-error.ts';
import { StatusError } from '../../model/status.ts';
import { continued } from '../../output/escape.ts';
import { ExitCode, exitCodeOf, SeveralErrors } from './exit-codes.ts';
import type { Io } from './io.ts';
import { logJson } from './logging.ts';
import { optionsAsFlags } from './option-flags.ts';
import { Interrupted } from './signals.ts';

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
