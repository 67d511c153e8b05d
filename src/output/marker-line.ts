import { humanDuration } from '../kit/duration.ts';
import type { EndCounts, EndMarker, Marker } from '../stream/markers.ts';
import { cellText } from './escape.ts';
import { localTime } from './timestamps.ts';

/** The line of a marker for people: `SYNCED     v1/pods: 12 objects`. It starts with `time`, if that is given. */
export function markerLine(marker: Marker, time?: string): string {
  return `${time === undefined ? '' : `${time}   `}${marker.type.padEnd('MODIFIED'.length)}   ${cellText(wordsOf(marker))}`;
}

function wordsOf(marker: Marker): string {
  switch (marker.type) {
    case 'SYNCED':
      return `${scopeOf(marker)}: ${objects(marker.objects)}`;
    case 'GAP':
      return `${scopeOf(marker)}: events may be missing (${marker.reason})${lossOf(marker.lost)}`;
    case 'RELISTED':
      return `${scopeOf(marker)}: ${objects(marker.objects)}, whole again (${marker.reason})`;
    case 'DISCONNECTED':
      return `${scopeOf(marker)}: no connection since ${localTime(marker.since, 'seconds')} (${marker.reason})`;
    case 'RESUMED':
      return `${scopeOf(marker)}: connected again after ${humanDuration(marker.downMs)}${marker.proven ? ', nothing was missed' : ''}`;
    case 'END':
      return `${marker.reason}, exit code ${marker.exitCode}: ${countsOf(marker.summary)}${disconnectedOf(marker.disconnected)}`;
  }
}

const objects = (count: number) => `${count} ${count === 1 ? 'object' : 'objects'}`;

type About = { readonly gvr?: string; readonly namespace?: string; readonly cluster?: string };

/** `v1/pods in shop`; of a record that names its cluster `east: v1/pods in shop`. */
function scopeOf({ gvr, namespace, cluster }: About): string {
  if (gvr === undefined) return cluster ?? 'the stream';
  return `${cluster === undefined ? '' : `${cluster}: `}${gvr}${namespace ? ` in ${namespace}` : ''}`;
}

function lossOf(lost: { readonly events: number; readonly objects?: number } | undefined): string {
  if (!lost) return '';
  return `: ${lost.events} ${lost.events === 1 ? 'event' : 'events'}${lost.objects === undefined ? '' : ` of ${objects(lost.objects)}`}`;
}

function disconnectedOf(all: EndMarker['disconnected'] = []): string {
  return all.map((each) => `; ${scopeOf(each)} disconnected since ${localTime(each.since, 'seconds')}`).join('');
}

const countsOf = ({ ADDED, MODIFIED, DELETED }: EndCounts) =>
  `${ADDED} ADDED, ${MODIFIED} MODIFIED, ${DELETED} DELETED`;
