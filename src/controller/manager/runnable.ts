import { InformerFactory } from '../../informer/informer-factory.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import { aborted } from '../../kit/abort.ts';
import { InformerError } from '../../kit/error.ts';

/** Anything that runs until a signal aborts: a controller, an informer, a server. */
export interface Runnable {
  /** The name in errors and logs. */
  readonly name?: string | undefined;
  /** Runs until the signal aborts, and resolves when it has ended. Rejects if it cannot go on. */
  run(signal: AbortSignal): Promise<unknown>;
}

/**
 * When a runnable is started and ended. They start in this order, and end in the order `always`, `leader`, `cache`,
 * `server`.
 *
 * - `server`: first and last, such as the server of probes and metrics.
 * - `cache`: before anything that reads it; what follows waits for its initial sync. All processes keep caches.
 * - `always`: in every process, also if it does not lead.
 * - `leader`: only in the process that leads.
 */
export type RunnableGroup = 'server' | 'cache' | 'always' | 'leader';

export const GROUPS: readonly RunnableGroup[] = ['server', 'cache', 'always', 'leader'];

/** Caches default to `cache`, everything else to `leader`. */
export function runGroupOf(runnable: object): RunnableGroup {
  return runnable instanceof InformerFactory || runnable instanceof SharedInformer ? 'cache' : 'leader';
}

/** A factory of informers as a runnable. */
export function asRunnable(runnable: Runnable | InformerFactory): Runnable {
  if (!(runnable instanceof InformerFactory)) return runnable;
  return {
    name: 'informers',
    async run(signal) {
      runnable.start(signal);
      await aborted(signal);
      await runnable.shutdown();
    },
  };
}

/** Throws `argument` for what cannot be run. */
export function checkRunnable(runnable: unknown): void {
  if (runnable instanceof InformerFactory || typeof (runnable as Partial<Runnable> | undefined)?.run === 'function')
    return;
  throw new InformerError('argument', 'manager.add takes an object with run(signal), or a factory of informers', {
    hint: 'for example a controller, or { name: "reports", run: async (signal) => { … } }',
  });
}
