import type { Client } from '../../client/client.ts';
import type { ResourceApi, ResourceApiOptions } from '../../client/resource-api.ts';
import type { CallContext, ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import { movedCollection } from '../../informer/watch/moved-collection.ts';
import { InformerError } from '../../kit/error.ts';
import { type GroupVersionResource, markReadIn, sameGvr } from '../../model/gvr.ts';
import type { ListOptions, WatchOptions } from '../../model/list-options.ts';
import type { ListPage, UnknownObject } from '../../model/object.ts';
import { isWatchable, type ResourceType } from '../../model/resource-type.ts';
import { isNotFound } from '../../model/status.ts';
import type { WatchEvent } from '../../model/watch-event.ts';

export interface ServedTypeOptions {
  /** Called when the type is read in another version from now on. */
  readonly onMoved?: ((type: ResourceType) => void) | undefined;
  readonly client: Client;
  /** Goes over to the version that is served when its own is retired. Otherwise the error says which one is served. */
  readonly follows: boolean;
  /** The next step when it does not, for the error. */
  readonly advice: string;
}

/**
 * A type in the version in which it is read. When the server answers 404, it is asked for its types once more: where it
 * serves the type in another version only, a type that follows is read in that version from then on, and listed first.
 * One that does not follow keeps its version, and the error says which one is served. Before the first list nothing is
 * asked: a type that is not there then is refused.
 */
export class ServedType {
  readonly #options: ServedTypeOptions;
  #type: ResourceType;
  #hasBeenRead = false;
  #sources = 0;
  #asking: Promise<ResourceType | undefined> | undefined;

  constructor(type: ResourceType, options: ServedTypeOptions) {
    this.#type = type;
    this.#options = options;
  }

  get type(): ResourceType {
    return this.#type;
  }

  /** A part of its objects, in the version in which the type is read. */
  source(options: ResourceApiOptions): ServedSource {
    this.#sources++;
    return new ServedSource(this, (gvr) => this.#options.client.resource(gvr, options));
  }

  /** Whether its objects are read in several parts, of which each may go over before the others. */
  get isOfSeveral(): boolean {
    return this.#sources > 1;
  }

  wasRead(): void {
    this.#hasBeenRead = true;
  }

  /** The meaning of an error of a request for a version: the error itself, or that another version is served. */
  async explain(error: unknown, asked: GroupVersionResource): Promise<unknown> {
    if (!this.#hasBeenRead || !isNotFound(error)) return error;
    if (!sameGvr(asked, this.#type.gvr)) return error; // another part of it has gone over
    this.#asking ??= this.#askServed().finally(() => {
      this.#asking = undefined;
    });
    const served = await this.#asking;
    if (!served || sameGvr(served.gvr, asked)) return error;
    const { follows, advice, onMoved } = this.#options;
    if (follows) {
      const { cluster } = this.#type;
      this.#type = cluster === undefined ? served : { ...served, cluster };
      onMoved?.(this.#type);
      return error;
    }
    const text = `${retired(asked)}, which serves ${served.gvr.version}`;
    return new InformerError('watch', `${text}: ${advice}`, { cause: error });
  }

  /** In the version asked for, or else in the one that the server prefers; undefined when it cannot be had. */
  async #askServed(): Promise<ResourceType | undefined> {
    const { discovery } = this.#options.client;
    const { group, resource, version } = this.#type.gvr;
    try {
      await discovery.invalidate();
      const { types } = await discovery.snapshot();
      const served = types.filter(({ gvr }) => gvr.group === group && gvr.resource === resource);
      return (
        served.find(({ gvr }) => gvr.version === version) ?? served.find((type) => type.preferred && isWatchable(type))
      );
    } catch {
      return undefined; // the 404 stays what is known
    }
  }
}

const retired = ({ version }: GroupVersionResource) => `version ${version} is not served any more by the server`;

/** A part of the objects of a type. */
export class ServedSource implements ListerWatcher<UnknownObject> {
  readonly givesJson = true;
  readonly #served: ServedType;
  readonly #apiOf: (gvr: GroupVersionResource) => ResourceApi<UnknownObject>;
  #api: ResourceApi<UnknownObject>;
  /** The reason for a change to another version, until the first list in that version. */
  #moved: InformerError | undefined;

  constructor(served: ServedType, apiOf: (gvr: GroupVersionResource) => ResourceApi<UnknownObject>) {
    this.#served = served;
    this.#apiOf = apiOf;
    this.#api = apiOf(served.type.gvr);
  }

  get whenTurn(): ListerWatcher<UnknownObject>['whenTurn'] {
    return this.#api.whenTurn;
  }

  get whenReachable(): ListerWatcher<UnknownObject>['whenReachable'] {
    return this.#api.whenReachable;
  }

  consistentUnpagedList(context: CallContext): Promise<boolean> {
    return this.#api.consistentUnpagedList(context);
  }

  async list(options: ListOptions, context: CallContext): Promise<ListPage<UnknownObject>> {
    if (options.continue === undefined && options.limit !== 1) this.#goOver();
    const page = await this.#ask((api) => api.list(options, context));
    this.#served.wasRead();
    if (options.limit !== 1) this.#moved = undefined;
    return page;
  }

  /** One object, for which the right to `get` is enough. */
  get(name: string, { signal }: CallContext): Promise<UnknownObject> {
    return this.#ask((api) => api.get(name, { signal }));
  }

  probe(options: ListOptions, context: CallContext): Promise<ListPage<unknown>> {
    return this.#ask((api) => api.probe(options, context));
  }

  /** A stream of another version would leave the objects that are known as they were read in the one before. */
  async watch(
    options: WatchOptions,
    context: CallContext,
  ): Promise<AsyncIterable<readonly WatchEvent<UnknownObject>[]>> {
    this.#goOver();
    if (this.#moved && !options.sendInitialEvents) throw this.#moved;
    const { gvr } = this.#api;
    const stream = await this.#ask((api) => api.watch(options, context));
    if (options.sendInitialEvents) this.#moved = undefined;
    return this.#served.isOfSeveral ? { [Symbol.asyncIterator]: () => this.#marked(stream, gvr) } : stream;
  }

  /**
   * A stream may still be open when another part of the type has gone over: what it brings is of the version it was
   * opened in.
   */
  #marked(stream: AsyncIterable<readonly WatchEvent<UnknownObject>[]>, gvr: GroupVersionResource) {
    const iterator = stream[Symbol.asyncIterator]();
    const isCurrent = () => sameGvr(this.#served.type.gvr, gvr);
    const next = async () => {
      const result = await iterator.next();
      if (!result.done && !isCurrent()) for (const { object } of result.value) markReadIn(object, gvr);
      return result;
    };
    return { next, return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined } };
  }

  async #ask<R>(send: (api: ResourceApi<UnknownObject>) => Promise<R>): Promise<R> {
    const { gvr } = this.#api;
    try {
      return await send(this.#api);
    } catch (error) {
      const explained = await this.#served.explain(error, gvr);
      this.#goOver();
      throw this.#moved ?? explained;
    }
  }

  #goOver(): void {
    const { gvr } = this.#served.type;
    const before = this.#api.gvr;
    if (sameGvr(gvr, before)) return;
    this.#api = this.#apiOf(gvr);
    this.#moved = movedCollection(`${retired(before)}; ${gvr.version} is watched instead`);
  }
}
