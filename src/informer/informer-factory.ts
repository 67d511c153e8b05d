import { onAbort, scope } from '../kit/abort.ts';
import { InformerError } from '../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { inheriting, withSurroundings } from '../kit/surroundings.ts';
import { checkGvr, formatGvr, type GroupVersionResource, type TypedGvr } from '../model/gvr.ts';
import type { ReadonlyKubeObject, UnknownObject } from '../model/object.ts';
import { servedTypesOf, withServedTypes } from '../model/served-types.ts';
import { checkShard, type Shard, type ShardedBy } from '../model/shard.ts';
import { ShardSet } from '../model/shard-set.ts';
import { withFamily } from './informer-family.ts';
import { KNOWN_OPTIONS, type SharedInformerOptions } from './informer-options.ts';
import { SharedInformer } from './shared-informer.ts';
import type { Lister } from './store/lister.ts';
import { SyncResult, waitForSync } from './sync-result.ts';
import type { ListerWatcher } from './watch/lister-watcher.ts';
import { ShardedSource } from './watch/sharded-source.ts';

/** The source of collections, for example a client. */
export interface ResourceSource {
  resource<T extends ReadonlyKubeObject>(
    gvr: GroupVersionResource,
    options: { namespace?: string | undefined; as?: 'object' | 'metadata' | undefined },
  ): ListerWatcher<T>;
}

/** Options of {@link dynamicInformerFactory}. */
export interface InformerFactoryOptions
  extends Omit<
    SharedInformerOptions<UnknownObject>,
    'name' | 'resource' | 'selectors' | 'indexers' | 'transform' | 'expect'
  > {
  /**
   * The namespaces to watch; empty or absent: all. Several namespaces are watched one by one, behind one lister and one
   * set of handlers.
   */
  namespaces?: readonly string[] | undefined;
  /** The selectors of every LIST and WATCH. */
  listOptions?: SharedInformerOptions<UnknownObject>['selectors'];
  /**
   * Asks the server for the metadata of objects only (PartialObjectMetadata): no spec and no status, and much less
   * traffic and memory. For programs that need to know that an object changed, not how. Default false. Source:
   * client-go metadata/metadatainformer.
   */
  metadataOnly?: boolean | undefined;
  /**
   * Only one part of every collection. Other programs with the other parts have the rest. The server divides it, if it
   * can (Kubernetes ≥ 1.36 with ShardedListAndWatch), otherwise this program leaves out what is not in the part.
   * Default: everything. A {@link ShardSet} has parts that
   * change.
   */
  shard?: Shard | ShardSet | undefined;
  /** Called when it becomes known who divides the collection of a type: see {@link ShardedBy}. */
  onSharding?: ((by: ShardedBy, gvr: GroupVersionResource) => void) | undefined;
  /**
   * Called once for every object of every type before it is cached. See {@link SharedInformerOptions.transform}; for
   * one type {@link ForResourceOptions.transform}.
   */
  transform?: ((object: UnknownObject) => ReadonlyKubeObject) | undefined;
}

/** Options of {@link InformerFactory.forResource}, for the informer of one type. */
export interface ForResourceOptions<T, In = T> {
  /**
   * Called once for every object before it is cached, instead of the factory's transform. `In` is the type of the
   * objects on the wire, `T` that of the cached objects. See {@link SharedInformerOptions.transform}.
   */
  transform?: ((object: In) => T) | undefined;
}

const {
  name: _name,
  resource: _resource,
  selectors: _selectors,
  indexers: _indexers,
  expect: _expect,
  ...SHARED
} = KNOWN_OPTIONS;
const KNOWN_FACTORY_OPTIONS = {
  ...SHARED,
  namespaces: 'list',
  listOptions: KNOWN_OPTIONS.selectors,
  metadataOnly: 'boolean',
  shard: true, // checked by checkShard
  onSharding: 'function',
} satisfies KnownOptionsOf<InformerFactoryOptions>;

const KNOWN_FOR_RESOURCE = { transform: 'function' } satisfies KnownOptionsOf<ForResourceOptions<unknown>>;

/** An informer and the reader's side of its cache. */
export interface InformerHandle<T> {
  readonly informer: SharedInformer<T>;
  readonly lister: Lister<T>;
}

/**
 * Informers by resource type, shared by all callers: one cache for each type, and one watch for each type and
 * namespace. Source: client-go dynamic/dynamicinformer/informer.go.
 */
export class InformerFactory implements AsyncDisposable {
  /** The client, or another source of collections, that the informers read. */
  readonly source: ResourceSource;
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, SharedInformer<never>>();
  readonly #transforms = new Map<string, unknown>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #end = scope();
  #isShutDown = false;

  constructor(source: ResourceSource, options: InformerFactoryOptions = {}) {
    if (
      Array.isArray(options?.namespaces) &&
      options.namespaces.some((namespace) => namespace === '') &&
      options.namespaces.length > 1
    ) {
      throw new InformerError('argument', 'namespaces must not contain "" (all namespaces) together with others');
    }
    checkOptions('dynamicInformerFactory', options, KNOWN_FACTORY_OPTIONS);
    if (options.shard !== undefined && !(options.shard instanceof ShardSet)) checkShard(options.shard);
    this.source = source;
    this.#options = inheriting(options, source);
    withSurroundings(this, this.#options);
    withServedTypes(this, servedTypesOf(source));
  }

  /**
   * The informer of a type, the same one on every call. It runs only after the next `start`. Throws `argument` for a
   * `transform` if the informer exists already with another one, because one cache cannot have both.
   */
  forResource<T extends ReadonlyKubeObject, In = T>(
    gvr: TypedGvr<T>,
    options?: ForResourceOptions<T, In>,
  ): InformerHandle<T>;
  forResource<T extends ReadonlyKubeObject = UnknownObject, In = T>(
    gvr: GroupVersionResource,
    options?: ForResourceOptions<T, In>,
  ): InformerHandle<T>;
  forResource<T extends ReadonlyKubeObject = UnknownObject, In = T>(
    gvr: GroupVersionResource,
    options: ForResourceOptions<T, In> = {},
  ): InformerHandle<T> {
    checkOptions('forResource', options, KNOWN_FOR_RESOURCE);
    checkGvr('forResource', gvr);
    const name = formatGvr(gvr);
    const transform = options.transform as ((object: T) => T) | undefined;
    let informer = this.#informers.get(name) as SharedInformer<T> | undefined;
    if (!informer) {
      informer = this.#create<T>(gvr, name, transform);
      this.#informers.set(name, informer as unknown as SharedInformer<never>);
      this.#transforms.set(name, transform);
    } else if (transform && transform !== this.#transforms.get(name)) {
      throw new InformerError('argument', `the informer of ${name} exists already, without this transform`, {
        hint: 'give the transform at the first call of forResource for the type',
      });
    }
    return { informer, lister: informer.lister };
  }

  /** Starts the informers that do not run yet. Returns at once. Does nothing after `shutdown` or `close`. */
  start(signal: AbortSignal): void {
    checkArgument('start', 'signal', signal, 'signal');
    if (this.#isShutDown) return;
    for (const [name, informer] of this.#informers) {
      if (!this.#running.has(name)) this.#running.set(name, this.#run(informer, signal));
    }
  }

  /**
   * Waits for the initial sync of every informer that was started. Ends early with the signal or the timeout; never
   * rejects. An informer that was never started is not waited for; the result names it and is not complete.
   */
  async waitForSync(signal?: AbortSignal, options: { timeoutMs?: number | undefined } = {}): Promise<SyncResult> {
    checkOptions('waitForSync', options, { timeoutMs: 'number' });
    const { timeoutMs } = options;
    const { clock, logger } = this.#options;
    const waited = [...this.#informers.values()].filter((informer) => informer.isStarted);
    const result = await waitForSync(waited, signal, { timeoutMs, clock, logger });
    const idle = [...this.#informers.values()].filter((informer) => !informer.isStarted);
    return new SyncResult(
      result.synced,
      result.cause,
      result.troubles,
      idle.map(({ name }) => name),
    );
  }

  /**
   * Resolves when every informer has ended, which happens when the signal given to `start` aborts. No informer can be
   * started afterwards.
   */
  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    await Promise.all(this.#running.values());
  }

  /** Ends every informer, and resolves when all have ended. `await using` calls it. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.shutdown();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(informer: SharedInformer<never>, signal: AbortSignal): Promise<void> {
    using both = scope(signal);
    using _ = onAbort(this.#end.signal, () => both.abort(this.#end.signal.reason));
    await informer.run(both.signal);
  }

  #create<T extends ReadonlyKubeObject>(
    gvr: GroupVersionResource,
    name: string,
    transform: ((object: T) => T) | undefined,
  ): SharedInformer<T> {
    const { namespaces, listOptions, metadataOnly, shard, onSharding, ...shared } = this.#options;
    const as = metadataOnly ? 'metadata' : undefined;
    const sharded = (source: ListerWatcher<T>) =>
      shard
        ? new ShardedSource(source, shard, {
            logger: shared.logger,
            clock: shared.clock,
            onSharding: (by) => onSharding?.(by, gvr),
          })
        : source;
    const scopes: (string | undefined)[] = namespaces && namespaces.length > 0 ? [...new Set(namespaces)] : [undefined];
    const sources = scopes.map((namespace) => ({
      namespace,
      source: sharded(this.source.resource<T>(gvr, { namespace, as })),
    }));
    const options = { ...shared, transform: transform ?? shared.transform } as unknown as SharedInformerOptions<T>;
    const informer = new SharedInformer<T>(sources, { ...options, name, resource: gvr, selectors: listOptions });
    return withFamily(informer, () => this.#informers.values());
  }
}

/**
 * Creates a factory of informers for any resource type over a client.
 * @example
 * const factory = dynamicInformerFactory(client, { namespaces: ['shop'] });
 * const { informer, lister } = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
 */
export function dynamicInformerFactory(source: ResourceSource, options?: InformerFactoryOptions): InformerFactory {
  return new InformerFactory(source, options);
}
