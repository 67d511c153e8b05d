import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Watchdog } from '../../kit/watchdog.ts';
import type { CallContext } from './lister-watcher.ts';

export interface PatienceOptions {
  /** What is waited for, for the message: `the list of v1/pods`. */
  what: string;
  signal: AbortSignal;
  clock: Clock;
  /** Silence after which the call is given up, ms. Infinity = never. */
  idleMs: number;
}

/**
 * Waits for a call that may take long but not be silent for long: the call tells through `alive` that something came. Rejects with `transport`
 * when nothing did for `idleMs`; the call's own signal aborts then. Leaves no timer and no listener.
 */
export async function withPatience<T>(call: (context: CallContext) => Promise<T>, options: PatienceOptions): Promise<T> {
  const { what, signal, clock, idleMs } = options;
  using inner = scope(signal);
  using watchdog = new Watchdog({
    clock,
    limitMs: idleMs,
    onSilent: () => inner.abort(new InformerError('transport', `nothing came of ${what} for ${idleMs / 1000}s`, { cause: timedOut() })),
  });
  watchdog.watch();
  return await abortable(call({ signal: inner.signal, alive: (aheadMs) => watchdog.watch(aheadMs) }), inner.signal);
}

function timedOut(): Error {
  return Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' });
}
