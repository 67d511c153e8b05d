import { type Results, type RunResult, runOf } from './results.ts';

/** A line of the plot: a program, by the id of its rows. */
interface Line {
  readonly id: string;
  readonly name: string;
  /** Class of its colour, and how it is dashed. */
  readonly colour: string;
  readonly dash?: string;
}

const LINES: readonly Line[] = [
  { id: 'sync', name: 'this library', colour: 'a' },
  { id: 'once', name: 'watch --once', colour: 'a', dash: '5 3' },
  { id: 'client-node', name: 'client-node', colour: 'b' },
  { id: 'go-dynamic', name: 'client-go, dynamic', colour: 'c' },
  { id: 'go-typed', name: 'client-go, typed', colour: 'c', dash: '5 3' },
  { id: 'kubectl', name: 'kubectl get -A', colour: 'd' },
  { id: 'kubectl-json', name: 'kubectl get -A -o json', colour: 'd', dash: '5 3' },
  { id: 'parse', name: 'floor: JSON.parse', colour: 'e' },
  { id: 'download', name: 'floor: download', colour: 'e', dash: '2 3' },
];

const PANEL = { width: 380, height: 300, left: 62, top: 40, gap: 84 };
const LEGEND = { rows: 3, line: 20, column: 290 };
const WIDTH = PANEL.left + 2 * PANEL.width + PANEL.gap + 24;
const HEIGHT = PANEL.top + PANEL.height + 56 + LEGEND.rows * LEGEND.line + 10;

// Colours that are legible on white and on black, and distinct for people who cannot see red or green.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .title { font-size: 13px; font-weight: 600 }
  .grid { stroke: #8c959f; stroke-opacity: .3 }
  .line { fill: none; stroke-width: 2 }
  .a { stroke: #0969da } .b { stroke: #d1700f } .c { stroke: #1a8f7a } .d { stroke: #a040a0 } .e { stroke: #7d858d }
  circle { fill: #fff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #adbac7 }
    circle { fill: #0d1117 }
    .a { stroke: #58a6ff } .b { stroke: #f0883e } .c { stroke: #3fc4a9 } .d { stroke: #d58cd5 }
  }`;

/**
 * Time and memory of an initial list against the number of objects, both axes logarithmic, as an SVG that is legible on
 * light and dark pages.
 */
export function plotSvg(results: Results): string {
  const sizes = [...new Set(results.runs.filter(({ id }) => id === 'sync').map(({ objects }) => objects))].sort(
    (a, b) => a - b,
  );
  const lines = LINES.filter(({ id }) => runOf(results, id) !== undefined);
  const description = `Time and peak memory of an initial list of ${sizes.map(short).join(', ')} pods`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${description}">`,
    `<style>${STYLE}\n</style>`,
    panel(results, lines, { sizes, x: PANEL.left, title: 'wall time, seconds', value: (run) => run.wallMs / 1000 }),
    panel(results, lines, {
      sizes,
      x: PANEL.left + PANEL.width + PANEL.gap,
      title: 'peak resident memory, MB',
      value: (run) => run.peakRssMb,
    }),
    legend(lines),
    '</svg>\n',
  ].join('\n');
}

interface PanelOptions {
  readonly sizes: readonly number[];
  readonly x: number;
  readonly title: string;
  readonly value: (run: RunResult) => number | undefined;
}

function panel(results: Results, lines: readonly Line[], { sizes, x, title, value }: PanelOptions): string {
  const points = lines.map((line) => ({ line, at: pointsOf(results, line, sizes, value) }));
  const values = points.flatMap(({ at }) => at.map(([, v]) => v));
  if (values.length === 0) return '';
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const across = scale([sizes[0] ?? 1, sizes.at(-1) ?? 1], [x + 12, x + PANEL.width - 12]);
  const up = scale([low, high], [PANEL.top + PANEL.height, PANEL.top]);
  const bottom = PANEL.top + PANEL.height;
  return [
    `<text class="title" x="${x}" y="${PANEL.top - 14}">${title}</text>`,
    ...ticks(low, high).map(
      (v) => gridLine([x, up(v)], [x + PANEL.width, up(v)]) + label(x - 8, up(v) + 4, short(v), 'end'),
    ),
    ...sizes.map(
      (n) => gridLine([across(n), PANEL.top], [across(n), bottom]) + label(across(n), bottom + 18, short(n), 'middle'),
    ),
    label(x + PANEL.width / 2, bottom + 36, 'pods', 'middle'),
    ...points.map(({ line, at }) =>
      curve(
        line,
        at.map(([n, v]) => [across(n), up(v)]),
      ),
    ),
  ].join('\n');
}

type Point = readonly [number, number];

function pointsOf(results: Results, { id }: Line, sizes: readonly number[], value: PanelOptions['value']): Point[] {
  return sizes.flatMap((size) => {
    const run = runOf(results, id, size);
    const v = run && value(run);
    return v === undefined ? [] : [[size, v] as const];
  });
}

/** Logarithmic; everything in the middle when there is one value only. */
function scale([low, high]: Point, [from, to]: Point): (value: number) => number {
  const span = Math.log(high / low);
  return (value) => round(span === 0 ? (from + to) / 2 : from + ((to - from) * Math.log(value / low)) / span);
}

function ticks(low: number, high: number): number[] {
  const found: number[] = [];
  for (let v = low; v <= high * 1.001; v *= 10) found.push(v);
  return found;
}

function curve({ colour, dash }: Line, at: readonly Point[]): string {
  const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
  const path = `<polyline class="line ${colour}"${dashes} points="${at.map((p) => p.join(',')).join(' ')}"/>`;
  return path + at.map(([x, y]) => `<circle class="${colour}" cx="${x}" cy="${y}" r="3"/>`).join('');
}

function gridLine([x1, y1]: Point, [x2, y2]: Point): string {
  return `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

function legend(lines: readonly Line[]): string {
  const top = HEIGHT - LEGEND.rows * LEGEND.line;
  return lines
    .map((line, i) => {
      const x = PANEL.left + Math.floor(i / LEGEND.rows) * LEGEND.column;
      const y = top + (i % LEGEND.rows) * LEGEND.line;
      const sample: Point[] = [
        [x, y],
        [x + 30, y],
      ];
      return curve(line, sample) + label(x + 40, y + 4, line.name, 'start');
    })
    .join('\n');
}

/** `1k`, `200k`, `0.1`. */
function short(value: number): string {
  if (value >= 1000) return `${round(value / 1000)}k`;
  return String(Number(value.toPrecision(1)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
