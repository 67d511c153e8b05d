import { parseLongDuration } from '../kit/duration.ts';
import { InformerError } from '../kit/error.ts';
import { formatGvr } from '../model/gvr.ts';
import { parseInstant } from '../model/instant.ts';
import type { MarkedGap, RecordedSource, Recording } from './recording.ts';

/** A quiet watch gives a sign of life each minute. Source: apiserver bookmarks. */
export const QUIET_MS = 90_000;

/** A time of a command line: RFC 3339 or its first parts, or a duration before `end`. Throws `argument`. */
export function recordedMoment(text: string, end: number, flag: string): number {
  const instant = parseInstant(text.replace(' ', 'T'));
  if (instant) return instant.seconds * 1000 + Number(`0.${instant.fraction || 0}`) * 1000;
  try {
    return end - parseLongDuration(text);
  } catch {
    throw new InformerError('argument', `invalid argument "${text}" for "${flag}": expected a time`, {
      hint: 'such as 2026-11-28T14:03:00Z, 2026-11-28T14:03 (UTC), or 10m before the end of the recording',
    });
  }
}

/** The text about a source of which a moment is not known to be complete. Undefined if it is. */
export function unseenText(
  recording: Recording,
  { id, type, namespace }: RecordedSource,
  at: number,
): string | undefined {
  const coverage = recording.coverage(id, at);
  if (coverage.kind === 'seen') return undefined;
  const where = namespace === '' ? '' : ` in ${namespace}`;
  const about = `${formatGvr(type.gvr)}${where} at ${momentText(at)}:`;
  if (coverage.kind === 'gap') return `${about} changes may be missing, in a ${gapText(coverage.gap)}`;
  const { first, last } = coverage;
  if (first === undefined || last === undefined) return `${about} nothing was recorded`;
  if (at < first) return `${about} recorded from ${momentText(first)} on`;
  return `${about} not known to be complete after ${momentText(last)}, the last sign of life`;
}

/** A gap with its reason, its times, and what the list after it showed. */
export function gapText({ reason, since, until, added, changed, deleted }: MarkedGap): string {
  const end = until === undefined ? 'and was not closed' : `to ${momentText(until)}`;
  return `gap (${reason}) from ${momentText(since)} ${end}; the next list showed ${added} added, ${changed} changed, ${deleted} deleted`;
}

export const momentText = (ms: number) => new Date(ms).toISOString();
