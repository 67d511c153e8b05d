import type { KnownOptionsOf } from '../kit/known-options.ts';
import type { ResourceVersion } from './resource-version.ts';

/** The filters of LIST and WATCH that the server evaluates. */
export interface Selectors {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

/** The names and types of the options in {@link Selectors}. */
export const KNOWN_SELECTORS = { labelSelector: 'text', fieldSelector: 'text' } satisfies KnownOptionsOf<Selectors>;

/**
 * The part of a collection that a LIST or WATCH asks for, or that the server says it has sent in a list. Servers do not
 * say it in Tables.
 */
export interface PartSelector {
  /**
   * A part by hash: `shardRange(object.metadata.uid, '0x…', '0x…')`. A server without the feature sends everything and
   * says nothing: who uses it must check each object. Source: KEP-5866.
   */
  shardSelector?: string | undefined;
}

/** The parameters of a LIST. Source: apimachinery meta/v1 ListOptions. */
export interface ListOptions extends Selectors, PartSelector {
  /**
   * Unset or '': the most recent state. '0': any state the server has cached. N: a state not older than N, unless
   * `resourceVersionMatch` says otherwise.
   */
  resourceVersion?: ResourceVersion | undefined;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  limit?: number | undefined;
  continue?: string | undefined;
}

/** The names and types of the options of a LIST. */
export const KNOWN_LIST_OPTIONS = {
  ...KNOWN_SELECTORS,
  shardSelector: 'text',
  resourceVersion: 'text',
  resourceVersionMatch: ['Exact', 'NotOlderThan'],
  limit: 'number',
  continue: 'text',
} satisfies KnownOptionsOf<ListOptions>;

/**
 * Whether a LIST that looks at the server must be of whole objects: only a list of one whole object says whether the
 * server has evaluated the selector of a part.
 */
export const needsWholeObjects = ({ shardSelector, limit }: ListOptions): boolean =>
  shardSelector !== undefined && limit === 1;

/** The parameters of a WATCH. Source: apimachinery meta/v1 ListOptions. */
export interface WatchOptions extends Selectors, PartSelector {
  resourceVersion?: ResourceVersion | undefined;
  resourceVersionMatch?: 'NotOlderThan' | undefined;
  allowWatchBookmarks?: boolean | undefined;
  /** Asks for a streaming list; needs resourceVersionMatch=NotOlderThan. Source: KEP-3157. */
  sendInitialEvents?: boolean | undefined;
  /** Seconds after which the server closes the watch gracefully. */
  timeoutSeconds?: number | undefined;
}

/** The names and types of the options of a WATCH. */
export const KNOWN_WATCH_OPTIONS = {
  ...KNOWN_SELECTORS,
  shardSelector: 'text',
  resourceVersion: 'text',
  resourceVersionMatch: ['NotOlderThan'],
  allowWatchBookmarks: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'number',
} satisfies KnownOptionsOf<WatchOptions>;

/** The query string of a request, in a fixed order. Leaves out options that are unset, empty, false or 0. */
export function queryOf(
  options: ListOptions & Omit<WatchOptions, 'resourceVersionMatch'> & { watch?: boolean },
): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | number | boolean | undefined) => {
    if (value !== undefined && value !== '' && value !== false && value !== 0) query.set(name, String(value));
  };
  put('watch', options.watch);
  put('labelSelector', options.labelSelector);
  put('fieldSelector', options.fieldSelector);
  put('shardSelector', options.shardSelector);
  put('resourceVersion', options.resourceVersion);
  put('resourceVersionMatch', options.resourceVersionMatch);
  put('allowWatchBookmarks', options.allowWatchBookmarks);
  put('sendInitialEvents', options.sendInitialEvents);
  put('timeoutSeconds', options.timeoutSeconds);
  put('limit', options.limit);
  put('continue', options.continue);
  return query.toString();
}
