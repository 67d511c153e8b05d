import { dayTimeText, type Timeline, type TimelineChange } from '../../timeline/timeline.ts';
import { cellText } from '../escape.ts';

/** The fields that a line names. */
const MOST_NAMED = 3;

/** The change on one line: `.spec.replicas: 4 → 9`. */
export function changeText({ kind, fields, more, isInferred }: TimelineChange, arrow = '→'): string {
  const inferred = isInferred ? ' (seen in a list)' : '';
  if (kind === 'added' || kind === 'deleted') return kind + inferred;
  const texts = fields.slice(0, MOST_NAMED).map(({ path, from, to }) => {
    if (from === undefined) return `${cellText(path)}: ${cellText(to ?? '')} (new)`;
    return to === undefined
      ? `${cellText(path)}: ${cellText(from)} (removed)`
      : `${cellText(path)}: ${cellText(from)} ${arrow} ${cellText(to)}`;
  });
  const rest = more + Math.max(0, fields.length - MOST_NAMED);
  return `${texts.join('; ') || kind}${rest > 0 ? `; ${rest} more` : ''}${inferred}`;
}

/** The sentences about what the bounds of a picture left out. */
export function boundsText({ leftOut: { lanes, changes } }: Pick<Timeline, 'leftOut'>): string[] {
  return [
    ...(lanes > 0 ? [`${lanes} more objects are left out; a name, -n, --since and --until choose others`] : []),
    ...(changes > 0 ? [`${changes} earlier changes are left out; --since and --until choose others`] : []),
  ];
}

/** A sentence for each time that was not seen. */
export const gapTexts = (timeline: Pick<Timeline, 'from' | 'to' | 'gaps'>): string[] =>
  timeline.gaps.map(({ from, to, reason, types, text }) => {
    const told = text === '' ? '' : `: ${text}`;
    return `${dayTimeText(from, timeline)}  not seen until ${dayTimeText(to, timeline)} (${reason}), ${types.join(', ')}${told}`;
  });
