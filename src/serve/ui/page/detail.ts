import { humanDuration } from '../../../kit/duration.ts';
import type { UiChange, UiMessages } from '../wire.ts';
import { byId, clockTime, el, number, safe, setText, tabs } from './dom.ts';

/** Lines beyond this have no colours. */
const MOST_COLOURED = 4000;

/** The panel of one object: its YAML, and its changes with who made them. */
export class Detail {
  readonly #panel = byId('detail');
  readonly #now: () => number;
  #key: string | undefined;
  #last: string | undefined;
  readonly #select: (tab: string) => void;

  constructor({ now, onClose }: { now(): number; onClose(): void }) {
    this.#now = now;
    byId('detail-close').addEventListener('click', onClose);
    this.#panel.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') onClose();
    });
    this.#select = tabs(['yaml', 'changes'], () => {});
  }

  get key(): string | undefined {
    return this.#key;
  }

  open(key: string, kind: string): void {
    if (this.#key !== key) {
      byId('yaml').replaceChildren();
      byId('changes').replaceChildren();
      this.#last = undefined;
      setText(byId('detail-state'), 'loading');
    }
    if (this.#key === undefined) this.#select('yaml');
    this.#key = key;
    setText(byId('detail-name'), `${kind} ${key}`);
    this.#panel.hidden = false;
    byId('detail-name').focus({ preventScroll: true });
  }

  close(): void {
    this.#key = undefined;
    this.#panel.hidden = true;
  }

  show({ key, yaml, cut, changes, since }: UiMessages['object']): void {
    if (key !== this.#key) return;
    const isGone = yaml === undefined;
    setText(byId('detail-state'), isGone ? 'deleted: this is its last known state' : '');
    if (isGone && this.#last === undefined) byId('yaml').replaceChildren('There is no such object any more.');
    if (yaml !== undefined && yaml !== this.#last) {
      this.#last = yaml;
      const box = byId('yaml');
      const { scrollTop, scrollLeft } = box;
      box.replaceChildren(...coloured(yaml));
      if (cut > 0) box.append(el('span', { class: 'cut' }, `\n… ${number(cut)} more characters`));
      [box.scrollTop, box.scrollLeft] = [scrollTop, scrollLeft];
    }
    setText(byId('tab-changes'), changes.length === 0 ? 'Changes' : `Changes ${number(changes.length)}`);
    const from = `Changes are kept since ${clockTime(since)}.`;
    byId('changes').replaceChildren(
      ...changes.map((change) => this.#article(change)),
      el('p', { class: 'more' }, changes.length === 0 ? `No change yet. ${from}` : from),
    );
  }

  #article({ at, what, cause, fields, more, by }: UiChange): HTMLElement {
    const ago = `${humanDuration(Math.max(0, this.#now() - at))} ago`;
    const state = { ADDED: 'g', MODIFIED: 'w', DELETED: 'b' }[what];
    const writers = by === undefined ? '' : `by ${by}`;
    const how = cause === 'relist' ? 'seen by a new list: the states between are not known' : '';
    const when = el(
      'div',
      { class: 'when' },
      el('b', { class: state }, what),
      el('time', { datetime: new Date(at).toISOString() }, clockTime(at)),
      el('span', {}, [ago, writers, how].filter(Boolean).join(' · ')),
    );
    const list = el('dl');
    for (const { path, from, to, by: manager } of fields) {
      list.append(el('dt', {}, path, el('span', { class: 'by' }, `by ${manager ?? 'unknown'}`)));
      const values = el('dd');
      if (from !== undefined) values.append(el('del', {}, from));
      if (to !== undefined) values.append(el('ins', {}, to));
      list.append(values);
    }
    const article = el('article', {}, when, list);
    if (what === 'MODIFIED' && fields.length === 0)
      article.append(el('p', { class: 'count' }, 'no field changed that is shown'));
    if (more > 0) article.append(el('p', { class: 'count' }, `and ${number(more)} more fields`));
    return article;
  }
}

/** The lines of a YAML text, with its keys in a colour. */
function coloured(yaml: string): (Node | string)[] {
  const lines = safe(yaml).split('\n');
  const parts: (Node | string)[] = [];
  for (const line of lines.slice(0, MOST_COLOURED)) {
    const [, indent = '', key = '', rest = line] = /^((?: |- )*)([^\s:"'|>][^:\s]*:|"[^"]*":)(\s.*|)$/.exec(line) ?? [];
    if (indent) parts.push(indent);
    if (key) parts.push(el('span', { class: 'k' }, key));
    parts.push(`${rest}\n`);
  }
  if (lines.length > MOST_COLOURED) parts.push(lines.slice(MOST_COLOURED).join('\n'));
  return parts;
}
