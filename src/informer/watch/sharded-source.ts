import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { notify } from '../../kit/user-callback.ts';
import type { ListOptions, WatchOptions } from '../../model/list-options.ts';
import { hasMetadata, type ListPage } from '../../model/object.ts';
import { checkShard, type Shard, shardMatcher, shardSelectorOf } from '../../model/shard.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { CallContext, ListerWatcher } from './lister-watcher.ts';

/**
 * Who divides a collection. `server`: it sends this part only. `client`: it ignores the selector and sends everything,
 * and this program leaves the rest out.
 */
export type ShardedBy = 'server' | 'client';

/** Options of a {@link ShardedSource}. */
export interface ShardedSourceOptions {
  /** Called when it becomes known, and when it changes, as after an upgrade of the server. */
  readonly onSharding?: ((by: ShardedBy) => void) | undefined;
  /** Gets the errors that `onSharding` throws. Default: `consoleLogger`. */
  readonly logger?: Logger | undefined;
}

const KNOWN_OPTIONS = { onSharding: 'function', logger: 'logger' } satisfies KnownOptionsOf<ShardedSourceOptions>;

/** This number of objects, all in one part, shows that the server has divided them. */
const ENOUGH = 24;

/**
 * One part of a collection. The server is asked for this part only, and what it sends of other parts is left out: a
 * server without the feature ignores the selector and says nothing. So the answer is right with either server.
 */
export class ShardedSource<T> implements ListerWatcher<T> {
  readonly #source: ListerWatcher<T>;
  readonly #selector: string;
  readonly #isOurs: ReturnType<typeof shardMatcher>;
  readonly #isWhole: boolean;
  readonly #onSharding: ShardedSourceOptions['onSharding'];
  readonly #logger: Logger;
  readonly whenReachable: ListerWatcher<T>['whenReachable'];
  readonly whenTurn: ListerWatcher<T>['whenTurn'];
  #by: ShardedBy | undefined;
  #ours = 0;

  constructor(source: ListerWatcher<T>, shard: Shard, options: ShardedSourceOptions = {}) {
    checkOptions('ShardedSource', options, KNOWN_OPTIONS);
    checkShard(shard);
    this.#source = source;
    this.#selector = shardSelectorOf(shard);
    this.#isOurs = shardMatcher(shard);
    this.#isWhole = shard.of === 1;
    this.#onSharding = options.onSharding;
    this.#logger = options.logger ?? defaultLogger;
    this.whenReachable = source.whenReachable?.bind(source);
    this.whenTurn = source.whenTurn?.bind(source);
  }

  /** Who divides the collection; undefined until enough was seen. */
  get shardedBy(): ShardedBy | undefined {
    return this.#by;
  }

  async list(options: ListOptions, context: CallContext): Promise<ListPage<T>> {
    const page = await this.#source.list(this.#sharded(options), context);
    if (page.shardSelector !== undefined) this.#found('server');
    return { ...page, items: page.items.filter((object) => this.#take(object)) };
  }

  async watch(options: WatchOptions, context: CallContext): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    return this.#ourEvents(await this.#source.watch(this.#sharded(options), context));
  }

  async probe(options: ListOptions, context: CallContext): Promise<ListPage<unknown>> {
    const { probe } = this.#source;
    if (!probe) return this.list(options, context);
    const page = await probe.call(this.#source, this.#sharded(options), context);
    return {
      ...page,
      items: page.items.filter((object) => !hasMetadata(object) || this.#isOurs(object)),
    };
  }

  supportsStreamingLists(): boolean {
    return this.#source.supportsStreamingLists?.() ?? true;
  }

  async consistentUnpagedList(context: CallContext): Promise<boolean> {
    return (await this.#source.consistentUnpagedList?.(context)) ?? false;
  }

  #sharded<O extends object>(options: O): O & { shardSelector?: string } {
    return this.#isWhole ? options : { ...options, shardSelector: this.#selector };
  }

  async *#ourEvents(
    batches: AsyncIterable<readonly WatchEvent<T>[]>,
  ): AsyncGenerator<readonly WatchEvent<T>[], void, void> {
    for await (const batch of batches) yield batch.filter((event) => this.#isOurEvent(event));
  }

  #isOurEvent(event: WatchEvent<T>): boolean {
    return event.type === 'BOOKMARK' || event.type === 'ERROR' || this.#take(event.object);
  }

  /** Whether an object is in this part. An object of another part shows that the client divides. */
  #take(object: T): boolean {
    if (!hasMetadata(object)) return true; // the store says what is wrong with it
    const isOurs = this.#isOurs(object);
    if (!isOurs) {
      this.#ours = 0;
      this.#found('client');
    } else if (this.#by === undefined && !this.#isWhole && ++this.#ours === ENOUGH) this.#found('server');
    return isOurs;
  }

  #found(by: ShardedBy): void {
    if (this.#by === by) return;
    this.#by = by;
    notify('onSharding', this.#onSharding, this.#logger, by);
  }
}
