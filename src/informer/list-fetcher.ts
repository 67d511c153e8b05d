import { abortable } from '../kit/abort.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import type { ListOptions, Selectors } from '../model/list-options.ts';
import type { ListPage } from '../model/object.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import { planList, type SyncMode } from './list-plan.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { type ListProgress, listAll } from './pager.ts';
import { isTable } from './watch-pump.ts';

export interface ListFetcherOptions {
  name: string;
  sync: SyncMode;
  selectors: Selectors | undefined;
  pageSize: number | undefined;
  onProgress: ((progress: ListProgress) => void) | undefined;
  logger: Logger;
}

/** Gets whole states by LIST, and remembers what that taught about the server. */
export class ListFetcher<T> {
  readonly #source: ListerWatcher<T>;
  readonly #options: ListFetcherOptions;
  #paginated = false;

  constructor(source: ListerWatcher<T>, options: ListFetcherOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** The state not older than `since` (undefined = whatever is at hand, '' = the most recent). Throws `list` around what went wrong. */
  async fetch(since: ResourceVersion | undefined, signal: AbortSignal): Promise<ListPage<T>> {
    const { name, sync, selectors, pageSize, logger } = this.#options;
    const consistentUnpaged = sync === 'auto' && (await this.#hasConsistentUnpagedList(signal));
    const plan = planList({ sync, since, pageSize, paginated: this.#paginated, consistentUnpaged });
    logger.debug('listing', { ...plan, sync, consistentUnpaged });
    try {
      return await listAll<T>((request) => this.#page(request, signal), { ...selectors, ...plan }, this.#options.onProgress);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new InformerError('list', `failed to list ${name}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Resolves when the server knows a state not older than `since`; one object is asked for, and not looked at. */
  async probe(since: ResourceVersion, signal: AbortSignal): Promise<void> {
    const request = { ...this.#options.selectors, resourceVersion: since, resourceVersionMatch: 'NotOlderThan', limit: 1 } as const;
    await abortable(this.#source.list(request, { signal }), signal);
  }

  async #page(request: ListOptions, signal: AbortSignal): Promise<ListPage<T>> {
    const page = await abortable(this.#source.list(request, { signal }), signal);
    if (isTable(page)) throw new InformerError('decode', `unsupported list gvk ${page.apiVersion}, Kind=${page.kind}`);
    if (request.resourceVersion === '0' && page.continue) this.#paginated = true;
    return page;
  }

  /** A source that cannot say is treated as one that cannot do it. */
  async #hasConsistentUnpagedList(signal: AbortSignal): Promise<boolean> {
    if (!this.#source.consistentUnpagedList) return false;
    try {
      return await abortable(this.#source.consistentUnpagedList({ signal }), signal);
    } catch (error) {
      this.#options.logger.debug('the server did not tell how it lists', { error });
      return false;
    }
  }
}
