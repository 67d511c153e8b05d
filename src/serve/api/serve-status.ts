import { messageOf } from '../../kit/error.ts';
import { formatGvr } from '../../model/gvr.ts';
import { outagesOf } from '../../stream/outage.ts';
import type { ServeAbout } from '../about.ts';
import type { ServedCache } from '../hold/served-cache.ts';

/** One type, as `serve status` shows it. */
export interface TypeStatus {
  readonly type: string;
  /** [''] = all; undefined for a cluster-scoped type. */
  readonly namespaces?: readonly string[] | undefined;
  readonly objects: number;
  readonly synced: boolean;
  /** The time since the cache last had proof that it is current, ms. */
  readonly ageMs?: number | undefined;
  /** Since when there has been no connection, RFC 3339, and why. */
  readonly disconnected?: { readonly since: string; readonly reason: string } | undefined;
}

/** A serve, as `serve status` shows it. */
export interface ServeStatus extends Pick<ServeAbout, 'pid' | 'version' | 'started' | 'server' | 'context' | 'user'> {
  readonly types: readonly TypeStatus[];
  readonly indexes: readonly { readonly name: string; readonly from: string }[];
  readonly rssBytes: number;
  /** The page of `--ui`, if it is open, and the file with its URL. */
  readonly page?: { readonly address: string; readonly file: string } | undefined;
}

/** The present state of a cache. */
export function typeStatus(target: ServedCache, now: number): TypeStatus {
  const { type, namespaces, informer } = target;
  const ages = informer.continuity.flatMap(({ ageMs }) => (ageMs === undefined ? [] : [ageMs]));
  const [outage] = outagesOf([target], now);
  return {
    type: formatGvr(type.gvr),
    namespaces,
    objects: informer.lister.size,
    synced: informer.hasSynced,
    ageMs: ages.length === 0 ? undefined : Math.max(...ages),
    disconnected: outage && { since: new Date(outage.since).toISOString(), reason: messageOf(outage.error) },
  };
}
