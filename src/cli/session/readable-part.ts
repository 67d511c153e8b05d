import type { ScopedSource } from '../../informer/informer-options.ts';
import { hasConsistentUnpagedList, type ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isForbidden } from '../../model/status.ts';
import type { SourceReader } from '../../query/answer/collection-part.ts';

/**
 * One of a type's sources: a namespace, or a name in one. When the server forbids it (403) before it was read, that is
 * final, and the other parts may be read without it. Rights that are withdrawn later may come back: then it is tried
 * again like any source.
 */
export class ReadablePart implements ScopedSource<UnknownObject> {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly source: ListerWatcher<UnknownObject>;
  readonly stored: ScopedSource<UnknownObject>['stored'];
  readonly #leaving = new AbortController();
  readonly #options: PartOptions;
  #hasListed = false;
  #hasWatched = false;
  #refusal: unknown;

  constructor(source: ListerWatcher<UnknownObject>, { namespace, name, stored }: PartScope, options: PartOptions) {
    this.stored = stored;
    this.namespace = namespace;
    this.name = name;
    this.source = options.reader(this.#judged(source));
    this.#options = options;
  }

  get leftOut(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The refusal of the server; undefined while it may be read. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** The server has shown it, or forbidden it. */
  get isJudged(): boolean {
    return this.#hasListed || this.#refusal !== undefined;
  }

  #judged(source: ListerWatcher<UnknownObject>): ListerWatcher<UnknownObject> {
    const { probe, whenReachable } = source;
    return {
      givesJson: source.givesJson,
      list: (options, context) => this.#listed(() => source.list(options, context)),
      watch: async (options, context) => {
        const stream = await this.#unless(this.#hasWatched, () => source.watch(options, context));
        this.#hasWatched = true;
        return stream;
      },
      ...(probe ? { probe: (options, context) => this.#listed(() => probe.call(source, options, context)) } : {}),
      ...(whenReachable ? { whenReachable: (context) => whenReachable.call(source, context) } : {}),
      supportsStreamingLists: () => source.supportsStreamingLists?.() ?? true,
      consistentUnpagedList: (context) => hasConsistentUnpagedList(source, context),
    };
  }

  async #listed<P>(send: () => Promise<P>): Promise<P> {
    const page = await this.#unless(this.#hasListed, send);
    this.#hasListed = true;
    this.#options.onJudged();
    return page;
  }

  async #unless<R>(hasBeenRead: boolean, send: () => Promise<R>): Promise<R> {
    try {
      return await send();
    } catch (error) {
      if (!hasBeenRead && isForbidden(error) && this.#refusal === undefined) {
        this.#refusal = error;
        if (this.#options.isLeftOut) this.#leaving.abort();
        this.#options.onJudged();
      }
      throw error;
    }
  }
}

export interface PartOptions {
  readonly reader: SourceReader;
  /** True if the informer reads its other parts without this one when it is forbidden. Otherwise it does not sync. */
  readonly isLeftOut: boolean;
  /** Called when the server has answered for the first time, or refused. */
  readonly onJudged: () => void;
}

/** Which objects a part is about. */
export interface PartScope extends Pick<ScopedSource<UnknownObject>, 'stored'> {
  readonly namespace: string | undefined;
  readonly name?: string | undefined;
}
