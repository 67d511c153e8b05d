import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { Latch } from '../../kit/latch.ts';
import type { RandomSource } from '../../kit/random.ts';
import { isConnectionError } from '../../model/connection-error.ts';
import { discard } from './response.ts';
import type { Transport } from './transport.ts';

/** The mean pause between two requests, ms. Each pause is drawn from [0.5, 1.5] times this. */
const EVERY_MS = 800;
/** The same in the first seconds. A server that was killed is often back by then, and each moment may cost a change. */
const AT_FIRST_EVERY_MS = 400;
const AT_FIRST_MS = 30_000;
/** Time limit of a response, ms. */
const PATIENCE_MS = 2_000;
/**
 * kube-apiserver answers this path to every user, and at once. Its checks of health take a second and more while it
 * starts.
 */
const PATH = '/version';

/** Settings of {@link ServerReturn}. */
export interface ServerReturnOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Detects when a server is reachable again, for all callers that wait for it. Sends one small request at a time, one or
 * two a second, each over a new connection. Any response counts: a kube-apiserver serves lists and watches for seconds
 * before it says that it is ready. A server that refuses the watch itself is waited for by {@link RefusedWatches}. Sends
 * nothing while no caller waits.
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
    const startedAt = clock.monotonic();
    do {
      const everyMs = clock.monotonic() - startedAt < AT_FIRST_MS ? AT_FIRST_EVERY_MS : EVERY_MS;
      await clock.sleep(everyMs * (0.5 + random()), { signal });
    } while (!(await this.#isThere(signal)));
  }

  /** A request that fails for another reason than the connection (credentials, certificates) counts as an answer. */
  async #isThere(signal: AbortSignal): Promise<boolean> {
    const { transport, clock } = this.#options;
    using asking = scope(signal);
    const timer = clock.after(PATIENCE_MS, () => asking.abort());
    try {
      const request = { method: 'GET', path: PATH, signal: asking.signal, fresh: true, once: true };
      const response = await abortable(transport.request(request), asking.signal);
      await abortable(discard(response.body), asking.signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      return !asking.signal.aborted && !isConnectionError(error);
    } finally {
      timer.cancel();
    }
  }
}
