import { compareText } from '../kit/text-order.ts';
import type { FieldChange } from '../model/field-changes.ts';
import { formatGroupResource, sameGvr } from '../model/gvr.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { ownerReferencesOf } from '../model/owner-references.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { QUIET_MS } from '../record/moments.ts';
import { belongingObjects } from '../record/recorded-objects.ts';
import type { ChangedObject, MarkedGap, RecordedSource, Recording } from '../record/recording.ts';
import type { RecordedState } from '../record/state-text.ts';
import { LaneBuilder, type LaneOptions } from './lane.ts';
import { changesIn, type LaneChange, type NamedGap, type ObjectLane, type Timeline, type TimelineGap } from './timeline.ts'; // biome-ignore format: one line

/** The objects and the time that a timeline is about. */
export interface TimelineQuery {
  readonly type: ResourceType;
  /** Absent: all objects of the type. Else that object and all that it owns. */
  readonly name?: string | undefined;
  /** Absent: in all. */
  readonly namespace?: string | undefined;
  /** Default: the first list. */
  readonly since?: number | undefined;
  /** Default: the end of the recording. */
  readonly until?: number | undefined;
  readonly mostLanes: number;
  readonly mostChanges: number;
  readonly values: LaneOptions['values'];
  readonly shows?: ((change: FieldChange | undefined, who: string | undefined) => boolean) | undefined;
}

/** The timeline of objects out of a recording. Undefined: the recording has no such object in that time. */
export function recordedTimeline(recording: Recording, query: TimelineQuery): Timeline | undefined {
  const { type, name, namespace, mostLanes, mostChanges } = query;
  const own = recording.sources.filter((source) => sameGvr(source.type.gvr, type.gvr));
  const range = rangeOf(recording, own, query);
  const after = recording.revisionAt(range.from);
  const owned = name === undefined ? undefined : ownedBy(recording, own, { name, namespace });
  if (owned?.length === 0) return undefined;
  const sources = owned ? recording.sources : own;
  const there = recording.objectsBetween(idsOf(sources), after, recording.revisionAt(range.to));
  const place = owned && new Map(owned.map((id, i) => [id, i]));
  const all = there.filter((each) =>
    place ? place.has(each.id) : namespace === undefined || each.namespace === namespace,
  );
  if (all.length === 0) return undefined;
  // the object itself always has a lane
  const first = place
    ? all.filter(({ id, name: each, source }) => each === name && own.some((one) => one.id === source) && place.has(id))
    : [];
  const chosen = [...new Set([...first, ...all])].slice(0, mostLanes);
  const ordered = chosen.sort(place ? (a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0) : byKey);
  const read = recording.sources.filter(({ id }) => ordered.some(({ source }) => source === id));
  const gaps = new Map(read.map(({ id }) => [id, gapsOf(recording, id, range)]));
  const lanes = lanesOf(recording, ordered, { ...query, ...range, after, gaps });
  const { namespaced } = type;
  const where = namespaced ? (namespace ?? (owned ? ordered[0]?.namespace : undefined)) : undefined;
  const what = name === undefined ? formatGroupResource(type.gvr) : `${type.kind.toLowerCase()}/${name}`;
  return bounded(
    {
      title: where === undefined ? what : `${what} in ${where}`,
      ...range,
      lanes,
      gaps: namedGaps(read, gaps, recording.gaps(idsOf(read), range.from, range.to)),
      leftOut: { lanes: all.length - ordered.length, changes: 0 },
    },
    mostChanges,
  );
}

const idsOf = (sources: readonly RecordedSource[]) => sources.map(({ id }) => id);

const byKey = (a: ChangedObject, b: ChangedObject) =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

interface Range {
  readonly from: number;
  readonly to: number;
}

/** A recorder that starts lists its types within this time, ms: a picture begins when all of them are there. */
const STARTING_MS = 5_000;

function rangeOf(recording: Recording, own: readonly RecordedSource[], { name, since, until }: TimelineQuery): Range {
  const beginsOf = (sources: readonly RecordedSource[]) =>
    sources.flatMap(({ id }) => recording.stretches(id)[0]?.since ?? []);
  const end = Math.max(0, ...recording.runs.map((run) => run.until));
  const to = Math.min(until ?? end, end);
  const first = Math.min(...beginsOf(own), to);
  const drawn = beginsOf(name === undefined ? own : recording.sources);
  const begin = Math.max(first, ...drawn.filter((at) => at - first <= STARTING_MS));
  return { from: Math.min(to, Math.max(since ?? 0, begin)), to };
}

/** An object and all that it owns, the owners first. */
function ownedBy(
  recording: Recording,
  own: readonly RecordedSource[],
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): readonly number[] {
  const revisions = recording.revisionsOf(idsOf(own), namespace, name);
  const roots = new Set(revisions.map(({ object }) => object));
  return belongingObjects(recording, { roots, namespace }).owned;
}

interface LanePlan extends LaneOptions, Pick<TimelineQuery, 'name'> {
  /** The last revision before the range. */
  readonly after: number;
  /** By the source. */
  readonly gaps: ReadonlyMap<number, readonly TimelineGap[]>;
}

interface GrowingLane {
  readonly of: ChangedObject;
  readonly builder: LaneBuilder;
  /** The versions that were seen: two sources may have recorded the same object. */
  readonly versions: Set<string>;
  object?: ReadonlyObject;
}

/** A lane for each name, in the order of the objects. */
function lanesOf(recording: Recording, objects: readonly ChangedObject[], plan: LanePlan): ObjectLane[] {
  const { from, after, name } = plan;
  const typeOf = (source: number) => recording.sources.find(({ id }) => id === source)?.type as ResourceType;
  const lanes = new Map<string, GrowingLane>();
  const byObject = new Map<number, GrowingLane>();
  const states = new Map<number, RecordedState>();
  for (const of of objects) {
    const { gvr } = typeOf(of.source);
    const key = [gvr.group, gvr.resource, of.namespace, of.name].join(' ');
    const lane = lanes.get(key) ?? { of, builder: new LaneBuilder(plan), versions: new Set<string>() };
    lanes.set(key, lane);
    byObject.set(of.id, lane);
    if (of.first > after) continue;
    const state = recording.stateAfter(of.id, after);
    states.set(of.id, state);
    lane.object = state.object as unknown as ReadonlyObject;
    lane.builder.see({ at: from - 1, event: 'THERE', isInferred: false, who: undefined, object: state.object, before: undefined }); // biome-ignore format: one line
  }
  for (const revision of recording.revisionsOfObjects([...byObject.keys()], after)) {
    const { at, event, cause, who, object, version } = revision;
    if (at > plan.to) break;
    const before = states.get(object);
    const state = recording.next(revision, before);
    states.set(object, state);
    const lane = byObject.get(object);
    const id = `${version} ${event}`;
    if (!lane || lane.versions.has(id)) continue;
    lane.versions.add(id);
    lane.object = state.object as unknown as ReadonlyObject;
    lane.builder.see({
      at,
      event: cause === 'initial' && event === 'ADDED' ? 'THERE' : event,
      isInferred: cause === 'relist',
      who,
      object: state.object,
      before: before?.object,
    });
  }
  const all = [...lanes.values()];
  const depths = depthsOf(all);
  const isOfSeveral = new Set(all.map(({ of }) => of.namespace)).size > 1;
  return all.map(({ of, builder }, i) => {
    const depth = depths[i] ?? 0;
    const alone = isOfSeveral ? `${of.namespace}/${of.name}` : of.name;
    const shown = name === undefined ? alone : `${typeOf(of.source).kind.toLowerCase()}/${of.name}`;
    const about = { name: shown, namespace: of.namespace, depth };
    return builder.lane(about, plan.gaps.get(of.source) ?? [], name !== undefined && depth === 0);
  });
}

/** How far each object is below the first one that owns it. Owners come before what they own. */
function depthsOf(lanes: readonly GrowingLane[]): number[] {
  const known = new Map<string, number>();
  return lanes.map(({ object }) => {
    if (!object) return 0;
    const above = ownerReferencesOf(object).flatMap(({ uid }) => known.get(uid) ?? []);
    const depth = above.length === 0 ? 0 : Math.min(...above) + 1;
    if (object.metadata.uid !== undefined) known.set(object.metadata.uid, depth);
    return depth;
  });
}

/** The times of a range in which changes of a source may be missing. */
function gapsOf(recording: Recording, source: number, { from, to }: Range): TimelineGap[] {
  const stretches = recording.stretches(source);
  const [first, last] = [stretches[0]?.since ?? to, stretches.at(-1)?.until ?? to];
  const marked = recording.gaps([source], from, to).map(({ since, until = to, reason }) => ({
    from: Math.max(from, since),
    to: Math.min(to, until),
    reason,
  }));
  return [
    ...(first > from ? [{ from, to: Math.min(first, to), reason: 'not recorded yet' }] : []),
    ...marked,
    ...(to - last > QUIET_MS && !marked.some((gap) => gap.to === to)
      ? [{ from: Math.max(from, last), to, reason: 'no sign of life' }]
      : []),
  ].filter((gap) => gap.to >= gap.from);
}

/** The gaps of several types that are one gap, as when the recorder was ended. */
function namedGaps(
  sources: readonly RecordedSource[],
  gaps: ReadonlyMap<number, readonly TimelineGap[]>,
  marked: readonly MarkedGap[],
): NamedGap[] {
  const all = sources.flatMap(({ id, type }) => (gaps.get(id) ?? []).map((gap) => ({ gap, id, type })));
  const alike = Map.groupBy(all, ({ gap }) => [gap.reason, seconds(gap.from), seconds(gap.to)].join(' '));
  return [...alike.values()]
    .map((same) => {
      const [{ gap }] = same as [(typeof same)[number]];
      const showed = same.flatMap(({ id }) => marked.filter((each) => each.source === id && each.until === gap.to));
      const sum = (of: 'added' | 'changed' | 'deleted') => showed.reduce((total, each) => total + each[of], 0);
      const counts = (['added', 'changed', 'deleted'] as const).flatMap((of) =>
        sum(of) > 0 ? [`${sum(of)} ${of}`] : [],
      );
      const types = [...new Set(same.map(({ type }) => formatGroupResource(type.gvr)))];
      return { ...gap, types, text: counts.length === 0 ? '' : `the next list showed ${counts.join(', ')}` };
    })
    .sort((a, b) => a.from - b.from);
}

const seconds = (ms: number) => Math.round(ms / 2000);

/** Leaves out changes beyond a number: those of the status alone first, then the oldest ones. */
function bounded(timeline: Timeline, most: number): Timeline {
  const all = changesIn(timeline);
  if (all.length <= most) return timeline;
  const isOfStatus = ({ change }: LaneChange) => change.kind === 'status';
  const others = all.filter((each) => !isOfStatus(each)).slice(-most);
  const room = most - others.length;
  const ofStatus = room === 0 ? [] : all.filter(isOfStatus).slice(-room);
  const kept = new Set([...others, ...ofStatus].map(({ change }) => change));
  const lanes = timeline.lanes.map((lane) => ({ ...lane, changes: lane.changes.filter((each) => kept.has(each)) }));
  return { ...timeline, lanes, leftOut: { ...timeline.leftOut, changes: all.length - kept.size } };
}
