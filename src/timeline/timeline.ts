/** One changed field, as short texts; absent: there was, or is, no value. */
export interface TimelineField {
  readonly path: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The field manager that wrote it; absent: it is not known. */
  readonly by?: string | undefined;
}

/** One change of an object. */
export interface TimelineChange {
  readonly at: number;
  /** `status`: nothing but its status. `restarted`: a container of it began again. */
  readonly kind: 'added' | 'changed' | 'status' | 'restarted' | 'deleted';
  /** The field managers; '' if they are not known. */
  readonly by: string;
  /** A list showed it: it is the outcome of a time that was not seen. */
  readonly isInferred: boolean;
  readonly fields: readonly TimelineField[];
  /** Fields beyond those in `fields`. */
  readonly more: number;
}

/** A time in which an object had a state. `there`: its kind has no readiness. */
export interface TimelineSpan {
  readonly state: 'ready' | 'unready' | 'there';
  readonly from: number;
  readonly to: number;
}

/** A number of an object over time. Each value holds until the next one; null: there was no object. */
export interface TimelineSeries {
  readonly name: string;
  /** The value that matters where several are drawn as one. */
  readonly worst: 'least' | 'most';
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

/** A time in which changes may be missing. */
export interface TimelineGap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** A gap of one type, or of several that have the same one. */
export interface NamedGap extends TimelineGap {
  readonly types: readonly string[];
  /** The differences that the next list showed; '' if there was none. */
  readonly text: string;
}

/** One object of a timeline. Objects that had its name one after the other share it. */
export interface ObjectLane {
  /** `deployment/web`. */
  readonly name: string;
  readonly namespace: string;
  /** 0: the object itself. 1: it is owned by that, and so on. */
  readonly depth: number;
  readonly changes: readonly TimelineChange[];
  readonly spans: readonly TimelineSpan[];
  readonly series: readonly TimelineSeries[];
  readonly gaps: readonly TimelineGap[];
}

/** The history of objects between two moments, wall-clock ms. */
export interface Timeline {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly ObjectLane[];
  readonly gaps: readonly NamedGap[];
  /** Objects and changes beyond the bounds. */
  readonly leftOut: { readonly lanes: number; readonly changes: number };
}

/** A change with the lane that it is of. */
export interface LaneChange {
  readonly lane: ObjectLane;
  readonly change: TimelineChange;
}

/** All changes of a timeline in their order. */
export function changesIn({ lanes }: Pick<Timeline, 'lanes'>): LaneChange[] {
  const all = lanes.flatMap((lane) => lane.changes.map((change) => ({ lane, change })));
  return all.sort((a, b) => a.change.at - b.change.at);
}

/** Whether a time of day is enough for each moment of a range. */
const isOfOneDay = ({ from, to }: Pick<Timeline, 'from' | 'to'>): boolean => dayOf(from) === dayOf(to);

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** `02:14:03`, with the day before it if the range has several. UTC. */
export function dayTimeText(at: number, range: Pick<Timeline, 'from' | 'to'>): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  return isOfOneDay(range) ? time.slice(0, 8) : `${day.slice(5)} ${time.slice(0, 8)}`;
}

/** `2026-11-28 02:05:00 to 02:20:00 UTC`. */
export function rangeText({ from, to }: Pick<Timeline, 'from' | 'to'>): string {
  const whole = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return `${whole(from)} to ${isOfOneDay({ from, to }) ? whole(to).slice(11) : whole(to)} UTC`;
}

/** `4 → 9`; with the worst value if it is neither the first nor the last. */
export function amountText({ points, worst }: TimelineSeries, arrow = ' → '): string {
  const values = points.map(([, value]) => value).filter((value) => value !== null);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const extreme = worst === 'least' ? Math.min(...values) : Math.max(...values);
  if (extreme !== first && extreme !== last) return [first, extreme, last].join(arrow);
  return first === last ? `${first}` : [first, last].join(arrow);
}
