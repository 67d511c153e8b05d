import type { ListOptions } from '../../model/list-options.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';

/**
 * How the state is fetched. `stream`: by a streaming list, or by LIST when the server has no streaming lists. `list`:
 * like client-go's LIST mode. `pages`: always in pages of the most recent state. `auto`: in one unpaged LIST where the
 * server serves that from memory, otherwise in pages.
 */
export type SyncMode = 'stream' | 'list' | 'pages' | 'auto';

const DEFAULT_PAGE_SIZE = 500;

export interface ListPlanInput {
  readonly sync: SyncMode;
  /** undefined: never synced. '': the position is lost. */
  readonly since: ResourceVersion | undefined;
  /** The page size that the caller asked for; 0 or undefined: none. */
  readonly pageSize?: number | undefined;
  /** Whether a list at version "0" has come in pages. Then this server honours limits there. */
  readonly paginated: boolean;
  /** In mode `auto`: whether the server serves an unpaged LIST from memory, consistently. */
  readonly consistentUnpaged: boolean;
}

/**
 * The version and limit of a LIST. Source: client-go reflector.go (relistResourceVersion and the paging rules of list).
 */
export function planList({ sync, since, pageSize, paginated, consistentUnpaged }: ListPlanInput): ListOptions {
  if (sync === 'auto' && consistentUnpaged && !pageSize) return {};
  if (sync === 'auto' || sync === 'pages') return { limit: pageSize || DEFAULT_PAGE_SIZE };
  const resourceVersion = since ?? '0';
  if (pageSize) return { resourceVersion, limit: pageSize };
  // A limit at a given version would bypass the server's watch cache.
  if (!paginated && resourceVersion !== '' && resourceVersion !== '0') return { resourceVersion };
  return { resourceVersion, limit: DEFAULT_PAGE_SIZE };
}
