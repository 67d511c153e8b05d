import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { Latch } from '../../kit/latch.ts';
import type { Random } from '../../kit/random.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import { discard } from './response.ts';
import type { Transport } from './transport.ts';

/** The mean pause between two requests, ms. Each pause is drawn from [0.5, 1.5] times this. */
const EVERY_MS = 800;
/** Time limit of a response, ms. */
const PATIENCE_MS = 2_000;
/** A server that answers 5xx for this long counts as back all the same, ms. */
const UNREADY_MS = 5_000;
/** kube-apiserver answers this path as soon as it can serve, without authorization and before its caches are warm. */
const PATH = '/readyz';

/** Settings of {@link ServerReturn}. */
export interface ServerReturnOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Detects when a server is reachable again, for all callers that wait for it. Sends one small request at a time, about
 * one a second, each over a new connection. Any response except a 5xx counts: a server that answers 403 or 404 is
 * there. Sends nothing while no caller waits.
 */
export class ServerReturn {
  readonly #options: ServerReturnOptions;
  #waiting = 0;
  #round: { readonly back: Latch; readonly abort: () => void } | undefined;

  constructor(options: ServerReturnOptions) {
    this.#options = options;
  }

  /** Resolves when the server is reachable. Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    this.#round ??= this.#begin();
    const { back, abort } = this.#round;
    this.#waiting++;
    try {
      await back.wait(signal);
    } finally {
      if (--this.#waiting === 0) abort();
    }
  }

  #begin(): { back: Latch; abort: () => void } {
    const asking = scope(new AbortController().signal);
    const back = new Latch();
    const end = () => {
      asking.abort();
      if (this.#round?.back === back) this.#round = undefined;
    };
    this.#untilBack(asking.signal)
      .then(() => back.open())
      .catch(() => {}) // the last caller has left
      .finally(end);
    return { back, abort: end };
  }

  async #untilBack(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    let unreadySince: number | undefined;
    for (;;) {
      await clock.sleep(EVERY_MS * (0.5 + random()), { signal });
      const answer = await this.#ask(signal);
      if (answer === 'ready') return;
      if (answer === 'away') unreadySince = undefined;
      else unreadySince ??= clock.monotonic();
      if (unreadySince !== undefined && clock.monotonic() - unreadySince >= UNREADY_MS) return;
    }
  }

  /** A request that fails for another reason than the connection (credentials, certificates) counts as an answer. */
  async #ask(signal: AbortSignal): Promise<'ready' | 'unready' | 'away'> {
    const { transport, clock } = this.#options;
    using asking = scope(signal);
    const timer = clock.after(PATIENCE_MS, () => asking.abort());
    try {
      const request = { method: 'GET', path: PATH, signal: asking.signal, fresh: true, once: true };
      const response = await abortable(transport.request(request), asking.signal);
      await abortable(discard(response.body), asking.signal);
      return response.status >= 500 ? 'unready' : 'ready';
    } catch (error) {
      signal.throwIfAborted();
      return asking.signal.aborted || isConnectionError(error) ? 'away' : 'ready';
    } finally {
      timer.cancel();
    }
  }
}
