import { saysAborted } from '../../kit/abort.ts';

/** The work of a leader, which was started. */
export interface LeaderWork {
  /** Resolves when it has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Resolves with its error if it fails. */
  readonly failed: Promise<unknown>;
  /** Whether it has ended without an error, so that nothing of it runs on. */
  hasEnded(): boolean;
  /** Its error, if it failed after its signal had aborted. */
  failure(): { readonly error: unknown } | undefined;
}

/** Starts the work of a leader. It has to end when the signal aborts. */
export function startWork(work: (signal: AbortSignal) => unknown, signal: AbortSignal): LeaderWork {
  const failed = Promise.withResolvers<unknown>();
  let isRunning = true;
  let failure: { readonly error: unknown } | undefined;
  const ended = Promise.resolve()
    .then(() => work(signal))
    .then(
      () => {},
      (error) => {
        failed.resolve(error);
        if (signal.aborted && !saysAborted(error, signal)) failure = { error };
      },
    )
    .then(() => {
      isRunning = false;
    });
  return { ended, failed: failed.promise, hasEnded: () => !isRunning && !failure, failure: () => failure };
}
