import type { WatchTarget } from '../cli/session/informers.ts';
import { shortDuration } from '../kit/duration.ts';
import { messageOf } from '../kit/error.ts';
import { formatGroupResource } from '../model/gvr.ts';
import { outagesOf } from '../stream/outage.ts';
import { quotedText } from './budget.ts';

const nameOf = ({ type }: WatchTarget) => formatGroupResource(type.gvr);

const timeOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).concat('Z');

/** How current the caches of an answer are: one line, and one more for each that has no connection. */
export function freshnessLines(targets: readonly WatchTarget[], now: number): string[] {
  const outages = outagesOf(targets, now);
  const cut = outages.map(({ target, since, error, isGap }) => {
    const gap = isGap ? '; changes are already known to be missing' : '';
    const why = error === undefined ? '' : ` (${quotedText(messageOf(error), 120)})`;
    return `NOT CURRENT: ${nameOf(target)} has had no connection since ${timeOf(since)}${gap}${why}`;
  });
  const connected = targets.filter((target) => !outages.some((outage) => outage.target === target));
  const ages = connected.map((target) => Math.max(0, ...target.informer.continuity.map(({ ageMs = 0 }) => ageMs)));
  const age = ages.length === 0 ? [] : [`current as of ${shortDuration(Math.max(...ages))} ago`];
  const open = connected.filter(({ informer }) =>
    informer.continuity.some(({ gaps }) => gaps.at(-1)?.to === undefined && gaps.length > 0),
  );
  return [
    ...age,
    ...cut,
    ...open.map((target) => `GAP: changes of ${nameOf(target)} may be missing until its next list`),
  ];
}

/** The state of one cache, and what it may have missed. */
export function explainedLines(target: WatchTarget, now: number): string[] {
  const { informer, namespaces } = target;
  const { continuity } = informer;
  const relists = continuity.reduce((sum, each) => sum + each.relists, 0);
  const resumes = continuity.reduce((sum, each) => sum + each.resumes, 0);
  const where = namespaces === undefined || namespaces.includes('') ? '' : ` in ${namespaces.join(', ')}`;
  const gaps = continuity.flatMap((each) => each.gaps).slice(-5);
  return [
    `${nameOf(target)}: ${informer.lister.size} objects${where}, ${relists} relists, ${resumes} resumed watches`,
    ...freshnessLines([target], now).map((line) => `  ${line}`),
    ...gaps.map(
      ({ at, to, why }) =>
        `  gap at ${timeOf(at)} (${why}): ${to === undefined ? 'open' : 'closed by a relist; states between two lists were not seen'}`,
    ),
  ];
}
