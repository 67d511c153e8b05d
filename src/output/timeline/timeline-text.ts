import { axisTicks } from '../../timeline/axis.ts';
import { type Columns, columnAt, gapColumns, runsOf, seriesColumns, spanColumns } from '../../timeline/columns.ts';
import { amountText,
  changesIn, dayTimeText, type LaneChange, type ObjectLane, rangeText, type Timeline, type TimelineChange, type TimelineSeries } from '../../timeline/timeline.ts'; // biome-ignore format: one line
import { cellText } from '../escape.ts';
import type { Painter } from '../painter.ts';
import { displayWidth, withoutMiddle } from '../tables/display-width.ts';
import { wrapped } from '../wrapped.ts';
import { boundsText, changeText, gapTexts } from './timeline-words.ts';

export interface TimelineTextOptions {
  readonly painter: Painter;
  /** The width of the picture, in columns. */
  readonly columns: number;
  /** Only characters of ASCII. */
  readonly ascii: boolean;
}

/** The changes that are listed below the picture. */
const MOST_LISTED = 20;
const NARROWEST_TRACK = 16;
/** The part of the width that names may take. */
const NAMES_PART = 0.42;

/** The content of one place of a track. */
type Cell = TimelineChange['kind'] | 'ready' | 'unready' | 'there' | 'gap' | 'none';

const SIGNS: Readonly<Record<Cell, readonly [text: string, ascii: string]>> = {
  added: ['+', '+'],
  changed: ['◆', '*'],
  restarted: ['!', '!'],
  deleted: ['×', 'x'],
  status: ['━', '='], // the line shows it
  gap: ['░', '/'],
  ready: ['━', '='],
  unready: ['╌', '.'],
  there: ['─', '-'],
  none: [' ', ' '],
};

/** The cells that the legend explains, in its order. */
const EXPLAINED = [
  ['added', 'added'],
  ['changed', 'changed'],
  ['restarted', 'restarted'],
  ['deleted', 'deleted'],
  ['ready', 'ready'],
  ['unready', 'not ready'],
  ['there', 'there'],
  ['gap', 'not seen'],
] as const;

/** The marks of one place: the rarer one is shown. */
const MARKS: readonly (Cell | undefined)[] = ['deleted', 'added', 'changed', 'restarted'];

/** Draws a timeline for a terminal: a track for each object, its numbers below it, the changes and gaps as lines. */
export function timelineText(timeline: Timeline, options: TimelineTextOptions): string {
  const { painter, columns } = options;
  const rows = timeline.lanes.flatMap((lane) => rowsOf(lane, arrowOf(options)));
  const widest = Math.max(...rows.map(({ name }) => displayWidth(name)));
  const names = Math.max(1, Math.min(widest, Math.floor(columns * NAMES_PART), columns - NARROWEST_TRACK - 2));
  const width = Math.max(1, columns - names - 2);
  const drawing = new Drawing(timeline, width, options);
  const tracks = rows.map((row) => {
    const track = row.series ? drawing.series(row.lane, row.series) : drawing.track(row.lane);
    const name = withoutMiddle(row.name, names, options.ascii);
    const padded = name + ' '.repeat(Math.max(0, names - displayWidth(name)));
    return `${row.series ? painter.faint(padded) : padded}  ${track}`.trimEnd();
  });
  const head = wrapped(`${cellText(timeline.title)}, ${rangeText(timeline)}`, columns);
  const sections = [
    [painter.heading(head), painter.faint(`${' '.repeat(names)}  ${drawing.axis()}`.trimEnd()), ...tracks],
    drawing.legend().map((line) => painter.faint(line)),
    changeLines(timeline, options),
    [...gapTexts(timeline), ...boundsText(timeline)].map((line) => wrapped(line, columns)),
  ];
  const shown = sections.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

interface Row {
  readonly lane: ObjectLane;
  readonly name: string;
  readonly series?: TimelineSeries;
}

function rowsOf(lane: ObjectLane, arrow: string): Row[] {
  const indent = '  '.repeat(lane.depth);
  const own = { lane, name: indent + cellText(lane.name) };
  return [
    own,
    ...lane.series.map((series) => ({ lane, series, name: `${indent}  ${series.name} ${amountText(series, arrow)}` })),
  ];
}

/** The tracks of a timeline, in a number of columns. */
class Drawing {
  readonly #timeline: Timeline;
  readonly #columns: Columns;
  readonly #options: TimelineTextOptions;
  readonly #used = new Set<Cell>();

  constructor(timeline: Timeline, width: number, options: TimelineTextOptions) {
    this.#timeline = timeline;
    this.#columns = { from: timeline.from, to: timeline.to, width };
    this.#options = options;
  }

  axis(): string {
    const bar = this.#options.ascii ? '|' : '│';
    const { width } = this.#columns;
    let line = '';
    for (const { at, text } of axisTicks(this.#timeline, Math.max(1, Math.floor(width / 10)))) {
      const column = columnAt(at, this.#columns);
      const isAtEnd = column + 1 + text.length > width;
      const begin = isAtEnd ? column - text.length : column;
      if (begin < line.length + Math.sign(line.length)) continue;
      line = line.padEnd(begin) + (isAtEnd ? text + bar : bar + text);
    }
    return line;
  }

  track(lane: ObjectLane): string {
    const columns = this.#columns;
    const gaps = gapColumns(lane, columns);
    const cells = spanColumns(lane, columns).map((state, i): Cell => (gaps[i] ? 'gap' : (state ?? 'none')));
    const rankOf = (cell: Cell | undefined) => MARKS.indexOf(cell);
    for (const { kind, at } of lane.changes) {
      const column = columnAt(at, columns);
      const other = rankOf(cells[column]);
      if (kind !== 'status' && (other < 0 || rankOf(kind) < other)) cells[column] = kind;
    }
    for (const cell of cells) this.#used.add(cell);
    return this.#painted(cells.map((cell) => ({ cell, sign: this.#sign(cell) })));
  }

  series(lane: ObjectLane, series: TimelineSeries): string {
    const most = Math.max(0, ...series.points.map(([, value]) => value ?? 0));
    const gaps = gapColumns(lane, this.#columns);
    const cells = seriesColumns(series, this.#columns).map((value, i): { cell: Cell; sign: string } => {
      const cell = gaps[i] ? 'gap' : value === null ? 'none' : 'there';
      return { cell, sign: cell === 'there' ? this.#level(value ?? 0, most) : this.#sign(cell) };
    });
    return this.#painted(cells);
  }

  /** One line if there is room for it. */
  legend(): string[] {
    const words = EXPLAINED.flatMap(([cell, word]) => (this.#used.has(cell) ? [`${this.#sign(cell)} ${word}`] : []));
    const lines: string[] = [];
    for (const word of words) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 2 + word.length <= this.#options.columns)
        lines[lines.length - 1] = `${last}  ${word}`;
      else lines.push(word);
    }
    return lines;
  }

  #sign(cell: Cell): string {
    return SIGNS[cell][this.#options.ascii ? 1 : 0];
  }

  #level(value: number, most: number): string {
    const levels = this.#options.ascii ? ASCII_LEVELS : LEVELS;
    if (value <= 0 || most <= 0) return levels[0] as string;
    return levels[Math.max(1, Math.round((value / most) * (levels.length - 1)))] as string;
  }

  /** Signs that follow each other in one colour are painted together. */
  #painted(cells: readonly { readonly cell: Cell; readonly sign: string }[]): string {
    const signs = cells.map(({ sign }) => sign);
    return runsOf(cells.map(({ cell }) => cell))
      .map(({ value, first, count }) => this.#paint(value, signs.slice(first, first + count).join('')))
      .join('');
  }

  #paint(cell: Cell, text: string): string {
    const { painter } = this.#options;
    switch (cell) {
      case 'ready':
        return painter.state('good', text);
      case 'unready':
      case 'restarted':
        return painter.state('bad', text);
      case 'gap':
        return painter.state('ending', text);
      case 'added':
        return painter.event('ADDED', text);
      case 'changed':
        return painter.event('MODIFIED', text);
      case 'deleted':
        return painter.event('DELETED', text);
      default:
        return text;
    }
  }
}

const LEVELS = '▁▂▃▄▅▆▇█';
const ASCII_LEVELS = '_.:-=+*#';

/** Below this width a change takes two lines. */
const NARROW = 72;

/** The last changes of more than the status. */
function changeLines(timeline: Timeline, options: TimelineTextOptions): string[] {
  const all = changesIn(timeline).filter(({ change }) => change.kind !== 'status' && change.kind !== 'restarted');
  const more = all.length - MOST_LISTED;
  const lines = all.slice(-MOST_LISTED).flatMap((each) => linesOf(each, timeline, options));
  return more > 0 ? [`${more} changes before these are marks alone`, ...lines] : lines;
}

/** The time, the object, the fields and the author of a change; the fields are cut where there is no room. */
function linesOf({ lane, change }: LaneChange, timeline: Timeline, options: TimelineTextOptions): string[] {
  const { columns, ascii } = options;
  const by = change.by === '' ? '' : `  (${cellText(change.by)})`;
  const text = changeText(change, arrowOf(options));
  const head = `${dayTimeText(change.at, timeline)}  ${cellText(lane.name)}`;
  const room = columns - displayWidth(head) - displayWidth(by) - 2;
  if (columns >= NARROW && room >= Math.min(displayWidth(text), NARROWEST_TEXT))
    return [`${head}  ${withoutMiddle(text, room, ascii)}${by}`];
  return [withoutMiddle(head + by, columns, ascii), `  ${withoutMiddle(text, columns - 2, ascii)}`];
}

const NARROWEST_TEXT = 24;
const arrowOf = ({ ascii }: TimelineTextOptions) => (ascii ? '->' : '→');
