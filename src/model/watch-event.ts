import type { KubeObject } from './object.ts';
import type { Status } from './status.ts';

/** One line of a watch, decoded. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status };

/**
 * The annotation, with the value "true", on the bookmark that ends the initial events of a streaming list. Source:
 * KEP-3157.
 */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export function isInitialEventsEnd(bookmark: KubeObject): boolean {
  return bookmark.metadata.annotations?.[INITIAL_EVENTS_END] === 'true';
}
