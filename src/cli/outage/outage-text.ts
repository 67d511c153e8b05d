import { humanDuration } from '../../kit/duration.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { localTime } from '../../output/timestamps.ts';
import type { Outage } from '../../stream/outage.ts';
import { clusterText } from '../session/cluster-error.ts';
import type { WatchTarget } from '../session/informers.ts';

/** Connections that break within this time of each other are one outage. */
const SAME_MS = 1000;

/**
 * The text about sources without a connection at the end of a stream: `disconnected since 02:02:08, 1m35s not seen`;
 * with the types in front where others were connected: `pods, secrets in shop disconnected since …`. '' for none.
 */
export function outageText(outages: readonly Outage<WatchTarget>[], targets: readonly WatchTarget[]): string {
  const sources = targets.reduce((sum, { informer }) => sum + informer.continuity.length, 0);
  const groups: { readonly since: number; readonly ms: number; readonly names: string[] }[] = [];
  for (const { target, scope, since, ms } of outages.toSorted((a, b) => a.since - b.since)) {
    const name = sourceText(target, scope);
    const last = groups.at(-1);
    if (last && since - last.since < SAME_MS) last.names.push(name);
    else groups.push({ since, ms, names: [name] });
  }
  const isAll = groups.length === 1 && outages.length === sources;
  return groups
    .map(({ since, ms, names }) => {
      const text = `disconnected since ${localTime(new Date(since).toISOString(), 'seconds')}, ${humanDuration(ms)} not seen`;
      return isAll ? text : `${[...new Set(names)].join(', ')} ${text}`;
    })
    .join('; ');
}

/** `pods`, `secrets in shop`. Of a type that names its cluster `cluster east`: a connection is the same for every type. */
function sourceText({ type, namespaces = [] }: WatchTarget, scope: string | undefined): string {
  if (type.cluster !== undefined) return clusterText(type.cluster);
  return formatGroupResource(type.gvr) + (scope && namespaces.length > 1 ? ` in ${scope}` : '');
}
