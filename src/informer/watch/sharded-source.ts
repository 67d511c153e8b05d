import { scope } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { inheriting, withSurroundings } from '../../kit/surroundings.ts';
import { notify } from '../../kit/user-callback.ts';
import { partsOfKey } from '../../model/key.ts';
import type { ListOptions, WatchOptions } from '../../model/list-options.ts';
import { hasMetadata, type ListPage, type ReadonlyObject } from '../../model/object.ts';
import { servedTypesOf, withServedTypes } from '../../model/served-types.ts';
import type { Shard, ShardedBy, Sharding } from '../../model/shard.ts';
import { type ShardParts, ShardSet } from '../../model/shard-set.ts';
import { isInitialEventsEnd, type WatchEvent } from '../../model/watch-event.ts';
import {
  type CallContext,
  type CollectionChange,
  hasConsistentUnpagedList,
  type ListerWatcher,
} from './lister-watcher.ts';
import { changedCollection } from './moved-collection.ts';

/** Options of a {@link ShardedSource}. */
export interface ShardedSourceOptions {
  /** Called when it becomes known, and when it changes, as after an upgrade of the server. */
  readonly onSharding?: ((by: ShardedBy) => void) | undefined;
  /** Gets the errors that `onSharding` throws. Default: `consoleLogger`. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

const KNOWN_OPTIONS = {
  onSharding: 'function',
  logger: 'logger',
  clock: 'clock',
} satisfies KnownOptionsOf<ShardedSourceOptions>;

/** This number of objects, all in one half, shows that the server has divided them. */
const ENOUGH = 24;

/** How often a source without any part confirms that it has nothing, ms. */
const CONFIRM_MS = 30_000;

/**
 * Some parts of a collection. The server is asked for these parts only, and what it sends of other parts is left out: a
 * server without the feature ignores the selector and says nothing. So the answer is right with either server.
 *
 * When the parts of a {@link ShardSet} change, the open watch fails with {@link changedCollection}. The objects of new parts
 * are listed at the version that the watch had reached, those of other parts leave, and a watch of all of them goes on
 * from there. Where that cannot be, as after lost history, and where no part stays, what is now in the set is listed.
 * Without any part, one object is listed for its version, and the watch waits for a change of the set.
 */
export class ShardedSource<T> implements ListerWatcher<T> {
  readonly #source: ListerWatcher<T>;
  readonly #shards: ShardSet;
  readonly #onSharding: ShardedSourceOptions['onSharding'];
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly whenReachable: ListerWatcher<T>['whenReachable'];
  readonly whenTurn: ListerWatcher<T>['whenTurn'];
  readonly givesJson: boolean | undefined;
  /** The parts that the informer has listed, or is about to. */
  #listed: ShardParts;
  readonly #reached: (generation: number) => void;
  #by: ShardedBy | undefined;
  #ours = 0;
  #leftOut = 0;
  /** A list is being read, whose objects count for {@link #leftOut}. */
  #isListing = false;

  constructor(source: ListerWatcher<T>, shards: Shard | ShardSet, options: ShardedSourceOptions = {}) {
    checkOptions('ShardedSource', options, KNOWN_OPTIONS);
    options = inheriting(options, source);
    withSurroundings(this, options);
    withServedTypes(this, servedTypesOf(source));
    this.#source = source;
    this.#shards = shards instanceof ShardSet ? shards : fixed(shards);
    this.#listed = this.#shards.selection;
    this.#reached = this.#shards.reader();
    this.#onSharding = options.onSharding;
    this.#logger = options.logger ?? defaultLogger;
    this.#clock = options.clock ?? systemClock;
    this.whenReachable = source.whenReachable?.bind(source);
    this.whenTurn = source.whenTurn?.bind(source);
    this.givesJson = source.givesJson;
  }

  /** Who divides the collection; undefined until enough was seen. */
  get shardedBy(): ShardedBy | undefined {
    return this.#by;
  }

  readonly isPart = true;

  keeps(object: ReadonlyObject): boolean {
    return this.#shards.selection.has(object);
  }

  get sharding(): Sharding {
    const { of, by } = this.#shards;
    return { indexes: this.#listed.indexes, of, by, dividedBy: this.#by, leftOut: this.#leftOut };
  }

  async list(options: ListOptions, { isAside, ...context }: CallContext): Promise<ListPage<T>> {
    const isWhole = options.limit !== 1 && !isAside;
    if (isWhole && options.continue === undefined) this.#listed = this.#shards.selection;
    return await this.#listParts(this.#listed, isWhole, options, context);
  }

  /**
   * The difference between what was listed and what is in the set now. A part that stays shows the position of the watch.
   */
  change(): CollectionChange<T> | undefined {
    const [before, now] = [new Set(this.#listed.indexes), this.#shards.selection];
    const entered = now.indexes.filter((index) => !before.has(index));
    if (before.size === 0 || (entered.length > 0 && entered.length === now.indexes.length)) return undefined;
    const { of, by } = this.#shards;
    const { selector, indexes, has } = new ShardSet({ of, by, indexes: entered }).selection;
    const asked: ShardParts = { generation: now.generation, selector, indexes, has };
    return {
      list: entered.length === 0 ? undefined : (options, context) => this.#listParts(asked, true, options, context),
      keeps: (object) => !hasMetadata(object) || now.has(object),
      taken: () => {
        this.#listed = now;
      },
    };
  }

  async #listParts(
    asked: ShardParts,
    isWhole: boolean,
    options: ListOptions,
    context: CallContext,
  ): Promise<ListPage<T>> {
    if (asked.indexes.length === 0) return await this.#listNothing(options, context);
    this.#isListing = isWhole;
    if (this.#isListing && options.continue === undefined) this.#leftOut = 0;
    const page = await this.#source.list(withSelector(options, asked), this.#leavingOut(asked, context));
    if (asked.generation !== this.#shards.selection.generation) throw this.#changed();
    if (page.shardSelector !== undefined) this.#found('server');
    const items = page.items.filter((object) => this.#take(object, asked));
    this.#isListing = false;
    if (this.#by === undefined && asked.indexes.length < this.#shards.of && !page.continue) {
      if (asked.selector === undefined) this.#found('client');
      else await this.#ask(options, context);
    }
    return { ...page, items };
  }

  async watch(options: WatchOptions, context: CallContext): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    if (options.sendInitialEvents) this.#listed = this.#shards.selection;
    const asked = this.#listed;
    if (asked.generation !== this.#shards.selection.generation) throw this.#changed();
    if (!options.sendInitialEvents) this.#reached(asked.generation);
    if (asked.indexes.length === 0) return this.#nothing(options, context);
    const call = scope(context.signal);
    try {
      this.#isListing = options.sendInitialEvents === true;
      if (this.#isListing) this.#leftOut = 0;
      const within = this.#leavingOut(asked, { ...context, signal: call.signal });
      const batches = await this.#source.watch(withSelector(options, asked), within);
      return this.#events(batches, asked, call);
    } catch (error) {
      call[Symbol.dispose]();
      throw error;
    }
  }

  async probe(options: ListOptions, context: CallContext): Promise<ListPage<unknown>> {
    const asked = this.#listed;
    const { probe = this.#source.list } = this.#source;
    const { arrived } = context;
    const isOurs = (object: unknown) => !hasMetadata(object) || asked.has(object);
    const page = await probe.call(this.#source, withSelector(options, asked), {
      ...context,
      // what takes the place of an object says no more in which part it was
      arrived: arrived && ((object, bytes) => (isOurs(object) ? arrived(object, bytes) : OTHER_PART)),
    });
    return { ...page, items: page.items.filter((item) => item !== OTHER_PART && isOurs(item)) };
  }

  supportsStreamingLists(): boolean {
    return this.#shards.selection.indexes.length > 0 && (this.#source.supportsStreamingLists?.() ?? true);
  }

  async consistentUnpagedList(context: CallContext): Promise<boolean> {
    return await hasConsistentUnpagedList(this.#source, context);
  }

  /**
   * A table or metadata do not show who has divided them, where they are few objects of these parts only. A list of one
   * whole object does.
   */
  async #ask({ labelSelector, fieldSelector }: ListOptions, context: CallContext): Promise<void> {
    const { probe } = this.#source;
    if (!probe) return;
    const options = withSelector({ labelSelector, fieldSelector, limit: 1 }, this.#listed);
    try {
      const { shardSelector } = await probe.call(this.#source, options, context);
      this.#found(shardSelector === undefined ? 'client' : 'server');
    } catch {
      context.signal.throwIfAborted(); // else it stays unknown: both ways lead to the same objects
    }
  }

  /** The version of the collection, without its objects. */
  async #listNothing(options: ListOptions, context: CallContext): Promise<ListPage<T>> {
    const { continue: _, ...first } = options;
    const { resourceVersion } = await this.probe({ ...first, limit: 1 }, context);
    return { items: [], resourceVersion } as unknown as ListPage<T>;
  }

  /** Events of a watch until the parts change. */
  async *#events(
    batches: AsyncIterable<readonly WatchEvent<T>[]>,
    asked: ShardParts,
    call: ReturnType<typeof scope>,
  ): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
    using _call = call;
    const check = () => {
      if (asked.generation !== this.#shards.selection.generation) call.abort(this.#changed());
    };
    using _change = this.#shards.onChange(check);
    check();
    try {
      for await (const batch of batches) {
        call.signal.throwIfAborted();
        yield batch.filter((event) => this.#isOurEvent(event, asked));
        if (batch.some((event) => event.type === 'BOOKMARK' && isInitialEventsEnd(event.object)))
          this.#reached(asked.generation);
      }
    } finally {
      call.signal.throwIfAborted(); // how the source ends on an abort says less
    }
  }

  /** A watch of no part: it says now and then that nothing has changed. */
  async *#nothing(
    { resourceVersion }: WatchOptions,
    { signal }: CallContext,
  ): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
    using waiting = scope(signal);
    using _change = this.#shards.onChange(() => waiting.abort(this.#changed()));
    if (this.#shards.selection.indexes.length > 0) throw this.#changed();
    for (;;) {
      await this.#clock.sleep(CONFIRM_MS, { signal: waiting.signal });
      yield [{ type: 'BOOKMARK', object: { metadata: { resourceVersion } } } as unknown as WatchEvent<T>];
    }
  }

  #changed() {
    const { indexes } = this.#shards.selection;
    const parts = indexes.length === 0 ? 'no shard' : `the shards ${indexes.join(', ')} of ${this.#shards.of}`;
    return changedCollection(`${parts} from now on`);
  }

  #isOurEvent(event: WatchEvent<T>, asked: ShardParts): boolean {
    if (event.type === 'BOOKMARK') this.#isListing = false; // none comes before the one that ends the initial events
    return event.type === 'BOOKMARK' || event.type === 'ERROR' || this.#take(event.object, asked);
  }

  /**
   * The context in which a source leaves out what is in other parts before it is decoded. A server that divides sends
   * none of them, so that a look at the bytes would be of no use.
   */
  #leavingOut(asked: ShardParts, context: CallContext): CallContext {
    const { by, of } = this.#shards;
    if (asked.indexes.length === of || this.#by === 'server') return context;
    const leavesOut = (value: string) => {
      const metadata = by === 'name' ? partsOfKey(value) : { [by]: value };
      const isOurs = asked.has({ metadata });
      if (!isOurs) this.#leaveOut();
      return !isOurs;
    };
    return { ...context, unwanted: { by, leavesOut } };
  }

  #leaveOut(): void {
    if (this.#isListing) this.#leftOut++;
    this.#found('client');
  }

  /** Whether an object is in these parts. An object of another part shows that the client divides. */
  #take(object: T, asked: ShardParts): boolean {
    if (!hasMetadata(object)) return true; // the store says what is wrong with it
    const isOurs = asked.has(object);
    if (!isOurs) this.#leaveOut();
    else if (this.#by === undefined && asked.selector !== undefined && this.#isEnough(asked)) this.#found('server');
    return isOurs;
  }

  /** Whether objects that were all in these parts show that the server has divided them. */
  #isEnough({ indexes }: ShardParts): boolean {
    // the probability that a whole collection would look like this is below 2^-24
    return ++this.#ours * Math.log2(this.#shards.of / indexes.length) >= ENOUGH;
  }

  #found(by: ShardedBy): void {
    if (this.#by === by) return;
    this.#by = by;
    notify('onSharding', this.#onSharding, this.#logger, by);
  }
}

/** Which parts of a collection the cache of an informer has, for each source; empty for a whole collection. */
export const shardingOf = ({ sources = [] }: { readonly sources?: readonly unknown[] | undefined }): Sharding[] =>
  sources.flatMap((source) => (source instanceof ShardedSource ? [source.sharding] : []));

const fixed = ({ index, of, by }: Shard) => new ShardSet({ of, by, indexes: [index] });

/** Takes the place of an object of another part. */
const OTHER_PART = Symbol('an object of another part');

const withSelector = <O extends object>(options: O, { selector }: ShardParts): O & { shardSelector?: string } =>
  selector === undefined ? options : { ...options, shardSelector: selector };
