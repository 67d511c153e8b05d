import type { UiLane, UiMark, UiMessages, UiTypeState } from '../wire.ts';
import { byId, clockTime, el } from './dom.ts';

/** Events in the list. */
const MOST_EVENTS = 200;
const TICKS = 4;

/** The continuity ledgers as time lines, and their events as a list. */
export class Chart {
  readonly #now: () => number;
  #since = 0;
  readonly #lanes = new Map<string, UiLane>();
  #names = new Map<string, string>();
  #isShown = false;

  constructor(now: () => number) {
    this.#now = now;
    byId('range').addEventListener('change', () => this.draw());
  }

  set isShown(isShown: boolean) {
    this.#isShown = isShown;
    if (isShown) {
      this.draw();
      this.#list();
    }
  }

  /** Forgets all: another stream begins, which sends all. */
  clear(): void {
    this.#lanes.clear();
  }

  take({ since, lanes }: UiMessages['timeline']): void {
    this.#since = since;
    for (const lane of lanes) this.#lanes.set(`${lane.type} ${lane.scope ?? ''}`, lane);
    if (!this.#isShown) return;
    this.draw();
    this.#list();
  }

  names(types: readonly UiTypeState[]): void {
    this.#names = new Map(types.map(({ id, name }) => [id, name]));
  }

  /** Draws the lanes up to now. */
  draw(): void {
    if (!this.#isShown) return;
    const until = this.#now();
    const range = Number(byId<HTMLSelectElement>('range').value);
    const from = range === 0 ? Math.min(this.#since, until - 1000) : until - range;
    byId('lanes').replaceChildren(
      ...[...this.#lanes.values()].map((lane) => this.#lane(lane, from, until)),
      el('div', { class: 'lane', 'aria-hidden': 'true' }, el('span'), axis(from, until)),
    );
  }

  #lane(lane: UiLane, from: number, until: number): HTMLElement {
    const name = this.#nameOf(lane);
    const track = el('div', { class: 'track', role: 'img', 'aria-label': `${name}: ${spoken(lane, until)}` });
    const percent = (at: number) => (100 * (Math.max(from, Math.min(until, at)) - from)) / (until - from);
    for (const { state, from: start, to = until, why } of lane.spans) {
      if (to < from || start > until) continue;
      const title = `${SPAN_WORDS[state]} ${clockTime(start)} – ${clockTime(to)}${why ? `: ${why}` : ''}`;
      const span = el('i', { class: state, title });
      span.style.left = `${percent(start)}%`;
      span.style.width = `${percent(to) - percent(start)}%`;
      track.append(span);
    }
    for (const { at, kind, text } of lane.marks) {
      if (at < from || at > until || !MARKED.has(kind)) continue;
      const mark = el('i', { class: `mark ${kind}`, title: `${clockTime(at)} ${text}` });
      mark.style.left = `${percent(at)}%`;
      track.append(mark);
    }
    return el('div', { class: 'lane' }, el('span', { class: 'name' }, name), track);
  }

  #list(): void {
    const events = [...this.#lanes.values()]
      .flatMap((lane) => lane.marks.map((mark) => ({ lane, mark })))
      .sort((a, b) => b.mark.at - a.mark.at)
      .slice(0, MOST_EVENTS);
    byId('events').replaceChildren(
      ...events.map(({ lane, mark }) =>
        el(
          'div',
          { class: 'line', role: 'listitem' },
          el('time', { datetime: new Date(mark.at).toISOString() }, clockTime(mark.at)),
          el('i', { class: `mark ${mark.kind}` }),
          el('span', { class: 'name' }, this.#nameOf(lane)),
          el('span', { class: 'text' }, mark.text),
        ),
      ),
    );
  }

  #nameOf({ type, scope }: UiLane): string {
    return (this.#names.get(type) ?? type) + (scope ? ` in ${scope}` : '');
  }
}

const MARKED: ReadonlySet<UiMark['kind']> = new Set(['synced', 'relisted', 'resumed']);

const SPAN_WORDS = {
  connected: 'connected',
  connecting: 'connecting',
  outage: 'no connection',
  gap: 'changes may be missing',
} as const;

/** The content of the picture, in words. */
function spoken({ spans, marks }: UiLane, until: number): string {
  const now = spans.findLast(({ state, to }) => state !== 'gap' && to === undefined);
  const count = (what: string, n: number) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const outages = spans.filter(({ state }) => state === 'outage').length;
  const gaps = spans.filter(({ state }) => state === 'gap').length;
  const relists = marks.filter(({ kind }) => kind === 'relisted').length;
  const state = now ? `${SPAN_WORDS[now.state]} since ${clockTime(now.from)}` : `unknown at ${clockTime(until)}`;
  return `${state}; ${count('outage', outages)}, ${count('gap', gaps)}, ${count('relist', relists)}`;
}

function axis(from: number, until: number): HTMLElement {
  const made = el('div', { class: 'axis' });
  for (let i = 0; i <= TICKS; i++) {
    const tick = el('span', {}, clockTime(from + ((until - from) * i) / TICKS));
    tick.style.left = `${(100 * i) / TICKS}%`;
    made.append(tick);
  }
  return made;
}
