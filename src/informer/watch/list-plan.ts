import type { ListOptions } from '../../model/list-options.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';

/**
 * How the state is fetched: `stream` by a streaming list, LIST when the server has none; `list` as client-go's LIST mode;
 * `pages` always in pages of the most recent state; `auto` in one unpaged LIST where that is cheap for the server, else in pages.
 */
export type SyncMode = 'stream' | 'list' | 'pages' | 'auto';

const DEFAULT_PAGE_SIZE = 500;

export interface ListPlanInput {
  readonly sync: SyncMode;
  /** undefined = never synced, '' = position lost. */
  readonly since: ResourceVersion | undefined;
  /** The caller's page size, 0 or undefined = none asked for. */
  readonly pageSize?: number | undefined;
  /** A list at version "0" once came back in pages: this server honours limits there. */
  readonly paginated: boolean;
  /** In mode `auto`: the server serves an unpaged LIST from memory, consistently. */
  readonly consistentUnpaged: boolean;
}

/** Version and limit of a LIST. Source: client-go reflector.go (relistResourceVersion and the paging rules of list). */
export function planList({ sync, since, pageSize, paginated, consistentUnpaged }: ListPlanInput): ListOptions {
  if (sync === 'auto' && consistentUnpaged && !pageSize) return {};
  if (sync === 'auto' || sync === 'pages') return { limit: pageSize || DEFAULT_PAGE_SIZE };
  const resourceVersion = since ?? '0';
  if (pageSize) return { resourceVersion, limit: pageSize };
  // A limit at a given version would keep the server's watch cache from answering.
  if (!paginated && resourceVersion !== '' && resourceVersion !== '0') return { resourceVersion };
  return { resourceVersion, limit: DEFAULT_PAGE_SIZE };
}
