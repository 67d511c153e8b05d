import { InformerError, messageOf } from '../../kit/error.ts';
import type { Waiter } from '../../stream/conditions/waiter.ts';
import type { StreamState } from '../terminal/exit-code-of-end.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { Interrupted } from '../terminal/signals.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';

/** The exit code of a stream that was without a part of what was asked for. */
export function partialCode(code: ExitCode, reason: unknown, isAbsent: boolean): ExitCode {
  if (code !== ExitCode.ok) return code;
  const isLate = isAbsent && reason instanceof StreamEnd && reason.kind === 'timeout';
  return isLate ? ExitCode.timeout : ExitCode.failed;
}

/** The same error for a stream that has shown something already, and cannot be begun again. */
export function plainly(reason: unknown): InformerError {
  const { hint } = reason as { hint?: string };
  return new InformerError('discovery', messageOf(reason), { hint });
}

/** True if the stream could have gone on: events that its reader has not taken yet are missing from it. */
export const isCutShort = (reason: unknown) =>
  reason instanceof Interrupted ||
  (reason instanceof StreamEnd && (reason.kind === 'timeout' || reason.kind === 'continuity'));

const by = (objects: string) => (objects === '' ? '' : ` by ${objects}`);

const isOutOfTime = (reason: unknown) =>
  reason instanceof StreamEnd && (reason.kind === 'timeout' || reason.kind === 'done');

export interface EndedStream extends Pick<StreamState, 'isCut'> {
  /** True if the command waited for something that has not happened. */
  readonly isMissing: boolean;
  readonly once: boolean;
  readonly limit: number | undefined;
  /** The number of events shown. */
  readonly total: number;
  /** The connections that were broken at the end, as text; '' when there are none. */
  readonly cut: string;
  /** Waits for the condition that should have come true. */
  readonly waiter: Waiter | undefined;
}

/**
 * The error lines for something that did not come, or should not have come, with the next step. Empty when neither is
 * so.
 */
export function errorLinesOf(reason: unknown, ended: EndedStream): string[] {
  const { once, limit, total, cut, waiter } = ended;
  if (reason instanceof StreamEnd && reason.kind === 'fail-if') return [`error: --fail-if is met${by(reason.message)}`];
  if (!ended.isMissing || !isOutOfTime(reason)) return ended.isCut ? [`error: continuity lost (--strict): ${cut}`] : [];
  const unseen = cut === '' ? '' : `; ${cut}`;
  if (waiter) return [`error: ${waiter.timeoutText(once)}${unseen}`];
  const text = `error: timed out with ${total} of the ${limit} events of --limit${unseen}`;
  return [text, 'hint: a longer --timeout waits longer'];
}
