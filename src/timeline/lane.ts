import { isJsonMap } from '../kit/exact-json.ts';
import { type FieldChange, type Fields, fieldChanges } from '../model/field-changes.ts';
import { kstatusOf } from '../model/kstatus.ts';
import { fieldManagers } from '../stream/changes/field-managers.ts';
import { numbersIn, type ObjectNumbers, worstOf } from './amounts.ts';
import type { ObjectLane, TimelineChange, TimelineField, TimelineGap, TimelineSeries, TimelineSpan } from './timeline.ts'; // biome-ignore format: one line

/** A change of an object as it was recorded. */
export interface SeenState {
  /** When it was received, ms since 1970. */
  readonly at: number;
  /** `THERE`: it was there when the recording began, which is no change. */
  readonly event: 'THERE' | 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly isInferred: boolean;
  readonly who: string | undefined;
  readonly object: Fields;
  /** Undefined: it is not known. */
  readonly before: Fields | undefined;
}

/** The times and the texts of a timeline. */
export interface LaneOptions {
  readonly from: number;
  readonly to: number;
  /** Two values of a changed field as short texts. */
  readonly values: (before: unknown, after: unknown) => readonly [string, string];
  /** The changes that are shown. Default: all. */
  readonly shows?: ((change: FieldChange | undefined, who: string | undefined) => boolean) | undefined;
}

/** The fields of a change that are named. */
const MOST_FIELDS = 8;

/** Gathers the states of the objects of one name, in their order, and makes a lane of them. */
export class LaneBuilder {
  readonly #options: LaneOptions;
  readonly #changes: TimelineChange[] = [];
  readonly #spans: TimelineSpan[] = [];
  readonly #series = new Map<string, [number, number | null][]>();
  #open: { readonly state: TimelineSpan['state']; readonly from: number } | undefined;
  #amounts: ObjectNumbers = new Map();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Takes the next state. Those before the range only say what was at its begin. */
  see(seen: SeenState): void {
    const { from, to } = this.#options;
    if (seen.at > to) return;
    const amounts = seen.event === 'DELETED' ? new Map<string, number>() : numbersIn(seen.object);
    if (seen.at >= from) {
      const change = this.#changeOf(seen, (amounts.get('restarts') ?? 0) > (this.#amounts.get('restarts') ?? 0));
      if (change) this.#changes.push(change);
    }
    const at = Math.max(from, seen.at);
    this.#enter(seen.event === 'DELETED' ? undefined : stateOf(seen.object, seen.at), at);
    for (const name of new Set([...amounts.keys(), ...this.#amounts.keys()]))
      this.#point(name, at, amounts.get(name) ?? null);
    this.#amounts = amounts;
  }

  /** The lane. `isWhole`: numbers that never differ are shown too. */
  lane(
    about: Pick<ObjectLane, 'name' | 'namespace' | 'depth'>,
    gaps: readonly TimelineGap[],
    isWhole: boolean,
  ): ObjectLane {
    this.#enter(undefined, this.#options.to);
    const series = [...this.#series].map(([name, points]): TimelineSeries => ({ name, worst: worstOf(name), points }));
    return {
      ...about,
      changes: this.#changes,
      spans: this.#spans,
      series: series.filter(({ points }) => isTelling(points, isWhole)),
      gaps,
    };
  }

  #enter(state: TimelineSpan['state'] | undefined, at: number): void {
    if (this.#open?.state === state) return;
    if (this.#open && at > this.#open.from) this.#spans.push({ ...this.#open, to: at });
    this.#open = state && { state, from: at };
  }

  #point(name: string, at: number, value: number | null): void {
    const points = this.#series.get(name) ?? [];
    this.#series.set(name, points);
    const last = points.at(-1);
    if (last?.[1] === value) return;
    if (last?.[0] === at) points.pop();
    points.push([at, value]);
  }

  #changeOf(seen: SeenState, isRestart: boolean): TimelineChange | undefined {
    const { at, event, isInferred, who = '', object, before } = seen;
    const { shows = () => true } = this.#options;
    const all = event === 'MODIFIED' && before ? fieldChanges(before, object) : [];
    if (event === 'THERE') return undefined;
    // an update without a field is nothing but what every write changes
    if (event === 'MODIFIED' ? !all.some((each) => shows(each, who)) : !shows(undefined, who)) return undefined;
    const told = all
      .filter(({ path }) => path !== '.metadata')
      .sort((a, b) => Number(isOfStatus(a)) - Number(isOfStatus(b)));
    const managerOf = told.length === 0 ? () => undefined : fieldManagers(before ?? {}, object);
    const fields = told.slice(0, MOST_FIELDS).map((each) => this.#fieldOf(each, managerOf(each)));
    const kind = KINDS[event] ?? (isRestart ? 'restarted' : told.every(isOfStatus) ? 'status' : 'changed');
    return { at, kind, by: who, isInferred, fields, more: told.length - fields.length };
  }

  #fieldOf(change: FieldChange, by: string | undefined): TimelineField {
    const { path, kind, before, after } = change;
    const [from, to] = this.#options.values(before, after);
    return {
      path,
      ...(kind === 'added' ? {} : { from }),
      ...(kind === 'removed' ? {} : { to }),
      ...(by === undefined ? {} : { by }),
    };
  }
}

const KINDS: Readonly<Record<string, TimelineChange['kind'] | undefined>> = { ADDED: 'added', DELETED: 'deleted' };

/** The status, and what controllers write with it: the node of a pod, revisions, the time that is left to it. */
function isOfStatus({ path, before, after }: FieldChange): boolean {
  if (path !== '.metadata.annotations') return OF_STATUS.test(path);
  const keys = [before, after].flatMap((value) => (isJsonMap(value) ? Object.keys(value) : []));
  return keys.every((key) => key.startsWith('deployment.kubernetes.io/'));
}

const OF_STATUS =
  /^\.(status\b|spec\.nodeName$|metadata\.deletionGracePeriodSeconds$|metadata\.annotations\['deployment\.kubernetes\.io\/)/;

function stateOf(object: Fields, at: number): TimelineSpan['state'] {
  const isReady = kstatusOf(object, at).status === 'Current';
  if (object.status === undefined && isReady) return 'there';
  return isReady ? 'ready' : 'unready';
}

/** Whether a number says something: it differs, or the lane is that of the object itself. */
function isTelling(points: TimelineSeries['points'], isWhole: boolean): boolean {
  const values = new Set(points.map(([, value]) => value).filter((value) => value !== null));
  return values.size > 1 || (isWhole && [...values].some((value) => value > 0));
}
