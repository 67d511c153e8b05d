import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { Watchdog } from '../../kit/watchdog.ts';
import type { CallContext } from './lister-watcher.ts';

export interface PatienceOptions {
  /** The name of the call in the error message: `the list of v1/pods`. */
  what: string;
  signal: AbortSignal;
  clock: Clock;
  /** Silence after which the call is given up, ms. Infinity: never. */
  idleMs: number;
}

/**
 * Waits for a call that may take long, but must not be silent for long. The call reports through `alive` that data has
 * arrived.
 * Rejects with `transport` when nothing arrived for `idleMs`, and then aborts the call's own signal. Leaves no timer
 * and no listener.
 */
export async function withPatience<T>(
  call: (context: CallContext) => Promise<T>,
  options: PatienceOptions,
): Promise<T> {
  const { what, signal, clock, idleMs } = options;
  using inner = scope(signal);
  using watchdog = new Watchdog({
    clock,
    limitMs: idleMs,
    onSilent: () =>
      inner.abort(new InformerError('transport', `${what} was silent for ${idleMs / 1000}s`, { cause: timedOut() })),
  });
  watchdog.watch();
  return await abortable(call({ signal: inner.signal, alive: (aheadMs) => watchdog.watch(aheadMs) }), inner.signal);
}

function timedOut(): Error {
  return Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' });
}
