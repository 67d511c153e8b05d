import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { ListOptions, Selectors } from '../../model/list-options.ts';
import type { ListPage } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { withPatience } from './idle-limited-call.ts';
import { planList, type SyncMode } from './list-plan.ts';
import { type CallContext, hasConsistentUnpagedList, type ListerWatcher } from './lister-watcher.ts';
import { type ListProgress, listAll } from './pager.ts';
import { isTableResponse } from './watch-pump.ts';

export interface ListFetcherOptions {
  name: string;
  sync: SyncMode;
  selectors: Selectors | undefined;
  pageSize: number | undefined;
  onProgress: ((progress: ListProgress) => void) | undefined;
  logger: Logger;
  clock: Clock;
  /** Silence after which a request is given up, ms. */
  idleMs: number;
  /** Called with each object when it has arrived, if the source can: see {@link CallContext.arrived}. */
  arrived?: CallContext['arrived'];
}

type ListSource<T> = Pick<ListerWatcher<T>, 'list' | 'consistentUnpagedList'>;

/** Fetches whole states by LIST, and remembers whether this server pages lists at version "0". */
export class ListFetcher<T> {
  readonly #source: ListSource<T>;
  readonly #options: ListFetcherOptions;
  #paginated = false;

  constructor(source: ListSource<T>, options: ListFetcherOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * The state not older than `since`. Undefined: any state that the server has cached. '': the most recent one. Throws
   * `list` around the error of the request.
   */
  async fetch(since: ResourceVersion | undefined, signal: AbortSignal): Promise<ListPage<T>> {
    const { sync, selectors, pageSize, logger } = this.#options;
    const consistentUnpaged = sync === 'auto' && (await this.#hasConsistentUnpagedList(signal));
    const plan = planList({ sync, since, pageSize, paginated: this.#paginated, consistentUnpaged });
    logger.debug('listing', { ...plan, sync, consistentUnpaged });
    return await this.#all(this.#source, { ...selectors, ...plan }, signal);
  }

  /**
   * The objects of `source` at exactly this version. Throws `list` around the error of the request, and for another
   * version.
   */
  async fetchExactly(
    version: ResourceVersion,
    source: Pick<ListerWatcher<T>, 'list'>,
    signal: AbortSignal,
  ): Promise<ListPage<T>> {
    const { name, sync, selectors, pageSize } = this.#options;
    const consistentUnpaged = sync === 'auto' && (await this.#hasConsistentUnpagedList(signal));
    const { limit } = planList({ sync, since: version, pageSize, paginated: this.#paginated, consistentUnpaged });
    const at = { resourceVersion: version, resourceVersionMatch: 'Exact' } as const;
    const page = await this.#all(source, { ...selectors, ...at, ...(limit === undefined ? {} : { limit }) }, signal);
    if (page.resourceVersion === version) return page;
    throw new InformerError('list', `failed to list ${name}: the answer is not of version ${version}`);
  }

  async #all(source: Pick<ListerWatcher<T>, 'list'>, options: ListOptions, signal: AbortSignal): Promise<ListPage<T>> {
    const { name, onProgress } = this.#options;
    try {
      return await listAll<T>((request) => this.#page(source, request, signal), options, onProgress);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new InformerError('list', `failed to list ${name}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #page(source: Pick<ListerWatcher<T>, 'list'>, request: ListOptions, signal: AbortSignal): Promise<ListPage<T>> {
    const { arrived } = this.#options;
    const page = await this.#patiently(signal, (context) => source.list(request, { ...context, arrived }));
    if (isTableResponse(page))
      throw new InformerError('decode', `unsupported list gvk ${page.apiVersion}, Kind=${page.kind}`);
    if (request.resourceVersion === '0' && page.continue) this.#paginated = true;
    return page;
  }

  /** A source that cannot answer is treated as one without consistent unpaged lists. */
  async #hasConsistentUnpagedList(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#patiently(signal, (context) => hasConsistentUnpagedList(this.#source, context));
    } catch (error) {
      this.#options.logger.debug('could not find out how the server serves lists', { error });
      return false;
    }
  }

  #patiently<R>(signal: AbortSignal, call: (context: CallContext) => Promise<R>): Promise<R> {
    const { name, clock, idleMs } = this.#options;
    return withPatience(call, { what: `the list of ${name}`, signal, clock, idleMs });
  }
}
