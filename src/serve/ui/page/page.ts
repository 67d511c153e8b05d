import { humanDuration } from '../../../kit/duration.ts';
import type { UiMessage, UiMessages, UiQuery, UiRefusal, UiSubject, UiTypeState } from '../wire.ts';
import { attach } from './attached.ts';
import { Bars } from './bars.ts';
import { Chart } from './chart.ts';
import { Detail } from './detail.ts';
import { byId, clockTime, el, number, safe, setText, tabs } from './dom.ts';
import { Grid } from './grid.ts';
import { listenForKeys } from './keys.ts';
import { Link, type LinkState, ServeRefusal } from './link.ts';

/** Typing ends when no key came for this long, ms. */
const TYPING_MS = 200;
/** The panel follows the rows when no further one came for this long, ms. */
const FOLLOW_MS = 120;
/** Without a message for this long the serve counts as silent, ms. */
const SILENT_MS = 8000;
/** A sign of life that is older than this is marked: the server sends one about every minute, ms. */
const OLD_MS = 120_000;

const FIELDS = ['name', 'selector', 'where', 'filter'] as const;
/** Boxes whose text may be wrong. */
const CHECKED = ['selector', 'where', 'filter'] as const;
const input = (id: string) => byId<HTMLInputElement>(id);
const namespace = byId<HTMLSelectElement>('namespace');

let session: string | undefined;
let types: readonly UiTypeState[] = [];
let type: string | undefined;
let index: UiQuery['index'];
let view = 0;
let rowsView = -1;
let shownView = -1;
/** The question whose rows are shown, as text. */
let shownQuestion: string | undefined;
/** The question of `rowsView`, as text. */
let askedQuestion: string | undefined;
/**
 * Whether the present query has no whole answer yet. `refused`: it will have none, and the rows answer the one before.
 */
let waiting: 'no' | 'asked' | 'refused' = 'no';
let progress: UiMessages['progress'] | undefined;
let objectView = -1;
let subject: UiSubject | undefined;
let tally: UiMessages['tally'] | undefined;
let state: LinkState = { kind: 'opening' };
let skew = 0;
let lastMessageAt = 0;
/** The moment of the recording that is shown; undefined: now. */
let at: number | undefined;
let typing: number | undefined;
let following: number | undefined;

const now = () => at ?? Date.now() + skew;
const link = new Link(take, linkChanged);
const grid = new Grid(byId('grid'), { onOpen: openObject, onMove: follow, now });
const detail = new Detail({ now, onClose: closeObject, onOwner: openOwner });
const chart = new Chart(now);
const bars = new Bars(link, {
  question,
  version: () => (at === undefined ? types.find(({ id }) => id === type)?.version : `${at}`),
  at: () => at,
  onChosen: chooseValue,
});
const selectPanel = tabs(['objects', 'values', 'continuity'], panelShown);

// --- messages of the stream ---

function take(message: UiMessage): void {
  lastMessageAt = Date.now();
  switch (message.event) {
    case 'hello':
      hello(message.data);
      break;
    case 'state':
      stateTaken(message.data);
      break;
    case 'timeline':
      chart.take(message.data);
      break;
    case 'columns':
      if (message.data.view !== rowsView) return;
      if (shownView !== rowsView) begin();
      grid.columns = message.data.columns;
      drawExample(message.data.columns.map(({ heading }) => heading));
      counted();
      break;
    case 'rows':
      if (message.data.view === rowsView) grid.apply(message.data.set, message.data.gone);
      counted();
      break;
    case 'progress':
      if (message.data.view === rowsView) progress = message.data;
      counted();
      break;
    case 'tally':
      if (message.data.view === rowsView) tallied(message.data);
      return;
    case 'object':
      if (message.data.view === objectView) detail.show(message.data);
  }
}

/** The first message for what is asked now. Rows of another question leave at once: they may not match this one. */
function begin(): void {
  const isSameType = shownQuestion !== undefined && JSON.parse(shownQuestion).type === type;
  grid.begin(shownQuestion === askedQuestion ? 'same question' : isSameType ? 'same type' : 'other type');
  grid.old = false;
  [shownView, shownQuestion] = [rowsView, askedQuestion];
}

function hello(data: UiMessages['hello']): void {
  session = data.session;
  chart.clear();
  skew = data.now - Date.now();
  setText(byId('server'), data.server);
  byId('server').title = `${data.program}, since ${new Date(data.startedAt).toLocaleString()}`;
  bars.indexes = data.indexes;
  if (type !== undefined) void ask({ question: question() ?? null, subject: subject ?? null });
}

/** Shows a moment of the recording, or now again. Resolves when the serve has found it. */
async function moveTo(moment: number | undefined): Promise<void> {
  at = moment;
  drawHealth();
  await ask({ question: question() ?? null, subject: subject ?? null });
  void bars.refresh();
}

function stateTaken(data: UiMessages['state']): void {
  skew = data.now - Date.now();
  types = data.types;
  chart.names(types);
  drawTypes();
  if (!types.some(({ id }) => id === type)) {
    const wanted = new URLSearchParams(location.hash.slice(1)).get('type');
    const first = types.find(({ id, name }) => id === wanted || name === wanted) ?? types[0];
    if (first) chooseType(first.id);
  }
  drawHealth();
  counted();
}

function tallied(data: UiMessages['tally']): void {
  tally = data;
  grid.live = data.isWhole;
  if (data.isWhole) waiting = 'no';
  drawNamespaces(data.namespaces);
  drawNote();
  counted();
}

// --- questions ---

function question(): UiQuery | undefined {
  if (type === undefined) return undefined;
  const text = (id: (typeof FIELDS)[number]) => input(id).value.trim() || undefined;
  const isNamespaced = types.find(({ id }) => id === type)?.namespaced !== false;
  return {
    type,
    namespace: (isNamespaced && namespace.value) || undefined,
    name: text('name'),
    selector: text('selector'),
    where: text('where'),
    filter: text('filter'),
    index,
  };
}

async function ask(what: { question?: UiQuery | null; subject?: UiSubject | null }): Promise<void> {
  if (session === undefined) return;
  const asked = ++view;
  const before = { rowsView, askedQuestion };
  if (what.question !== undefined) {
    rowsView = asked;
    askedQuestion = JSON.stringify(what.question);
    waiting = 'asked';
    progress = undefined;
    grid.old = askedQuestion !== shownQuestion;
    counted();
  }
  if (what.subject !== undefined) objectView = asked;
  try {
    await link.ask('view', { session, number: asked, ...what, at });
    if (what.question !== undefined && rowsView === asked) showRefusal(undefined);
  } catch (error) {
    if (!(error instanceof ServeRefusal)) return; // the stream says that the serve is away
    if (error.status === 410) return link.start();
    if (what.question !== undefined && rowsView === asked) {
      ({ rowsView, askedQuestion } = before); // the server keeps the rows from before
      waiting = 'refused';
      showRefusal(error.refusal);
      counted();
    }
  }
}

function askRows(): void {
  clearTimeout(typing);
  keepInFragment();
  void ask({ question: question() ?? null });
  void bars.refresh();
}

function chooseType(id: string): void {
  const isFirst = type === undefined;
  type = id;
  index = undefined;
  if (isFirst) readFragment();
  else for (const field of ['name', 'where', 'filter'] as const) input(field).value = '';
  const chosen = types.find((each) => each.id === id);
  byId('field-namespace').hidden = chosen?.namespaced === false;
  byId('grid').setAttribute('aria-label', chosen?.name ?? id);
  document.title = safe(`${chosen?.name ?? id} · ${byId('server').textContent} · kubectl informer`);
  tally = undefined;
  if (subject !== undefined) closeObject();
  drawChips();
  drawTypes();
  askRows();
}

function chooseValue(name: string, value: string): void {
  index = { name, value };
  drawChips();
  selectPanel('objects');
  askRows();
}

function openObject(key: string): void {
  if (type === undefined) return;
  subject = { type, key };
  detail.open(key, types.find(({ id }) => id === type)?.kind ?? '');
  grid.opened = key;
  void ask({ subject });
}

/** An open panel shows the row that the user moves to. */
function follow(key: string): void {
  clearTimeout(following);
  if (subject !== undefined) following = setTimeout(() => openObject(key), FOLLOW_MS);
}

function openOwner(of: string, key: string): void {
  if (of !== type) chooseType(of);
  selectPanel('objects');
  openObject(key);
}

function closeObject(): void {
  clearTimeout(following);
  if (subject === undefined) return;
  subject = undefined;
  detail.close();
  grid.opened = undefined;
  grid.focus();
  void ask({ subject: null });
}

function panelShown(id: string): void {
  byId('ask').hidden = id === 'continuity';
  byId('wide-box').hidden = id !== 'objects';
  byId('count').hidden = id === 'continuity';
  chart.isShown = id === 'continuity';
  bars.isShown = id === 'values';
  drawNote();
}

/** The question is kept in the address, so that a reload has it. The token is not. */
function keepInFragment(): void {
  const parts = new URLSearchParams();
  const { type: of, index: by, ...texts } = question() ?? {};
  if (of) parts.set('type', of);
  for (const [name, text] of Object.entries(texts)) if (text) parts.set(name, text);
  if (by) parts.set('index', `${by.name}=${by.value}`);
  history.replaceState(null, '', `${location.pathname}#${parts}`);
}

function readFragment(): void {
  const parts = new URLSearchParams(location.hash.slice(1));
  for (const field of FIELDS) input(field).value = parts.get(field) ?? '';
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(parts.get('index') ?? '') ?? [];
  if (name !== undefined && value !== undefined) index = { name, value };
  const chosen = parts.get('namespace');
  if (chosen) drawNamespaces([[chosen, 0]], chosen);
}

// --- drawing ---

function drawTypes(): void {
  const list = byId('types');
  const known = new Map([...list.children].map((item) => [(item as HTMLElement).dataset.id, item]));
  for (const { id, name, objects, connection, hasSynced } of types) {
    let item = known.get(id);
    known.delete(id);
    if (!item) {
      const button = el('button', { type: 'button' }, el('i', {}), el('span', { class: 'name' }, name), el('span'));
      button.addEventListener('click', () => chooseType(id));
      item = el('li', {}, button);
      (item as HTMLElement).dataset.id = id;
      list.append(item);
    }
    const button = item.firstElementChild as HTMLElement;
    const [dot, , count] = button.children as unknown as [Element, Element, Element];
    dot.className = `dot ${connection}`;
    count.className = 'number';
    setText(count, hasSynced ? number(objects) : '…');
    button.setAttribute('aria-current', String(id === type));
    button.setAttribute('aria-label', `${name}, ${number(objects)} objects, ${connection}`);
    button.title = `${name}: ${connection}`;
  }
  for (const item of known.values()) item.remove();
}

function drawNamespaces(names: readonly (readonly [string, number])[], wanted = namespace.value): void {
  const options = new Map(names.map(([name, count]) => [name, `${name} (${number(count)})`]));
  if (wanted && !options.has(wanted)) options.set(wanted, `${wanted} (0)`);
  const text = JSON.stringify([...options]);
  if (namespace.dataset.drawn === text && namespace.value === wanted) return;
  namespace.dataset.drawn = text;
  namespace.replaceChildren(
    el('option', { value: '' }, 'all'),
    ...[...options].map(([value, label]) => el('option', { value }, label)),
  );
  namespace.value = wanted;
}

/** An example in the empty box that the columns of the type have. */
function drawExample(headings: readonly string[]): void {
  const examples = {
    RESTARTS: 'RESTARTS > 3',
    STATUS: 'STATUS != "Active"',
    READY: 'READY != "1/1"',
    DATA: 'DATA > 1',
  };
  const last = headings.includes('AGE')
    ? 'AGE < duration("1h")'
    : headings.length > 0
      ? `${headings.at(-1)} != ""`
      : '';
  const [, example = last] = Object.entries(examples).find(([name]) => headings.includes(name)) ?? [];
  input('where').placeholder = example;
}

function drawChips(): void {
  byId('chips').replaceChildren();
  if (!index) return;
  const remove = el('button', { type: 'button', 'aria-label': 'Remove this condition' }, '✕');
  remove.addEventListener('click', () => {
    index = undefined;
    drawChips();
    askRows();
  });
  byId('chips').append(el('span', { class: 'chip' }, `${index.name} = ${index.value}`, remove));
}

function showRefusal(refusal: UiRefusal | undefined): void {
  for (const field of CHECKED) {
    const isWrong = refusal !== undefined && refusal.field === field;
    input(field).setAttribute('aria-invalid', String(isWrong));
    byId(`${field}-error`).replaceChildren(...(isWrong && refusal ? refusalNodes(refusal) : []));
  }
  const isElsewhere = refusal !== undefined && !CHECKED.some((field) => field === refusal.field);
  byId('note').dataset.refusal = isElsewhere ? refusal.error : '';
  drawNote();
}

function refusalNodes({ error, hint, position }: UiRefusal): Node[] {
  return [
    ...(position === undefined
      ? []
      : [el('span', { class: 'caret', 'aria-hidden': 'true' }, `${' '.repeat(position)}^`)]),
    el('span', {}, position === undefined ? error : placed(error, position)),
    ...(hint ? [el('span', { class: 'hint' }, hint)] : []),
  ];
}

/** The place in words too, for those who do not see the mark. */
const placed = (error: string, position: number) =>
  / at (line \d+, )?column \d+$/.test(error) ? error : `${error} at character ${position + 1}`;

function drawNote(): void {
  const refusal = byId('note').dataset.refusal;
  const text = refusal || tally?.remark || '';
  setText(byId('note'), text);
  byId('note').hidden = text === '' || byId('ask').hidden;
}

function counted(): void {
  const known = types.find(({ id }) => id === type);
  if (!known) return;
  const of = at === undefined ? known : { ...known, hasSynced: true, objects: tally?.total ?? grid.size };
  setText(byId('count'), countText(of));
  byId('count').classList.toggle('waiting', waiting !== 'no');
  grid.empty = !of.hasSynced
    ? `${of.name}: the initial list has not arrived yet`
    : waiting !== 'no' || tally?.view !== shownView
      ? ''
      : of.objects > 0
        ? `None of ${number(of.objects)} ${of.name} matches.`
        : `There are no ${of.name}.`;
}

/** The number of rows; while not all objects have been looked at, how far that is. */
function countText({ objects, name, kind }: UiTypeState): string {
  if (waiting === 'refused') return 'this question is refused; the rows answer the one before';
  if (waiting === 'asked') {
    const { type: _, ...narrowing } = JSON.parse(askedQuestion ?? '{}') as UiQuery;
    if (Object.keys(narrowing).length === 0)
      return `loading… ${number(grid.old ? 0 : grid.size)} of ${number(objects)} ${name}`;
    return `filtering… ${number(progress?.looked ?? 0)} of ${number(objects)} ${name} looked at`;
  }
  if (grid.size !== objects) return `${number(grid.size)} of ${number(objects)} ${name}`;
  return objects === 1 ? `1 ${kind.toLowerCase()}` : `${number(objects)} ${name}`;
}

function linkChanged(next: LinkState): void {
  state = next;
  if (next.kind !== 'open') session = undefined;
  const isRefused = next.kind === 'refused';
  byId('gate').hidden = !isRefused;
  byId('app').hidden = isRefused;
  if (isRefused) setText(byId('gate-why'), next.why);
  drawHealth();
}

/** The age of what is shown, and what is wrong with it. */
function drawHealth(): void {
  const away = types.filter(({ connection }) => connection === 'disconnected');
  const gaps = types.filter(({ isGap }) => isGap);
  const isSilent = state.kind === 'open' && lastMessageAt > 0 && Date.now() - lastMessageAt > SILENT_MS;
  const isLost = state.kind === 'lost' || isSilent;
  byId('app').classList.toggle('lost', isLost);
  byId('app').classList.toggle('stale', isLost || away.some(({ id }) => id === type));
  let [word, look] = isLost
    ? ['serve away', 'bad']
    : state.kind !== 'open'
      ? [state.kind === 'asleep' ? 'asleep' : 'connecting', 'waiting']
      : away.length > 0
        ? ['no connection', 'bad']
        : gaps.length > 0
          ? ['gap', 'waiting']
          : types.some(({ hasSynced }) => !hasSynced)
            ? ['syncing', 'waiting']
            : ['live', 'good'];
  if (at !== undefined && !isLost) [word, look] = ['past', 'waiting'];
  setText(byId('pill'), word as string);
  byId('pill').className = `pill ${look}`;
  drawBanner(away, gaps, isSilent);
  const sign = types.find(({ id }) => id === type)?.lastSign;
  const age = sign === undefined ? undefined : Math.max(0, now() - sign);
  const isOld = at === undefined && age !== undefined && age > OLD_MS;
  setText(byId('age'), age === undefined || at !== undefined ? '' : `data ${humanDuration(age)} old`);
  byId('age').title = sign === undefined ? '' : `the last sign of life of the API server was at ${clockTime(sign)}`;
  byId('age').classList.toggle('old', isOld);
}

function drawBanner(away: readonly UiTypeState[], gaps: readonly UiTypeState[], isSilent: boolean): void {
  const banner = byId('banner');
  const names = (of: readonly UiTypeState[]) => of.map(({ name }) => name).join(', ');
  const first = away[0];
  let [title, text] = ['', ''];
  if (state.kind === 'lost' || isSilent) {
    const since = state.kind === 'lost' ? state.since : lastMessageAt;
    title = 'The serve is away.';
    const why = state.kind === 'lost' ? state.why : 'it sends nothing';
    text = `No answer since ${clockTime(since)}: ${why}. What you see is from then. Trying again; if it was stopped, start kubectl informer serve --ui again and open the URL that it prints.`;
  } else if (first) {
    title = 'The API server is away.';
    text = `${names(away)}: no connection since ${clockTime(first.connectionSince)}${first.why ? ` (${first.why})` : ''}. What you see is from then; trying again.`;
  } else if (gaps.length > 0) {
    title = 'Changes may be missing.';
    text = `${names(gaps)}: the history was lost; a new list is on its way.`;
  }
  banner.hidden = title === '';
  banner.classList.toggle('waiting', !first && gaps.length > 0 && state.kind !== 'lost');
  if (banner.dataset.text === title + text) return;
  banner.dataset.text = title + text;
  banner.replaceChildren(el('b', {}, title), safe(text));
}

// --- start ---

attach({
  moveTo,
  ask: (path, body) => link.ask(path, body),
  shown: () => ({ type, kind: types.find(({ id }) => id === type)?.kind, namespace: namespace.value, subject }),
});

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  askRows();
});
for (const field of FIELDS) {
  input(field).addEventListener('input', () => {
    grid.old = JSON.stringify(question()) !== shownQuestion;
    clearTimeout(typing);
    typing = setTimeout(askRows, TYPING_MS);
  });
  input(field).addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      askRows();
    }
  });
}
namespace.addEventListener('change', askRows);
input('wide').addEventListener('change', () => {
  grid.wide = input('wide').checked;
});
const toBox = (id: string) => () => {
  selectPanel('objects');
  input(id).focus();
};
listenForKeys(
  {
    '/': toBox('name'),
    w: toBox('where'),
    j: () => grid.step(1),
    k: () => grid.step(-1),
    y: () => detail.select('yaml'),
    c: () => detail.select('changes'),
    e: () => detail.select('about'),
  },
  closeObject,
);
addEventListener('hashchange', () => {
  if (link.takeToken()) link.start();
});
setInterval(() => {
  grid.tick();
  drawHealth();
  chart.draw();
}, 1000);
link.takeToken();
link.start();
