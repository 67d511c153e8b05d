import { isUnavailable } from '../../client/discovery/rest-mapper.ts';
import { Backoff } from '../../kit/backoff.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';
import type { Session } from '../session/session.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { remindAt } from './reminder-times.ts';

const POLL = { initialMs: 1000, factor: 2, jitter: 0.2, capMs: 30_000 };

/**
 * Asks for the types of a command that goes on until it is ended. A server that fails (5xx) or is busy (429), as an API
 * server is while it starts, is asked again with back-off; each new error is reported at once, and an old one now and
 * then. Rejects with any other error at once, with `sync` when --timeout ends the wait, else with the signal's reason.
 */
export async function whenAvailable<R>({ clock, signal, client, notice }: Session, ask: () => Promise<R>): Promise<R> {
  const pauses = new Backoff(POLL);
  const startedAt = clock.monotonic();
  let reported: string | undefined;
  for (let reminders = 0; ; ) {
    let message: string;
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isUnavailable(error)) throw error;
      message = errorTexts(error).message;
      const elapsedMs = clock.monotonic() - startedAt;
      const isDue = elapsedMs >= remindAt(reminders);
      const cause = statusOf(error)?.message ?? message; // the same where it fails in part
      if (isDue) notice(`no answer after ${humanDuration(elapsedMs)}: ${message}; trying again`);
      else if (cause !== reported) notice(`${message}; trying again`);
      if (isDue) reminders++;
      reported = cause;
    }
    await clock.sleep(pauses.next(clock.monotonic()), { signal }).catch((reason) => outOfTime(reason, message));
    await client.discovery.invalidate().catch(() => {});
  }
}

function outOfTime(reason: unknown, message: string): never {
  if (!(reason instanceof StreamEnd)) throw reason;
  throw new InformerError('sync', `${message}, until --timeout`, {
    cause: reason,
    hint: 'is the API server starting? a longer --timeout waits longer',
  });
}
