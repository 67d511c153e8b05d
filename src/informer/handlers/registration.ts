import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { DeepReadonly } from '../../model/object.ts';
import type { Listener, QueuePolicy } from './listener.ts';
import type { InformerHandler } from './notification.ts';
import type { Processor } from './processor.ts';

/** Options of `SharedInformer.addHandler`. */
export interface HandlerOptions<T> {
  /**
   * The resync period of this handler, ms. Default: the informer's. 0: never. Values under 1 s count as 1 s. On a
   * running informer never shorter than its check interval.
   */
  resyncMs?: number | undefined;
  /** Limits the handler to objects that the filter accepts. See `createFilteringHandler`. */
  filter?: ((object: DeepReadonly<T>) => boolean) | undefined;
  /** The queue policy when the handler is slower than the stream. Default `buffer`. */
  policy?: QueuePolicy | undefined;
  /** With `block`: the backlog at which the informer stops reading. Default 1000. */
  blockAt?: number | undefined;
}

/** The registration of a handler with an informer. */
export interface Registration extends Disposable, AsyncDisposable {
  /** Whether this handler has handled every object of the initial list (its promises have settled). */
  readonly hasSynced: boolean;
  /**
   * Resolves when the handler has synced. Rejects when the handler is removed or the informer stops before that, or
   * with the signal's reason.
   */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /**
   * Ends delivery at once. Queued notifications are dropped; a callback that is running finishes, and the promise resolves
   * when it has: then no code of the handler runs any more. Called by a callback of the handler itself, it resolves at
   * once, unless that callback awaited something before: do not await it there. A second call ends nothing more.
   */
  remove(): Promise<void>;
  /** The number of queued notifications. */
  readonly depth: number;
  /**
   * The place of the next queued notification, as in its details; 0 for one without a place (synced, continuity),
   * undefined when none is queued. A notification that is being handled is not queued any more.
   */
  readonly nextSequence: number | undefined;
  /** The number of callbacks that threw or rejected. */
  readonly errors: number;
  /** The number of notifications that `coalesce` merged away. */
  readonly lost: number;
  /** The effective resync period, ms; 0: never. */
  readonly resyncMs: number;
}

const KNOWN_HANDLER_OPTIONS = {
  resyncMs: 'number',
  filter: 'function',
  policy: ['buffer', 'block', 'coalesce'],
  blockAt: 'number',
} satisfies KnownOptionsOf<HandlerOptions<unknown>>;

/** The registration of a listener with a processor. */
export class HandlerRegistration<C> implements Registration {
  readonly owner: Processor<C>;
  readonly #listener: Listener<C>;

  constructor(listener: Listener<C>, owner: Processor<C>) {
    this.#listener = listener;
    this.owner = owner;
  }

  get hasSynced(): boolean {
    return this.#listener.hasSynced;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#listener.whenSynced(signal);
  }

  get depth(): number {
    return this.#listener.depth;
  }

  get nextSequence(): number | undefined {
    return this.#listener.nextSequence;
  }

  get errors(): number {
    return this.#listener.errors;
  }

  get lost(): number {
    return this.#listener.lost;
  }

  get resyncMs(): number {
    return this.#listener.resyncMs;
  }

  remove(): Promise<void> {
    this.owner.remove(this.#listener);
    return this.#listener.isCalling ? Promise.resolve() : this.#listener.idle();
  }

  [Symbol.dispose](): void {
    void this.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

const CALLBACKS = ['added', 'updated', 'deleted', 'synced', 'continuity'] as const;

/**
 * Throws for a handler whose callbacks are all unknown. A handler without any property is allowed, and does nothing.
 */
export function checkHandler(handler: InformerHandler<never>): void {
  const isHandler = typeof handler === 'object' && handler !== null;
  const names = isHandler ? Object.keys(handler) : [];
  if (isHandler && (names.length === 0 || CALLBACKS.some((name) => typeof handler[name] === 'function'))) return;
  throw new InformerError(
    'argument',
    `a handler is an object with at least one of the functions ${CALLBACKS.join(', ')}`,
    {
      hint: 'for example informer.addHandler({ added(object) { … } })',
    },
  );
}

/** Throws `argument` for an option that no handler has. */
export function checkHandlerOptions(options: HandlerOptions<never>): void {
  checkOptions('addHandler', options, KNOWN_HANDLER_OPTIONS);
}
