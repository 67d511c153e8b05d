import { amountText, type ObjectLane, type Timeline, type TimelineChange } from '../../../timeline/timeline.ts';
import { axisOf, type Drawn, HATCHES, seriesTrack, trackOf } from '../../../timeline/track.ts';
import { attachedPage } from './attached.ts';
import { byId, clockTime, el, safe, setText } from './dom.ts';

/** The slider has come to rest when it has not moved for this long, ms. */
const REST_MS = 120;
/** How often the page looks at which objects it shows, ms. */
const LOOK_MS = 300;
/** A picture that is older than this is drawn again when the slider is taken, ms. */
const OLD_MS = 5_000;
/** While now is shown, the picture is drawn again after this time, or after 20 times as long as it took, ms. */
const AGAIN_MS = 10_000;
const STEPS = 1_000;
/** The width of a time below the picture, with the room around it. */
const TICK_WIDTH = 90;

const page = attachedPage();
const slider = byId<HTMLInputElement>('past-slider');
const rows = byId('past-rows');

let timeline: Timeline | undefined;
/** The objects that are drawn, as text, and when they were asked for. */
let drawnFor = '';
let drawnAt = 0;
let tookMs = 0;
/** Undefined: now. */
let moment: number | undefined;
let resting: number | undefined;
let isMoving = false;

const cursor = el('div', { class: 'past-cursor', 'aria-hidden': 'true' });

/** The moment of the slider; its right end is now. */
function chosen(): number | undefined {
  if (!timeline || Number(slider.value) >= STEPS) return undefined;
  return Math.round(timeline.from + (Number(slider.value) / STEPS) * (timeline.to - timeline.from));
}

function wanted(): { readonly type: string; readonly namespace?: string; readonly name?: string } | undefined {
  const { type, namespace, subject } = page.shown();
  if (type === undefined) return undefined;
  if (!subject) return namespace === '' ? { type } : { type, namespace };
  const [name = '', own] = subject.key.split('/').reverse();
  return { type: subject.type, name, ...(own === undefined ? {} : { namespace: own }) };
}

/** Draws the objects that the page shows, if they are others than before or the picture is old. */
async function refresh(isDue = false): Promise<void> {
  const query = wanted();
  const text = JSON.stringify(query);
  if (!query || (text === drawnFor && !isDue)) return;
  [drawnFor, drawnAt] = [text, Date.now()];
  try {
    const answer = await page.ask<Timeline | Record<string, never>>('timeline', query);
    tookMs = Date.now() - drawnAt;
    if (drawnFor !== text) return;
    timeline = 'lanes' in answer ? (answer as Timeline) : undefined;
    draw();
  } catch (error) {
    drawnFor = ''; // asked for again
    setText(byId('past-note'), `The recording cannot be asked: ${error instanceof Error ? error.message : error}`);
  }
}

function draw(): void {
  byId('past').hidden = false;
  const known = timeline;
  slider.disabled = !known;
  if (!known) {
    rows.replaceChildren();
    byId('past-axis').replaceChildren();
    setText(byId('past-title'), 'Time');
    setText(byId('past-note'), 'It is not in the recording yet.');
    return;
  }
  setText(byId('past-title'), known.title);
  rows.replaceChildren(node(HATCHES), ...known.lanes.flatMap((lane) => lanesOf(lane, known)), cursor);
  const most = Math.max(2, Math.floor(byId('past-axis').clientWidth / TICK_WIDTH));
  const zoneMs = -new Date().getTimezoneOffset() * 60_000; // all times of the page are those of the browser
  byId('past-axis').replaceChildren(node(axisOf(known, Math.min(8, most), zoneMs)));
  if (moment !== undefined) slider.value = String((STEPS * (moment - known.from)) / (known.to - known.from));
  say();
}

function lanesOf(lane: ObjectLane, known: Timeline): HTMLElement[] {
  const markOf = (change: TimelineChange) => ({ text: safe(markText(change)) });
  const row = (name: string, depth: number, track: Drawn) =>
    el('div', { class: 'past-row' }, el('span', { class: `name depth-${Math.min(4, depth)}`, title: name }, name), node(track)); // biome-ignore format: one line
  return [
    row(lane.name, lane.depth, trackOf(lane, known, markOf)),
    ...lane.series.map((each) =>
      row(`${each.name} ${amountText(each)}`, lane.depth + 1, seriesTrack(each, lane, known)),
    ),
  ];
}

function markText({ at, kind, by, fields, more }: TimelineChange): string {
  const values = fields.slice(0, 4).map(({ path, from, to }) => `${path}: ${from ?? ''} → ${to ?? ''}`);
  const rest = more + Math.max(0, fields.length - values.length);
  return [
    `${clockTime(at)} ${kind}${by === '' ? '' : ` by ${by}`}`,
    ...values,
    ...(rest > 0 ? [`${rest} more`] : []),
  ].join('\n');
}

/** An element of the document; texts in it are shown as they are. */
function node({ tag, attributes, children }: Drawn): Element {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, safe(value));
  made.append(...children.map((child) => (typeof child === 'string' ? safe(child) : node(child))));
  return made;
}

/** The moment that is shown, and whether the recording saw it. */
function say(): void {
  byId('past-now').hidden = moment === undefined;
  byId('past').classList.toggle('is-past', moment !== undefined);
  cursor.hidden = moment === undefined;
  slider.setAttribute('aria-valuetext', moment === undefined ? 'now' : whenText(moment));
  setText(byId('past-time'), moment === undefined ? 'Now' : whenText(moment));
  if (!timeline) return;
  const { from, to, gaps, leftOut } = timeline;
  if (moment !== undefined) cursor.style.setProperty('--part', `${(moment - from) / (to - from)}`);
  const gap =
    moment === undefined ? undefined : gaps.find((each) => each.from <= (moment ?? 0) && (moment ?? 0) <= each.to);
  const unseen = gap
    ? `The recording did not see this moment (${gap.reason}): ${gap.types.join(', ')} may be different.`
    : '';
  const rest = leftOut.lanes > 0 ? `${leftOut.lanes} more objects are not drawn.` : '';
  byId('past').classList.toggle('is-unseen', unseen !== '');
  setText(byId('past-note'), unseen || (moment === undefined ? rest : ''));
}

const whenText = (at: number) => `${new Date(at).toLocaleDateString('en-CA')} ${clockTime(at)}`;

/** Shows the moment of the slider. One is asked for at a time: the last one that is wanted meanwhile comes next. */
async function move(): Promise<void> {
  if (isMoving) return;
  isMoving = true;
  try {
    for (let shown: number | undefined | null = null; shown !== moment; ) {
      shown = moment;
      await page.moveTo(moment);
    }
  } finally {
    isMoving = false;
  }
}

function take(): void {
  moment = chosen();
  say();
  clearTimeout(resting);
  resting = setTimeout(() => void move(), REST_MS);
}

function backToNow(): void {
  slider.value = String(STEPS);
  take();
  slider.focus();
  void refresh(true);
}

slider.min = '0';
slider.max = String(STEPS);
slider.value = String(STEPS);
slider.addEventListener('input', take);
for (const kind of ['pointerdown', 'focus'])
  slider.addEventListener(kind, () => {
    if (moment === undefined && Date.now() - drawnAt > OLD_MS) void refresh(true);
  });
byId('past-now').addEventListener('click', backToNow);
setInterval(() => {
  const isNow = moment === undefined && document.visibilityState === 'visible';
  void refresh(isNow && Date.now() - drawnAt > Math.max(AGAIN_MS, 20 * tookMs));
}, LOOK_MS);
