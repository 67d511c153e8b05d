import { abortable } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { isInformerError } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import type { Delta } from './delta.ts';
import { DeltaFifo } from './delta-fifo.ts';
import { type Continuity, type ContinuityEvent, Ledger } from './ledger.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorOptions } from './reflector-options.ts';

export interface LaneOptions<T> {
  /** The namespace the source is limited to; undefined = it is not. */
  namespace: string | undefined;
  reflector: ReflectorOptions;
  clock: Clock;
  logger: Logger;
  /** What is settled only when the informer starts. */
  atStart: () => { transform: ((object: T) => T) | undefined; resyncMs: number };
  /** Brings deltas into the shared store and tells the handlers; `within` says which keys a whole list speaks for. */
  apply: (deltas: readonly Delta<T>[], isInInitialList: boolean, within: ((key: ObjectKey) => boolean) | undefined) => void;
  /** A promise while a handler holds everything up. */
  room: () => Promise<unknown> | undefined;
  onSynced: () => void;
}

/** One source's way into a shared informer's cache: reflector, queue, and the loop that applies what was queued. */
export class InformerLane<T> {
  readonly #source: ListerWatcher<T>;
  readonly #options: LaneOptions<T>;
  readonly #within: ((key: ObjectKey) => boolean) | undefined;
  readonly #ledger: Ledger;
  #fifo: DeltaFifo<T> | undefined;
  #reflector: Reflector<T> | undefined;

  constructor(source: ListerWatcher<T>, options: LaneOptions<T>) {
    const { namespace, clock, logger } = options;
    this.#source = source;
    this.#options = options;
    this.#within = namespace ? (key) => key.startsWith(`${namespace}/`) : undefined;
    this.#ledger = new Ledger({ clock, logger, scope: namespace });
  }

  get hasSynced(): boolean {
    return this.#fifo?.hasSynced ?? false;
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  get lastError(): unknown {
    return this.#reflector?.lastError;
  }

  get continuity(): Continuity {
    return this.#ledger;
  }

  /** Deltas waiting to be applied. */
  get depth(): number {
    return this.#fifo?.size ?? 0;
  }

  observe(observer: (event: ContinuityEvent) => void): Disposable {
    return this.#ledger.observe(observer);
  }

  /** Runs until aborted. Resolves when neither the reflector nor the applying loop runs any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { atStart, onSynced, reflector } = this.#options;
    const { transform, resyncMs } = atStart();
    const fifo = new DeltaFifo<T>({ transform, onSynced, metrics: reflector.metrics });
    this.#fifo = fifo;
    this.#reflector = new Reflector<T>(this.#source, fifo, {
      ...reflector,
      resyncMs,
      ledger: this.#ledger,
      scope: this.#options.namespace,
    });
    const applying = this.#applyAll(fifo, signal);
    try {
      await this.#reflector.run(signal);
    } finally {
      fifo.close();
      await applying;
    }
  }

  async #applyAll(fifo: DeltaFifo<T>, signal: AbortSignal): Promise<void> {
    const { apply, room, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await fifo.popBatch((deltas, isInInitialList) => apply(deltas, isInInitialList, this.#within), { signal });
        const waiting = room();
        if (waiting) await abortable(waiting, signal);
      } catch (error) {
        if (signal.aborted || isInformerError(error, 'closed')) return;
        logger.error('a change could not be applied to the cache', { error });
      }
    }
  }
}
