import type { Clock, Timer } from '../../kit/clock.ts';
import type { Logger } from '../../kit/logger.ts';

/** The numbers in a warning: how many events have come so far, and when the last batch came, on the monotonic clock. */
export interface Awaited {
  readonly events: number;
  readonly lastReadAt: number;
}

/**
 * Logs a warning periodically while the end of a streaming list is awaited, until it is disposed. Does nothing else
 * about it.
 */
export function warnWhileWaiting(stream: Awaited, everyMs: number, clock: Clock, logger: Logger): Disposable {
  let timer: Timer;
  const arm = () => {
    timer = clock.after(everyMs, () => {
      logger.warn(textOf(stream, `${Math.round((clock.monotonic() - stream.lastReadAt) / 1000)}s`));
      arm();
    });
  };
  arm();
  return { [Symbol.dispose]: () => timer.cancel() };
}

function textOf({ events }: Awaited, silence: string): string {
  if (events === 0)
    return `awaiting required bookmark event for initial events stream, no events received for ${silence}`;
  return `hasn't received required bookmark event marking the end of initial events stream, received last event ${silence} ago`;
}
