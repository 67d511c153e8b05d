import { builtin } from '../../kit/builtin.ts';
import { neutralised } from '../../kit/escape.ts';
import { wireTime } from '../../model/instant.ts';
import { amountText, changesIn, dayTimeText, type LaneChange, rangeText, type Timeline, type TimelineChange } from '../../timeline/timeline.ts'; // biome-ignore format: one line
import { axisOf, type Drawn, drawn, HATCHES, seriesTrack, trackOf } from '../../timeline/track.ts';
import { SCRIPT, STYLE } from './html-parts.ts';
import { boundsText, changeText, gapTexts } from './timeline-words.ts';

/** A page is not longer than this: a browser opens it at once, and it can be sent in a mail. */
const MOST_CHARACTERS = 900_000;
const LONGEST_TITLE = 160;

/**
 * A timeline as one page that loads nothing: its script and its style are in it, and no other may run. All that comes
 * from the cluster is text in it. Without scripts a mark leads to its change.
 */
export function timelineHtml(timeline: Timeline): string {
  const all = changesIn(timeline);
  const { entries, first } = entriesOf(all, timeline);
  const idOf = new Map(all.slice(first).map(({ change }, i) => [change, `c${first + i}`]));
  const left = { ...timeline.leftOut, changes: timeline.leftOut.changes + first };
  const title = `${timeline.title}, ${rangeText(timeline)}`;
  return `<!doctype html>
${text(
  drawn(
    'html',
    { lang: 'en' },
    drawn(
      'head',
      {},
      drawn('meta', { charset: 'utf-8' }),
      drawn('meta', { 'http-equiv': 'Content-Security-Policy', content: policy() }),
      drawn('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      drawn('meta', { name: 'color-scheme', content: 'light dark' }),
      drawn('meta', { name: 'referrer', content: 'no-referrer' }),
      drawn('title', {}, title),
    ),
  ),
).replace('</head></html>', `<style>${STYLE}</style></head>`)}
<body>
${text(drawn('header', {}, drawn('h1', {}, timeline.title), drawn('p', {}, rangeText(timeline))))}
<main>
${text(picture(timeline, idOf))}
${text(legend(timeline))}
${text(notes(timeline, left))}
<h2>Changes</h2>
<ol class="changes" start="${first + 1}">
${entries.join('\n')}
</ol>
</main>
<div id="tip" aria-hidden="true" hidden></div>
<script>${SCRIPT}</script>
</body></html>
`;
}

function policy(): string {
  const hash = (code: string) => `'sha256-${builtin.crypto().createHash('sha256').update(code).digest('base64')}'`;
  return [
    `default-src 'none'`,
    `script-src ${hash(SCRIPT)}`,
    `style-src ${hash(STYLE)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
}

/** The newest changes for which there is room, the oldest first, and how many are left out before them. */
function entriesOf(
  all: readonly LaneChange[],
  timeline: Timeline,
): { readonly entries: string[]; readonly first: number } {
  const entries: string[] = [];
  let characters = 0;
  for (let i = all.length - 1; i >= 0; i--) {
    const each = all[i] as LaneChange;
    const entry = text(entryOf(each, `c${i}`, timeline));
    characters += entry.length + MARK_CHARACTERS + Math.min(LONGEST_TITLE, entry.length);
    if (characters > MOST_CHARACTERS) return { entries, first: i + 1 };
    entries.unshift(entry);
  }
  return { entries, first: 0 };
}

/** About the length of a mark without its text. */
const MARK_CHARACTERS = 200;

function picture(timeline: Timeline, idOf: ReadonlyMap<TimelineChange, string>): Drawn {
  const rows = timeline.lanes.flatMap((lane) => {
    const shown = { ...lane, changes: lane.changes.filter((change) => idOf.has(change)) };
    const markOf = (change: TimelineChange) => ({
      text: cut(lineOf(change, timeline)),
      href: `#${idOf.get(change)}`,
    });
    const name = drawn('div', { class: `name depth-${Math.min(lane.depth, DEEPEST)}`, title: lane.name }, lane.name);
    const own = drawn('div', { class: 'lane' }, name, trackOf(shown, timeline, markOf));
    const series = lane.series.map((each) => {
      const label = `${each.name} ${amountText(each)}`;
      const about = { class: `name amount depth-${Math.min(lane.depth + 1, DEEPEST)}` };
      return drawn('div', { class: 'lane amount' }, drawn('div', about, label), seriesTrack(each, lane, timeline));
    });
    return [own, ...series];
  });
  return drawn(
    'section',
    { class: 'picture', 'aria-label': 'Timeline' },
    HATCHES,
    ...rows,
    drawn('div', { class: 'lane axis' }, drawn('div', { class: 'name' }, 'UTC'), axisOf(timeline)),
  );
}

/** Names are not indented further. */
const DEEPEST = 4;

/** The kinds of marks and states that the picture has. */
function legend({ lanes, gaps }: Timeline): Drawn {
  const kinds = new Set(lanes.flatMap(({ changes, spans }) => [...changes.map(({ kind }) => kind), ...spans.map(({ state }) => state)])); // biome-ignore format: one line
  const entry = (of: string, words: string, sign: string) => drawn('li', {}, drawn('i', { class: `sign ${of}`, 'aria-hidden': 'true' }, sign), ` ${words}`); // biome-ignore format: one line
  const shown = LEGEND.filter(([of]) => kinds.has(of)).map(([of, words, sign]) => entry(of, words, sign));
  const hatched = gaps.length > 0 ? [entry('gap', 'not seen', '▨')] : [];
  return drawn('ul', { class: 'legend', 'aria-label': 'Legend' }, ...shown, ...hatched);
}

const LEGEND = [
  ['added', 'added', '+'],
  ['changed', 'changed', '◆'],
  ['restarted', 'restarted', '▲'],
  ['deleted', 'deleted', '×'],
  ['status', 'its status alone', '|'],
  ['ready', 'ready', '▬'],
  ['unready', 'not ready', '▬'],
  ['there', 'there', '─'],
] as const;

function notes(timeline: Timeline, leftOut: Timeline['leftOut']): Drawn {
  const gaps = gapTexts(timeline).map((line) => drawn('li', { class: 'gap' }, line));
  return drawn('ul', { class: 'notes' }, ...gaps, ...boundsText({ leftOut }).map((line) => drawn('li', {}, line)));
}

function entryOf({ lane, change }: LaneChange, id: string, timeline: Timeline): Drawn {
  const { at, kind, by, isInferred, fields, more } = change;
  const head = drawn(
    'div',
    { class: 'when' },
    drawn('time', { datetime: wireTime(at) }, dayTimeText(at, timeline)),
    drawn('b', {}, kind),
    drawn('span', { class: 'object' }, lane.name),
    ...(by === '' ? [] : [drawn('span', { class: 'by' }, `by ${by}`)]),
    ...(isInferred ? [drawn('span', { class: 'by' }, 'seen in a list: the steps before it are not known')] : []),
  );
  const rows = fields.map(({ path, from, to, by: writer }) => {
    const author = writer === undefined || writer === by ? [] : [drawn('span', { class: 'by' }, `by ${writer}`)];
    const values = [...(from === undefined ? [] : [drawn('del', {}, from)]), ...(to === undefined ? [] : [drawn('ins', {}, to)])]; // biome-ignore format: one line
    return drawn('li', {}, drawn('code', {}, path), ...author, ...values);
  });
  const rest = more > 0 ? [drawn('li', {}, `${more} more fields`)] : [];
  const about = { id, class: kind, tabindex: '-1' };
  if (rows.length + rest.length === 0) return drawn('li', about, head);
  const list = drawn('ul', {}, ...rows, ...rest);
  if (kind !== 'status') return drawn('li', about, head, list);
  const first = drawn('span', { class: 'by' }, cut(changeText(change)));
  const short = { ...head, children: [...head.children, first] };
  return drawn('li', about, drawn('details', {}, drawn('summary', {}, short), list));
}

/** A change for those who do not see its mark: its author comes before its values, which may be long. */
function lineOf(change: TimelineChange, timeline: Timeline): string {
  const head = `${dayTimeText(change.at, timeline)} ${change.kind}${change.by === '' ? '' : ` by ${change.by}`}`;
  return change.fields.length === 0 ? head : `${head}: ${changeText(change)}`;
}

const cut = (line: string) => (line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE)}…` : line);

/** Elements without an end. */
const VOID = new Set(['meta']);

/** The text of an element; every text and attribute in it is escaped. */
function text({ tag, attributes, children }: Drawn): string {
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const inner = children.map((child) => (typeof child === 'string' ? escaped(child) : text(child)));
  return `<${tag}${named.join('')}>${inner.join('')}${VOID.has(tag) ? '' : `</${tag}>`}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (value: string) => neutralised(value).replace(/[&<>"']/g, (c) => ENTITIES[c] as string);
