import { AsyncLocalStorage } from 'node:async_hooks';
import { onAbort, type Scope, scope } from '../kit/abort.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, isInformerError } from '../kit/error.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { ShardSet } from '../model/shard-set.ts';
import type { Reconciler } from './reconciler.ts';
import { type CachedObject, isResync, type ResourceEvent, untyped } from './resource-event.ts';
import type { HeldShard } from './sharding/shard-options.ts';
import type { EventFeed, Source } from './sources/source.ts';

/** The part of a cache of the reconciled objects that a {@link ShardGate} reads. */
export interface GatedObjects {
  get(key: ObjectKey): ReadonlyObject | undefined;
  keys(): Iterable<ObjectKey>;
}

export interface ShardGateOptions {
  /** How the keys are divided. */
  readonly shards: Pick<ShardSet, 'indexOf'>;
  /** The cache of the reconciled objects. */
  readonly objects: () => GatedObjects;
  /** How long runs of a shard may take that is given back, ms. Then their signals abort. */
  readonly graceMs: number;
  /** Called with each key of a shard that is given back or lost: nothing of it may wait here. */
  readonly drop: (key: ObjectKey) => void;
  /** Called when the keys of a shard begin to wait, because its lease was not renewed in time, and when they run again. */
  readonly onWait?: ((index: number, isWaiting: boolean) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** A shard whose keys run here. */
interface OpenShard {
  readonly held: HeldShard;
  /** The number of runs under way. */
  runs: number;
  /** Whether no further run begins. */
  isClosing: boolean;
  /** Whether no run begins until its lease is renewed. */
  isWaiting: boolean;
  readonly idle: PromiseWithResolvers<void>;
  /** Deleted objects whose keys may still wait for a run. */
  readonly gone: Set<ObjectKey>;
}

/**
 * Lets the keys of some shards through to a controller, and no others. A key belongs to the shard of its object. It
 * runs while its shard is open here, its writes are sent only while the lease of that shard is this process's, and a
 * shard is closed when its last run has ended.
 *
 * A key without an object in the cache runs only if the object was deleted while its shard was open here: what another
 * object leads to may be the key of an object elsewhere.
 */
export class ShardGate {
  readonly #options: ShardGateOptions;
  readonly #clock: Clock;
  readonly #open = new Map<number, OpenShard>();
  readonly #gone = new Map<ObjectKey, number>();
  readonly #running = new AsyncLocalStorage<HeldShard>();
  /** The states with which a shard has opened. */
  readonly #begun = new WeakSet<object>();
  readonly #feeds = new Set<(index: number) => void>();

  constructor(options: ShardGateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether a run of a key may begin here. */
  isOpenFor(key: ObjectKey): boolean {
    return this.#shardOf(key) !== undefined;
  }

  /**
   * Throws `leadership` if the shard of the current run may be another process's. Outside of a run it does nothing. For
   * `fencedTransport`.
   */
  assertHeld(): void {
    this.#running.getStore()?.assertHeld();
  }

  /** How long the shard of the current run is this process's, ms; undefined outside of a run. */
  leaseOfRun(): (() => number) | undefined {
    const held = this.#running.getStore();
    return held && (() => held.heldForMs);
  }

  /** Events of the reconciled objects of open shards. When a shard opens, its objects come as those of an initial list. */
  feed<T>(events: EventFeed<T>): EventFeed<T> {
    return {
      trouble: () => events.trouble?.(),
      subscribe: (listener, skipped) => {
        const begin = (index: number) => {
          for (const key of this.#options.objects().keys()) {
            const object = this.#options.objects().get(key);
            if (!object || this.#options.shards.indexOf(object) !== index) continue;
            this.#begun.add(object);
            listener({ type: 'added', key, cause: 'initial', object: object as CachedObject<T> });
          }
        };
        this.#feeds.add(begin);
        const subscription = events.subscribe((event) => {
          // what a list has brought into the cache was passed on when the shard opened; its event may come later
          if (this.#hasBegunWith(event) || isUnchanged(event)) return;
          if (this.#takes(event)) listener(event);
          else skipped?.(event, OTHER_REPLICA);
        }, skipped);
        return {
          whenSynced: (signal) => subscription.whenSynced(signal),
          [Symbol.dispose]: () => {
            this.#feeds.delete(begin);
            subscription[Symbol.dispose]();
          },
        };
      },
    };
  }

  /** The keys of a source that are of open shards. */
  source(source: Source): Source {
    return {
      name: source.name,
      get reads() {
        return source.reads;
      },
      trouble: () => source.trouble?.(),
      nextAt: () => source.nextAt?.(),
      start: (emit, context) =>
        source.start((key, note, priority) => {
          if (note.event && isUnchanged(note.event)) return;
          if (this.isOpenFor(key)) emit(key, note, priority);
          else if (note.event) {
            const { event, cause: origin } = note;
            context.skipped({ origin, event, why: 'predicate', by: OTHER_REPLICA, leadsTo: () => [key] });
          }
        }, context),
    };
  }

  /**
   * The reconciler for keys of open shards. A run ends at once when the lease of its shard is lost. None begins while the
   * shard may be another process's: its key waits, because its first write would be refused.
   */
  reconciler(reconcile: Reconciler): Reconciler {
    return async (request, context) => {
      const shard = this.#shardOf(request.key);
      if (!shard) return undefined;
      const isWaiting = !shard.held.isHeld;
      if (isWaiting !== shard.isWaiting) this.#options.onWait?.(shard.held.index, isWaiting);
      shard.isWaiting = isWaiting;
      if (isWaiting) return { requeueAfterMs: RENEWED_MS, keepCauses: true, skipped: NOT_RENEWED };
      using run = scope(context.signal);
      using _given = onAbort(shard.held.signal, () => this.#endRun(shard, run));
      shard.runs++;
      try {
        const result = await this.#running.run(shard.held, () =>
          reconcile(request, { ...context, signal: run.signal }),
        );
        if (!this.#options.objects().get(request.key) && !result?.requeueAfterMs) this.#forget(request.key);
        return result;
      } finally {
        shard.runs--;
        if (shard.isClosing && shard.runs === 0) shard.idle.resolve();
      }
    };
  }

  /** Begins with the keys of a shard: those of all objects in the cache, and then those of events. */
  open(held: HeldShard): void {
    const idle = Promise.withResolvers<void>();
    this.#open.set(held.index, { held, runs: 0, isClosing: false, isWaiting: false, idle, gone: new Set() });
    for (const begin of this.#feeds) begin(held.index);
  }

  /** Ends with a shard. No run of it begins any more. Resolves when the last one has ended. */
  async close(index: number): Promise<void> {
    const shard = this.#open.get(index);
    if (!shard) return;
    shard.isClosing = true;
    const { objects, shards, drop } = this.#options;
    for (const key of objects().keys()) {
      const object = objects().get(key);
      if (object && shards.indexOf(object) === index) drop(key);
    }
    for (const key of shard.gone) {
      drop(key);
      this.#gone.delete(key);
    }
    if (shard.runs > 0) await shard.idle.promise;
    this.#open.delete(index);
  }

  #shardOf(key: ObjectKey): OpenShard | undefined {
    const object = this.#options.objects().get(key);
    const index = object ? this.#options.shards.indexOf(object) : this.#gone.get(key);
    const shard = index === undefined ? undefined : this.#open.get(index);
    return shard?.isClosing ? undefined : shard;
  }

  #hasBegunWith<T>({ type, cause, object }: ResourceEvent<T>): boolean {
    return type !== 'deleted' && cause !== 'resync' && this.#begun.has(object as object);
  }

  #takes<T>({ type, key, object }: ResourceEvent<T>): boolean {
    if (!object) return this.isOpenFor(key);
    const index = this.#options.shards.indexOf(object as unknown as ReadonlyObject);
    const shard = this.#open.get(index);
    if (!shard || shard.isClosing) return false;
    if (type !== 'deleted') this.#forget(key);
    else {
      this.#gone.set(key, index);
      shard.gone.add(key);
    }
    return true;
  }

  #forget(key: ObjectKey): void {
    const index = this.#gone.get(key);
    if (index === undefined) return;
    this.#gone.delete(key);
    this.#open.get(index)?.gone.delete(key);
  }

  /** At once if another replica may have the shard, else after the grace. */
  #endRun({ held }: OpenShard, run: Scope): void {
    const { reason } = held.signal;
    if (isInformerError(reason, 'leadership')) run.abort(reason);
    else {
      const { graceMs } = this.#options;
      const late = new InformerError('closed', `shard ${held.index} is given back, and the run took over ${graceMs}ms`);
      const timer = this.#clock.after(graceMs, () => run.abort(late));
      onAbort(run.signal, () => timer.cancel()); // it aborts when the run ends, too
    }
  }
}

/** How often a key that waits for a lease is tried, ms. */
const RENEWED_MS = 1000;
const NOT_RENEWED = 'the lease of its shard was not renewed in time';

/** Whether a list only says again what is known. Every change of the shards may lead to one. */
const isUnchanged = <T>(event: ResourceEvent<T>): boolean => event.cause === 'relist' && isResync(untyped(event));

/** The rule by which an event leads to no key. */
const OTHER_REPLICA = 'the shards of this replica';
