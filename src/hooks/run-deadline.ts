import type { Scope } from '../kit/abort.ts';
import { type Clock, systemClock, type Timer } from '../kit/clock.ts';
import { humanDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';

/** A run that has not ended after its time is reported after 1 s, then after 10 s, 20 s and so on up to 10 minutes. */
const FIRST_REMINDER_MS = 1_000;
const SECOND_REMINDER_MS = 10_000;
const LONGEST_REMINDER_MS = 600_000;

/** Aborts the run after its time. Then says now and then that it has not ended, because until then its key waits. */
export function deadline(
  run: Scope,
  {
    hook,
    timeoutMs,
    clock = systemClock,
  }: { hook: { name: string }; timeoutMs?: number | undefined; clock?: Clock | undefined },
  logger: Logger,
): Disposable | undefined {
  if (timeoutMs === undefined) return undefined;
  const late = new InformerError(
    'hook',
    `hook ${hook.name} took longer than ${timeoutMs % 1000 === 0 ? humanDuration(timeoutMs) : `${timeoutMs}ms`}`,
    {
      hint: 'allow more time with --hook-timeout',
    },
  );
  const remind = (waitMs: number, overMs: number): Timer =>
    clock.after(waitMs, () => {
      const overSeconds = Math.round((overMs + waitMs) / 1000);
      logger.warn('the run has not ended after its time; its key waits until it has', { hook: hook.name, overSeconds });
      timer = remind(Math.min(LONGEST_REMINDER_MS, Math.max(SECOND_REMINDER_MS, 2 * waitMs)), overMs + waitMs);
    });
  let timer = clock.after(timeoutMs, () => {
    run.abort(late);
    timer = remind(FIRST_REMINDER_MS, 0);
  });
  return { [Symbol.dispose]: () => timer.cancel() };
}
