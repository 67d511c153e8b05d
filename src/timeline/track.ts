import { axisTicks } from './axis.ts';
import { type Columns, gapColumns, runsOf, seriesColumns, spanColumns } from './columns.ts';
import { amountText, type ObjectLane, type Timeline, type TimelineChange, type TimelineSeries } from './timeline.ts';

/** An element of SVG, for a text or for a document. */
export interface Drawn {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Drawn | string)[];
}

export const drawn = (
  tag: string,
  attributes: Drawn['attributes'],
  ...children: readonly (Drawn | string)[]
): Drawn => ({ tag, attributes, children });

type Range = Pick<Timeline, 'from' | 'to'>;

/** The finest parts that are drawn. All places are percentages, so that a picture has any width. */
const FINEST = 1_000;
const TRACK_HEIGHT = 24;
const SERIES_HEIGHT = 20;
const MIDDLE = TRACK_HEIGHT / 2;
/** The times below a picture: a phone has room for them. */
const MOST_TICKS = 5;

const columnsIn = ({ from, to }: Range): Columns => ({ from, to, width: FINEST });
const percent = (part: number) => `${Math.round(part * 1e4) / 100}%`;
const place = (first: number, count: number) => ({ x: percent(first / FINEST), width: percent(count / FINEST) });

/** The place of a time in a picture, from 0 to 1. */
const partOf = (at: number, { from, to }: Range): number =>
  to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;

/** The pattern of times that were not seen. It must be in the document once, in a picture that is not hidden. */
export const HATCHES: Drawn = drawn(
  'svg',
  { class: 'hatches', width: '0', height: '0', 'aria-hidden': 'true' },
  drawn(
    'pattern',
    { id: 'hatch', width: '6', height: '6', patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    drawn('rect', { width: '2.5', height: '6' }),
  ),
);

/** The mark of a change: a link to a place if there is one. */
interface TrackMark {
  readonly text: string;
  readonly href?: string | undefined;
}

/** The track of an object: its states, its gaps hatched, and a mark for each change. */
export function trackOf(lane: ObjectLane, range: Range, markOf: (change: TimelineChange) => TrackMark): Drawn {
  const spans = runsOf(spanColumns(lane, columnsIn(range))).flatMap(
    ({ value, first, count }) =>
    value === undefined ? [] : [drawn('rect', { class: value, ...place(first, count), y: `${MIDDLE - HALF[value]}`, height: `${2 * HALF[value]}` })], // biome-ignore format: one line
  );
  // what is drawn later covers what is below: a change of the status never hides another one
  const isOfStatus = ({ kind }: TimelineChange) => kind === 'status';
  const ordered = [...lane.changes.filter(isOfStatus), ...lane.changes.filter((each) => !isOfStatus(each))];
  const marks = ordered.map((change) => mark(change, range, markOf(change)));
  const about = { class: 'track', role: 'group', 'aria-label': lane.name, width: '100%', height: `${TRACK_HEIGHT}` };
  return drawn('svg', about, ...spans, ...gapsOf(lane, range, TRACK_HEIGHT), ...marks);
}

/** Half of the height of a state: states differ by more than their colour. */
const HALF = { ready: 4, unready: 2, there: 1 } as const;

/** The track of a number: steps from the bottom. */
export function seriesTrack(series: TimelineSeries, lane: ObjectLane, range: Range): Drawn {
  const most = Math.max(1, ...series.points.map(([, value]) => value ?? 0));
  const steps = runsOf(seriesColumns(series, columnsIn(range))).flatMap(({ value, first, count }) => {
    if (value === null) return [];
    const height = value <= 0 ? 1 : Math.max(3, (value / most) * (SERIES_HEIGHT - 2));
    return [drawn('rect', { class: 'step', ...place(first, count), y: `${round(SERIES_HEIGHT - height)}`, height: `${round(height)}` })]; // biome-ignore format: one line
  });
  const about = { class: 'track', role: 'img', 'aria-label': `${series.name} of ${lane.name}: ${amountText(series)}`, width: '100%', height: `${SERIES_HEIGHT}` }; // biome-ignore format: one line
  return drawn('svg', about, ...steps, ...gapsOf(lane, range, SERIES_HEIGHT));
}

/** The times below the tracks: UTC, or of a zone that is `zoneMs` ahead of it. */
export function axisOf(range: Range, most = MOST_TICKS, zoneMs = 0): Drawn {
  const local = { from: range.from + zoneMs, to: range.to + zoneMs };
  const ticks = axisTicks(local, most).flatMap(({ at: shown, text }) => {
    const at = shown - zoneMs;
    const part = partOf(at, range);
    const anchor = part < 0.06 ? 'start' : part > 0.94 ? 'end' : 'middle';
    return [
      drawn('line', { x1: percent(part), x2: percent(part), y1: '0', y2: '4' }),
      drawn('text', { x: percent(part), y: '16', 'text-anchor': anchor }, text),
    ];
  });
  return drawn('svg', { class: 'axis', width: '100%', height: '20', 'aria-hidden': 'true' }, ...ticks);
}

/** Covers what is below: nothing is drawn through a gap. */
function gapsOf(lane: Pick<ObjectLane, 'gaps'>, range: Range, height: number): Drawn[] {
  return runsOf(gapColumns(lane, columnsIn(range))).flatMap(
    ({ value, first, count }) =>
    value ? ['unseen', 'gap'].map((of) => drawn('rect', { class: of, ...place(first, count), y: '0', height: `${height}` })) : [], // biome-ignore format: one line
  );
}

/** The signs of marks, around their middle. */
const SIGNS: Readonly<Record<TimelineChange['kind'], string>> = {
  added: 'M0-5.5V5.5M-5.5 0H5.5',
  changed: 'M0-6 5 0 0 6-5 0z',
  restarted: 'M0-5.5 5.5 4.5H-5.5z',
  deleted: 'M-4.5-4.5 4.5 4.5M4.5-4.5-4.5 4.5',
  status: 'M0-3.5V3.5',
};

function mark(change: TimelineChange, range: Range, { text, href }: TrackMark): Drawn {
  const sign = drawn('path', { d: SIGNS[change.kind] });
  const about = { class: `mark ${change.kind}` };
  const shown =
    href === undefined
      ? drawn('g', about, drawn('title', {}, text), sign)
      : drawn('a', { ...about, href, 'aria-label': text }, sign);
  return drawn('svg', { x: percent(partOf(change.at, range)), y: `${MIDDLE}`, overflow: 'visible' }, shown);
}

const round = (n: number) => Math.round(n * 10) / 10;
