import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { formatGroupResource, formatGvr, sameGvr } from '../../model/gvr.ts';
import { partsOfKey } from '../../model/key.ts';
import { hookRunText } from '../../record/hook-run-text.ts';
import { recordedMoment, unseenText } from '../../record/moments.ts';
import { belongingObjects } from '../../record/recorded-objects.ts';
import { recordedSteps } from '../../record/recorded-steps.ts';
import type { MarkedGap, Recording } from '../../record/recording.ts';
import { Story, type StoryEntry } from '../../story/story.ts';
import type { StoryGap, StoryPrinter } from '../../story/story-printer.ts';
import { ofOneNamespace } from '../record/history-run.ts';
import type { RecordedServer } from '../record/recorded-server.ts';
import type { Session } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

/** The part of a story that is shown. */
export interface StoryRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
}

interface RecordedStoryOptions {
  readonly recorded: RecordedServer;
  /** Undefined: the name is looked for in all. */
  readonly namespace: string | undefined;
  readonly printer: StoryPrinter;
  readonly range: StoryRange;
}

/** Prints the story of an object out of a recording, up to a moment. */
export async function recordedStory(
  session: Session,
  { type, names: [name = ''] }: ResourceSelection,
  { recorded, namespace, printer, range }: RecordedStoryOptions,
): Promise<ExitCode> {
  const { recording, at: end } = recorded;
  const own = recording.sources.filter((source) => sameGvr(source.type.gvr, type.gvr)).map(({ id }) => id);
  const revisions = ofOneNamespace(recording.revisionsOf(own, namespace, name), type, name);
  const [known] = revisions;
  if (!known) {
    session.notice(`${type.kind.toLowerCase()}/${name} is not in the recording`);
    return ExitCode.failed;
  }
  const place = partsOfKey(known.key).namespace;
  const first = range.since === undefined ? 0 : recordedMoment(range.since, end, '--since');
  const last = range.until === undefined ? end : Math.min(end, recordedMoment(range.until, end, '--until'));
  const roots = new Set(revisions.map(({ object }) => object));
  const belonging = belongingObjects(recording, { roots, namespace: type.namespaced ? place : undefined });
  const story = new Story({ group: type.gvr.group, kind: type.kind, namespace: place, name });
  const told = tell(story, recording, { objects: [...belonging.owned, ...belonging.about], last });
  told.push(...runEntries(recording, belonging.owned));
  const read = readSources(recording, belonging.sources);
  const gaps = mergedGaps(recording, recording.gaps(read, first, last));
  for (const source of recording.sources)
    if (range.until !== undefined && read.includes(source.id)) {
      const unseen = unseenText(recording, source, last);
      if (unseen !== undefined) session.notice(unseen);
    }
  const unread = lacking(recording);
  for (const each of unread) session.notice(`the recording has no ${each}: the story is without them`);
  const verdict = story.verdict(last);
  session.io.stdout.write(printer.head({ name: story.name, at: last, verdict, outage: story.outage, unread }));
  const lines = [
    ...told.filter(({ at }) => at >= first && at <= last).map((each) => ({ at: each.at, text: () => printer.entries([each]) })),
    ...gaps.map((each) => ({ at: each.since, text: () => printer.gap(each) })),
  ].sort((a, b) => a.at - b.at); // biome-ignore format: one line each
  const shown = range.limit === undefined ? lines : lines.slice(-range.limit);
  session.io.stdout.write(shown.map(({ text }) => text()).join(''));
  return ExitCode.ok;
}

/** Takes every revision in its order. What a list shows is judged when it has been seen. */
function tell(
  story: Story,
  recording: Recording,
  { objects, last }: { readonly objects: readonly number[]; readonly last: number },
): StoryEntry[] {
  const told: StoryEntry[] = [];
  let unjudged: number | undefined;
  for (const { revision, state, before } of recordedSteps(recording, recording.revisionsOfObjects(objects))) {
    const { at, event, cause } = revision;
    if (at > last) break;
    if (unjudged !== undefined && unjudged !== at) told.push(...story.judge(unjudged));
    unjudged = at;
    told.push(...story.see({ at, event, cause, object: state.object, before: before?.object }));
  }
  if (unjudged !== undefined) told.push(...story.judge(unjudged));
  return told;
}

/** The runs of hooks for objects. */
function runEntries(recording: Recording, objects: readonly number[]): StoryEntry[] {
  return recording.hookRunsOf(objects).map((run) => {
    const { kind = '' } = recording.sources.find(({ type }) => formatGvr(type.gvr) === run.resource)?.type ?? {};
    const about = `${kind.toLowerCase()}/${partsOfKey(run.key).name}`;
    const tone = run.outcome === 'done' ? 'none' : 'bad';
    return { at: run.began, kind: 'run', about, who: run.hook, text: `reconcile ${hookRunText(run)}`, tone };
  });
}

/** The sources whose gaps are gaps of the story. */
const readSources = ({ sources }: Recording, owned: ReadonlySet<number>): number[] =>
  sources.filter(({ id, type }) => owned.has(id) || type.kind === 'Event').map(({ id }) => id);

/** The types that a story needs and the recording does not have. */
const lacking = ({ sources }: Recording): string[] =>
  ['pods', 'events'].filter((name) => !sources.some(({ type }) => type.gvr.resource === name));

/** The gaps of several types that are one gap, as when the recorder was ended. */
export function mergedGaps({ sources }: Recording, gaps: readonly MarkedGap[]): StoryGap[] {
  const alike = Map.groupBy(gaps, ({ reason, since, until }) => [reason, second(since), second(until)].join(' '));
  return [...alike.values()].map((same) => {
    const [{ reason, since, until }] = same as [MarkedGap];
    const types = same.map(({ source }) => sources.find(({ id }) => id === source)?.type);
    const names = types.flatMap((type) => (type ? formatGroupResource(type.gvr) : []));
    const sum = (of: (gap: MarkedGap) => number) => same.reduce((all, each) => all + of(each), 0);
    const counts = `${sum(({ added }) => added)} added, ${sum(({ changed }) => changed)} changed, ${sum(({ deleted }) => deleted)} deleted`;
    const text = until === undefined ? '' : `the next list showed ${counts}`;
    return { since, until, reason, about: [...new Set(names)].join(', '), text };
  });
}

const second = (ms: number | undefined) => (ms === undefined ? '' : Math.round(ms / 2000));
