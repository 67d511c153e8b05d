import { scope } from '../../kit/abort.ts';
import { type Clock, sleepOn } from '../../kit/clock.ts';

/** The pauses before the attempts, ms. A server that does not answer any of them does not allow lists. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000];

export interface HistoryRecheckOptions {
  readonly clock: Clock;
  /** Makes the check; resolves with whether the server answered. Rejects when the server's history is another one. */
  readonly check: (signal: AbortSignal) => Promise<boolean>;
  /** Called with the error of the check. */
  readonly onReplaced: (error: unknown) => void;
}

/**
 * Makes a check of the server's history again that got no answer when the stream was opened. Without it, another history
 * could stay unnoticed for as long as its events contradict nothing. Disposing ends it.
 */
export function recheckHistory({ clock, check, onReplaced }: HistoryRecheckOptions, signal: AbortSignal): Disposable {
  const checking = scope(signal);
  const attempt = async () => {
    for (const pauseMs of PAUSES_MS) {
      await sleepOn(clock, pauseMs, checking.signal);
      if (await check(checking.signal)) return;
    }
  };
  attempt().catch((error) => {
    if (!checking.signal.aborted) onReplaced(error);
  });
  return checking;
}
