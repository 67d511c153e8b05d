import type { KnownOptionsOf } from '../kit/known-options.ts';
import type { ResourceVersion } from './resource-version.ts';

/** What restricts both LIST and WATCH, evaluated by the server. */
export interface Selectors {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

/** What {@link Selectors} may hold. */
export const KNOWN_SELECTORS = { labelSelector: 'text', fieldSelector: 'text' } satisfies KnownOptionsOf<Selectors>;

export interface ListOptions extends Selectors {
  /** Unset or '' = most recent; '0' = any the server has at hand; N = not older than N unless a match says otherwise. */
  resourceVersion?: ResourceVersion | undefined;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  limit?: number | undefined;
  continue?: string | undefined;
}

export interface WatchOptions extends Selectors {
  resourceVersion?: ResourceVersion | undefined;
  resourceVersionMatch?: 'NotOlderThan' | undefined;
  allowWatchBookmarks?: boolean | undefined;
  /** A streaming list: needs resourceVersionMatch=NotOlderThan. Source: KEP-3157. */
  sendInitialEvents?: boolean | undefined;
  /** Seconds after which the server ends the watch in good order. */
  timeoutSeconds?: number | undefined;
}

/** The query string of a request, unset and empty options left out, in a fixed order. */
export function queryOf(options: ListOptions & Omit<WatchOptions, 'resourceVersionMatch'> & { watch?: boolean }): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | number | boolean | undefined) => {
    if (value !== undefined && value !== '' && value !== false && value !== 0) query.set(name, String(value));
  };
  put('watch', options.watch);
  put('labelSelector', options.labelSelector);
  put('fieldSelector', options.fieldSelector);
  put('resourceVersion', options.resourceVersion);
  put('resourceVersionMatch', options.resourceVersionMatch);
  put('allowWatchBookmarks', options.allowWatchBookmarks);
  put('sendInitialEvents', options.sendInitialEvents);
  put('timeoutSeconds', options.timeoutSeconds);
  put('limit', options.limit);
  put('continue', options.continue);
  return query.toString();
}
