import path from 'node:path';
import { valuePair } from '../../src/output/value-text.ts';
import { Recording } from '../../src/record/recording.ts';
import { recordedTimeline, type TimelineQuery } from '../../src/timeline/recorded-timeline.ts';
import type { Timeline } from '../../src/timeline/timeline.ts';

/** The recording that ships with the examples: 02:05 to 02:20, not seen from 02:06 to 02:08. */
export const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');

/** A time of that night. */
export const nightAt = (time: string): number => Date.parse(`2026-11-28T${time}Z`);

/** A timeline out of it; undefined: there is none. */
export function nightOf(resource: string, query: Partial<TimelineQuery> = {}, file = NIGHT): Timeline | undefined {
  using recording = Recording.open(file);
  const source = recording.sources.find(({ type }) => type.gvr.resource === resource);
  if (!source) throw new Error(`${resource} was not recorded`);
  const values: TimelineQuery['values'] = (before, after) => valuePair(before, after, 80);
  return recordedTimeline(recording, { type: source.type, mostLanes: 50, mostChanges: 1_000, values, ...query });
}
