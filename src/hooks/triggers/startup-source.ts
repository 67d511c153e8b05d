import { isStop, isTerminal } from '../../controller/reconciler.ts';
import type { Source, SourceContext } from '../../controller/sources/source.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { RetryLimits } from './retry-limits.ts';

export interface StartupOptions {
  /** The name of the hook, in messages. */
  readonly hook: string;
  /** Resolves when the caches that the hook may read are synced. */
  readonly cachesSynced: (signal: AbortSignal) => Promise<void>;
  readonly run: (context: { attempt: number; signal: AbortSignal; logger: Logger }) => Promise<void>;
  readonly retries: Pick<RetryLimits, 'baseMs' | 'maxMs'>;
  readonly maxRetries: number | undefined;
  readonly notice: (text: string) => void;
}

/** A startup that takes longer is reported: no key runs meanwhile. */
const SLOW_MS = 10_000;

/**
 * A source that queues nothing: it runs a hook's startup when the caches are synced, and no key runs before that has
 * succeeded. A failure is retried with the delays of a key. One that no retry can repair, and the last of `maxRetries`,
 * end the command.
 */
export function createStartupSource(options: StartupOptions): Source {
  const { hook, cachesSynced, run, retries, maxRetries = Number.POSITIVE_INFINITY, notice } = options;
  let trouble: unknown;
  return {
    name: 'onStartup',
    trouble: () => trouble,
    async start(_, { signal, clock, logger }: SourceContext) {
      await cachesSynced(signal);
      using _slow = clock.after(SLOW_MS, () =>
        notice(`the startup of hook ${hook} has not ended after 10 s; no key runs before it succeeds`),
      );
      for (let attempt = 1; ; attempt++) {
        try {
          return await run({ attempt, signal, logger });
        } catch (error) {
          signal.throwIfAborted();
          trouble = error;
          if (isStop(error) || isTerminal(error) || attempt > maxRetries) throw failed(hook, error);
          const delayMs = Math.min(retries.maxMs, retries.baseMs * 2 ** (attempt - 1));
          notice(`the startup of hook ${hook} failed (attempt ${attempt}), and is retried: ${messageOf(error)}`);
          await clock.sleep(delayMs, { signal });
        }
      }
    },
  };
}

function failed(hook: string, cause: unknown): InformerError {
  const hint = cause instanceof InformerError ? cause.hint : undefined;
  const why = messageOf(isTerminal(cause) && cause instanceof Error ? (cause.cause ?? cause) : cause);
  return new InformerError('hook', `the startup of hook ${hook} failed: ${why}`, { cause, hint });
}
