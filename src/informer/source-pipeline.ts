import { abortable, onAbort, scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import { isConnectionError } from '../model/connection-error.ts';
import { keyOf, type ObjectKey } from '../model/key.ts';
import type { ListOptions } from '../model/list-options.ts';
import { hasMetadata, type ListPage, type ReadonlyObject } from '../model/object.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import { caughtUp } from './catch-up.ts';
import type { NamedMetrics } from './metrics.ts';
import { PresentState } from './present-state.ts';
import type { CachedChange, ShownSource } from './state-change.ts';
import { type ApplyContext, versionOf } from './store/apply-deltas.ts';
import type { ArrivingObjects } from './store/cache-store.ts';
import { type Delta, DeltaFifo, isObjectDelta, type ObjectDelta } from './store/delta-fifo.ts';
import {
  type Drift,
  driftError,
  findDrift,
  isInAgreement,
  markOf,
  unreadableError,
  unverifiedError,
  VERIFY_GRACE_MS,
  type VerifierOptions,
} from './verifier.ts';
import {
  type Continuity,
  type ContinuityEvent,
  ContinuityLedger,
  isOrdered,
  type OrderedContinuity,
  type StoreRefusal,
} from './watch/continuity-ledger.ts';
import { type CacheView, replacedHistory } from './watch/history-check.ts';
import { ListFetcher } from './watch/list-fetcher.ts';
import type { CallContext, ListerWatcher } from './watch/lister-watcher.ts';
import { Reflector } from './watch/reflector.ts';
import { DEFAULT_IDLE_MS, type ReflectorOptions } from './watch/reflector-options.ts';
import { isSelected } from './watch/selected.ts';
import { isResumable, type StoredState } from './watch/stored-state.ts';

/** The pause after the first comparison of a stored state that found a difference, ms. */
const FIRST_PAUSE_MS = 1000;

export interface PipelineOptions<T> {
  /** The namespace of the source; undefined when it has all of them. */
  namespace: string | undefined;
  /** The only name in the source; undefined when it has all names. */
  name?: string | undefined;
  /** Aborts when the source is to be left out: see `ScopedSource`. */
  leftOut?: AbortSignal | undefined;
  reflector: ReflectorOptions;
  clock: Clock;
  logger: Logger;
  /** The options that are final only when the informer starts. */
  atStart: () => {
    transform: ((object: T) => T) | undefined;
    /** Packs objects as they arrive. `prepare` then takes the place of the transform for what is queued. */
    arrivals?: ArrivingObjects<T> | undefined;
    resyncMs: number;
  };
  /** Applies deltas to the shared store and notifies the handlers, without a pause in between. */
  apply: (deltas: readonly Delta<T>[], context: ApplyContext) => Promise<void>;
  /** Calls the handlers with a continuity event, in order with their notifications. */
  onOrderedContinuity: (event: OrderedContinuity) => void;
  /** A read-only view of the cache. Packed objects are handles there, of which only the metadata is read. */
  cache: {
    keyOf(object: unknown): ObjectKey;
    get(key: ObjectKey): T | undefined;
    entries(): MapIterator<[ObjectKey, T]>;
  };
  /** The time between two verifications, ms. 0: never. */
  verifyEveryMs: number;
  /** A promise while a handler makes the informer wait; undefined otherwise. */
  room: () => Promise<unknown> | undefined;
  onSynced: () => void;
  metrics?: NamedMetrics | undefined;
  /** The state to begin with. The pipeline has synced when a list has shown that it has caught up, or was applied. */
  stored?: StoredState<T> | undefined;
  /** Called after each step that changed the cache or its version, before any other code runs. */
  onState?: ((change: CachedChange<T>) => void) | undefined;
}

/** Whether a key belongs to a source; undefined when all do. */
function keysOf(namespace: string | undefined, name: string | undefined): ((key: ObjectKey) => boolean) | undefined {
  if (name === undefined) return namespace ? (key) => key.startsWith(`${namespace}/`) : undefined;
  if (namespace) return (key) => key === `${namespace}/${name}`;
  return (key) => key === name || key.endsWith(`/${name}`);
}

/** The key of a listed object, and what it is compared by: see {@link markOf}. */
class Marked {
  readonly key: ObjectKey;
  readonly object: unknown;

  constructor(key: ObjectKey, object: unknown) {
    this.key = key;
    const { uid, resourceVersion } = hasMetadata(object) ? object.metadata : {};
    this.object = { metadata: { uid, resourceVersion } };
  }
}

/**
 * The path from one source into the cache of a shared informer: reflector, queue, and the loop that applies queued
 * deltas.
 */
export class SourcePipeline<T> implements ShownSource {
  readonly source: ListerWatcher<T>;
  readonly #options: PipelineOptions<T>;
  readonly #within: ((key: ObjectKey) => boolean) | undefined;
  readonly #ledger: ContinuityLedger;
  #fifo: DeltaFifo<T> | undefined;
  #reflector: Reflector<T> | undefined;
  #transform: ((object: T) => T) | undefined;
  /** The version of the last change that was applied. */
  #lastVersion: ResourceVersion | undefined;
  #shownVersion: ResourceVersion = '';
  /** Whether the changes that arrive belong to another history than the cache, until a whole state arrives. */
  #isForeign = false;
  /** Whether the cache has shown a state of this run. A stored one waits for a list that confirms it. */
  #isConfirmed: boolean;
  /** Whether the versions of events show how complete the cache is. */
  #isOrdered = false;
  #present: PresentState | undefined;

  constructor(source: ListerWatcher<T>, options: PipelineOptions<T>) {
    const { namespace, name, clock, logger } = options;
    this.source = source;
    this.#options = options;
    this.#within = keysOf(namespace, name);
    this.#isConfirmed = options.stored === undefined || !isResumable(options.stored);
    this.#ledger = new ContinuityLedger({ clock, logger, scope: namespace });
  }

  get hasSynced(): boolean {
    return this.#isConfirmed && this.#fifo?.hasSynced === true;
  }

  get isLeftOut(): boolean {
    return this.#options.leftOut?.aborted ?? false;
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  get shownVersion(): ResourceVersion {
    return this.#shownVersion;
  }

  /** Whether objects under a key come from this source. */
  has(key: ObjectKey): boolean {
    return !this.isLeftOut && (this.#within?.(key) ?? true);
  }

  selects(object: ReadonlyObject): boolean {
    const { selectors } = this.#options.reflector;
    return isSelected(object, selectors) && (this.source.keeps?.(object) ?? true);
  }

  get lastError(): unknown {
    return this.isLeftOut ? undefined : this.#reflector?.lastError;
  }

  get continuity(): Continuity {
    return this.#ledger;
  }

  /** The number of deltas that wait to be applied. */
  get depth(): number {
    return this.#fifo?.size ?? 0;
  }

  /** Whether no delta waits to be applied or is being applied. */
  get isIdle(): boolean {
    return this.#fifo?.isIdle ?? true;
  }

  observe(observer: (event: ContinuityEvent) => void): Disposable {
    return this.#ledger.observe(observer);
  }

  /** Runs until aborted or left out. Resolves when neither the reflector nor the applying loop runs any more. */
  async run(parent: AbortSignal): Promise<void> {
    const { atStart, onSynced, reflector, leftOut, stored } = this.#options;
    using running = scope(parent);
    const { signal } = running;
    using _leaving =
      leftOut &&
      onAbort(leftOut, () => {
        running.abort();
        onSynced(); // the initial sync may have waited for this pipeline alone
      });
    if (signal.aborted) return;
    const { transform, arrivals, resyncMs } = atStart();
    this.#transform = transform;
    const fifo = new DeltaFifo<T>({
      keyOf: (object) => this.#options.cache.keyOf(object),
      transform: arrivals ? (object) => arrivals.prepare(object) : transform,
      arrivals,
      onSynced: () => this.#isConfirmed && onSynced(),
      metrics: this.#options.metrics,
    });
    this.#fifo = fifo;
    this.#reflector = new Reflector<T>(this.source, fifo, {
      ...reflector,
      resyncMs,
      ledger: this.#ledger,
      stored,
      cache: this.#view(),
      scope: this.#options.namespace,
    });
    using _ordered = this.#ledger.observe((event) => {
      if (isOrdered(event)) fifo.continuity(event);
    });
    this.#present = this.#createPresent(signal);
    await Promise.all([
      this.#reflector.run(signal),
      this.#applyAll(fifo, signal),
      this.#confirmStored(signal),
      this.#verifyPeriodically(signal),
    ]);
  }

  /** The part of the cache that comes from this source. */
  #view(): CacheView {
    const { cache } = this.#options;
    return {
      get: (key) => cache.get(key),
      entries: () => this.#cached(),
      isBehind: () => !this.isIdle || this.#ledger.storeErrors > 0,
    };
  }

  #cached(): Iterable<readonly [ObjectKey, T]> {
    const within = this.#within;
    const entries = this.#options.cache.entries();
    return within ? entries.filter(([key]) => within(key)) : entries;
  }

  async #applyAll(fifo: DeltaFifo<T>, signal: AbortSignal): Promise<void> {
    const { room } = this.#options;
    while (!signal.aborted) {
      try {
        await fifo.popBatch((deltas, isInInitialList) => this.#taken(deltas, isInInitialList), { signal });
        const waiting = room();
        if (waiting) await abortable(waiting, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.refused(error, 'dropped', 1);
      }
    }
  }

  #taken(deltas: readonly Delta<T>[], isInInitialList: boolean): void | Promise<void> {
    const last = deltas.at(-1) as Delta<T>; // a delta that is not a change of one object comes alone
    if (last.type === 'Continuity') return this.#options.onOrderedContinuity(last.event);
    if (last.type === 'ReplacedAll') this.#isForeign = false;
    if (this.#isForeign) return;
    const context = { isInInitialList, within: this.#within, onContradiction: this.#onContradiction };
    return this.#options.apply(deltas, context).then(() => {
      if (this.#isForeign) return;
      if (isObjectDelta(last)) this.#objectsChanged(deltas as readonly ObjectDelta<T>[], versionOf(last.object));
      else this.#allChanged(last);
    });
  }

  #allChanged(delta: Exclude<Delta<T>, ObjectDelta<T> | { type: 'Continuity' }>): void {
    switch (delta.type) {
      case 'SyncAll':
        return;
      case 'ReplacedAll':
        this.#isOrdered = isResumable(delta);
        if (delta.isStored) return;
        this.#report(true, this.#cached(), delta.resourceVersion);
        if (!this.#isConfirmed) this.#confirm();
        return;
      case 'Merged':
        this.#report(true, this.#cached(), delta.resourceVersion);
        return;
      case 'Bookmark':
        this.#isOrdered = true;
        this.#report(false, [], delta.resourceVersion);
    }
  }

  #objectsChanged(deltas: readonly ObjectDelta<T>[], version: ResourceVersion | undefined): void {
    const { cache } = this.#options;
    this.#lastVersion = version;
    const keys = deltas.map(({ key }) => key).filter((key) => key !== undefined);
    const objects = keys.map((key) => [key, cache.get(key)] as const);
    this.#report(false, objects, (this.#isOrdered && version) || '');
  }

  #report(isWhole: boolean, objects: Iterable<readonly [ObjectKey, T | undefined]>, version: ResourceVersion): void {
    const resourceVersion = this.#ledger.storeErrors === 0 && version !== '0' ? version : '';
    if (isWhole || resourceVersion !== '') this.#shownVersion = resourceVersion;
    this.#options.onState?.({ isWhole, objects, resourceVersion });
    this.#present?.changed();
  }

  #confirm(): void {
    this.#isConfirmed = true;
    this.#options.onSynced();
  }

  /**
   * Compares a stored state with a list of the metadata, until it has caught up or was listed. A stored state that
   * differs from the server, or cannot be compared with it, is listed.
   */
  async #confirmStored(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const comparison = this.#metadataComparison();
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isConfirmed && !signal.aborted; pauseMs = Math.min(2 * pauseMs, 30_000)) {
      try {
        const drift = await caughtUp(comparison, signal);
        if (this.#isConfirmed) return;
        if (isInAgreement(drift)) {
          this.#ledger.confirmed();
          return this.#confirm();
        }
        this.#ledger.verified(false);
        this.#reflector?.distrust(driftError(this.#name, drift));
      } catch (error) {
        if (signal.aborted) return;
        if (!isConnectionError(error)) this.#reflector?.distrust(unverifiedError(this.#name, error));
      }
      await clock.sleep(pauseMs, { signal }).catch(() => {});
    }
  }

  #metadataComparison(): VerifierOptions<T> {
    return this.#comparison(async (signal) => (await this.#listMetadata(signal)).items);
  }

  /** See `SharedInformer.whenCurrent`. Rejects with `closed` before the initial sync. */
  async whenCurrent(signal: AbortSignal): Promise<void> {
    const present = this.hasSynced ? this.#present : undefined;
    if (!present)
      throw new InformerError('closed', `the cache of ${this.#name} has not synced: there is nothing to compare`);
    await present.when(signal);
  }

  #createPresent(running: AbortSignal): PresentState {
    const { logger, reflector } = this.#options;
    const { probe = this.source.list } = this.source;
    const newest = { ...reflector.selectors, limit: 1 };
    return new PresentState(
      {
        askVersion: async (signal) => (await probe.call(this.source, newest, { signal })).resourceVersion,
        shownVersion: () => this.#shownVersion,
        comparison: this.#metadataComparison(),
        size: () => Iterator.from(this.#cached()).reduce((size) => size + 1, 0),
        logger,
      },
      running,
    );
  }

  async #listMetadata(signal: AbortSignal): Promise<ListPage<readonly [ObjectKey, unknown]>> {
    const source = this.source;
    const list = (options: ListOptions, context: CallContext): Promise<ListPage<unknown>> =>
      source.probe ? source.probe(options, context) : source.list(options, context);
    const marked = (item: unknown) => new Marked(keyOf(item), item);
    const page = await this.#fetch<unknown>(list, signal, marked);
    const items = page.items.map((item) => (item instanceof Marked ? item : marked(item)));
    return { ...page, items: items.map(({ key, object }) => [key, object] as const) };
  }

  /**
   * A resumed stream that contradicts the cache belongs to another history: nothing of it is applied until a whole state
   * has arrived. An event that comes twice is no contradiction.
   */
  readonly #onContradiction = (what: string, resourceVersion: ResourceVersion | undefined): boolean => {
    const isResumed = this.#ledger.stretches.at(-1)?.by === 'resumed';
    if (!isResumed || this.#ledger.storeErrors > 0 || resourceVersion === this.#lastVersion) return false;
    this.#isForeign = true;
    this.#reflector?.distrust(replacedHistory(what), { always: true });
    return true;
  };

  /** Reports that the cache is wrong: see {@link Reflector.distrust}. */
  distrust(error: unknown): void {
    this.#reflector?.distrust(unreadableError(this.#name, error));
  }

  /** Records changes from this source that the cache did not store, or not under every index. */
  refused(error: unknown, next: StoreRefusal, changes: number): void {
    const text = next === 'dropped' ? 'a change could not be applied to the cache' : 'a change could not be indexed';
    this.#options.logger.error(text, { error, changes });
    this.#ledger.refused(error, next, changes);
  }

  /**
   * Compares the part of the cache that comes from this source with a fresh list. A lasting difference makes the
   * reflector fetch the state again. Rejects with `list` when the list fails, and with `closed` before the initial
   * sync.
   */
  async verify(signal: AbortSignal): Promise<Drift> {
    if (!this.hasSynced)
      throw new InformerError('closed', `the cache of ${this.#name} has not synced: there is nothing to verify`);
    const drift = await findDrift(
      this.#comparison((asking) => this.#listAsCached(asking)),
      signal,
    );
    this.#ledger.verified(isInAgreement(drift));
    if (!isInAgreement(drift)) this.#reflector?.distrust(driftError(this.#name, drift));
    return drift;
  }

  #comparison(list: VerifierOptions<T>['list']): VerifierOptions<T> {
    const { cache, clock } = this.#options;
    return {
      cached: () => this.#cached(),
      get: (key) => cache.get(key),
      list,
      isBehind: () => !this.isIdle,
      clock,
      graceMs: VERIFY_GRACE_MS,
    };
  }

  /** Resolves at the next sign of life of the server. Rejects with the signal's reason. */
  whenSign(signal: AbortSignal): Promise<void> {
    return this.#ledger.whenSign(signal);
  }

  /** Resolves when no change that has arrived waits to be applied. Rejects with the signal's reason. */
  async whenApplied(signal: AbortSignal): Promise<void> {
    while (!this.isIdle) {
      signal.throwIfAborted();
      await this.#options.clock.yield();
    }
  }

  /** See `SharedInformer.confirm`. */
  async confirm(signal: AbortSignal): Promise<{ resourceVersion: ResourceVersion; differing: number }> {
    if (!this.hasSynced)
      throw new InformerError('closed', `the cache of ${this.#name} has not synced: there is nothing to confirm`);
    const { items, resourceVersion } = await this.#listMetadata(signal);
    await this.whenApplied(signal); // what came before the list did
    const fresh = new Map(items.map(([key, item]) => [key, markOf(item)]));
    let differing = 0;
    for (const [key, object] of this.#cached()) {
      if (fresh.get(key) !== markOf(object)) differing++;
      fresh.delete(key);
    }
    differing += fresh.size;
    if (differing === 0) this.#ledger.verified(true);
    return { resourceVersion, differing };
  }

  get #name(): string {
    return this.#options.reflector.name ?? '<unspecified>';
  }

  /** The most recent state: of each object what it is compared by, so that a large list is never a list of objects. */
  async #listAsCached(signal: AbortSignal): Promise<(readonly [ObjectKey, unknown])[]> {
    const { cache } = this.#options;
    const transform = this.#transform;
    const marked = (item: T): Marked => {
      const object = transform ? transform(item) : item;
      return new Marked(cache.keyOf(object), object);
    };
    const source: ListerWatcher<T | Marked> = this.source;
    const aside = source.change ? { isAside: true } : {};
    const { items } = await this.#fetch(
      (options, context) => source.list(options, { ...context, ...aside }),
      signal,
      marked,
    );
    return items.map((item) => {
      const { key, object } = item instanceof Marked ? item : marked(item);
      return [key, object];
    });
  }

  /** Lists the most recent state, which is not the list of the informer. */
  #fetch<S>(
    list: ListerWatcher<S>['list'],
    signal: AbortSignal,
    arrived: (object: never) => unknown,
  ): Promise<ListPage<S>> {
    const { clock, logger, reflector } = this.#options;
    const { selectors, pageSize, idleMs = DEFAULT_IDLE_MS } = reflector;
    const common = { name: this.#name, selectors, pageSize, clock, logger, idleMs, arrived };
    return new ListFetcher<S>({ list }, { ...common, sync: 'pages', onProgress: undefined }).fetch('', signal);
  }

  async #verifyPeriodically(signal: AbortSignal): Promise<void> {
    const { verifyEveryMs, clock, logger } = this.#options;
    while (verifyEveryMs > 0 && !signal.aborted) {
      try {
        await clock.sleep(verifyEveryMs, { signal });
        if (this.hasSynced) await this.verify(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn('the cache could not be verified', { error });
      }
    }
  }
}
