import { humanDuration } from '../../../kit/duration.ts';
import type { UiChange, UiEvent, UiMessages, UiOwner } from '../wire.ts';
import { byId, clockTime, el, number, safe, setText, tabs } from './dom.ts';

/** Lines beyond this have no colours. */
const MOST_COLOURED = 4000;

/** How long the button says that it copied, ms. */
const COPIED_MS = 1500;
const TABS = ['yaml', 'changes', 'about'] as const;

export interface DetailOptions {
  now(): number;
  onClose(): void;
  /** The user wants to see an owner that is cached. */
  onOwner(type: string, key: string): void;
}

/** The panel of one object: its YAML, its owners, Events about it, and its changes with who made them. */
export class Detail {
  readonly #panel = byId('detail');
  readonly #options: DetailOptions;
  #key: string | undefined;
  #last: string | undefined;
  readonly #select: (tab: string) => void;

  constructor(options: DetailOptions) {
    this.#options = options;
    byId('detail-close').addEventListener('click', () => options.onClose());
    byId('detail-copy').addEventListener('click', () => void this.#copy());
    this.#select = tabs(TABS, () => {});
  }

  /** Shows one of the panel's tabs. */
  select(tab: (typeof TABS)[number]): void {
    if (this.#key !== undefined) this.#select(tab);
  }

  get key(): string | undefined {
    return this.#key;
  }

  open(key: string, kind: string): void {
    if (this.#key !== key) {
      byId('yaml').replaceChildren();
      byId('changes').replaceChildren();
      byId('about').replaceChildren();
      byId('owners').hidden = true;
      this.#last = undefined;
      setText(byId('detail-state'), 'loading');
    }
    if (this.#key === undefined) this.#select('yaml');
    this.#key = key;
    setText(byId('detail-name'), `${kind} ${key}`);
    this.#panel.hidden = false;
  }

  close(): void {
    this.#key = undefined;
    this.#panel.hidden = true;
  }

  show({ key, yaml, cut, owners, events, changes, since }: UiMessages['object']): void {
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
    if (!isGone) {
      this.#showOwners(owners);
      this.#showEvents(events);
    }
    setText(byId('tab-changes'), changes.length === 0 ? 'Changes' : `Changes ${number(changes.length)}`);
    const from = `Changes are kept since ${clockTime(since)}.`;
    byId('changes').replaceChildren(
      ...changes.map((change) => this.#article(change)),
      el('p', { class: 'more' }, changes.length === 0 ? `No change yet. ${from}` : from),
    );
  }

  #showOwners(owners: readonly UiOwner[]): void {
    byId('owners').hidden = owners.length === 0;
    byId('owners').replaceChildren(
      ...owners.flatMap(({ kind, key, type, isGone }) => {
        const text = `${kind} ${key}`;
        if (type === undefined) return ['owned by ', el('span', {}, text), isGone ? ' (not there) ' : ' (not cached) '];
        const button = el('button', { type: 'button', title: 'show this owner' }, text);
        button.addEventListener('click', () => this.#options.onOwner(type, key));
        return ['owned by ', button, ' '];
      }),
    );
  }

  #showEvents(events: readonly UiEvent[] | undefined): void {
    setText(byId('tab-about'), events?.length ? `Events ${number(events.length)}` : 'Events');
    const note =
      events === undefined
        ? 'This serve does not cache Events: kubectl informer serve events adds them.'
        : events.length === 0
          ? 'No Events. A cluster keeps them for an hour, as a rule.'
          : '';
    byId('about').replaceChildren(
      ...(events ?? []).map((event) => this.#event(event)),
      ...(note === '' ? [] : [el('p', { class: 'more' }, note)]),
    );
  }

  #event({ at, type, reason, message, count, from }: UiEvent): HTMLElement {
    const ago = at === null ? '' : `${humanDuration(Math.max(0, this.#options.now() - at))} ago`;
    const when = el(
      'div',
      { class: 'when' },
      el('b', { class: type === 'Warning' ? 'b' : 'd' }, reason),
      ...(at === null ? [] : [el('time', { datetime: new Date(at).toISOString() }, clockTime(at))]),
      el(
        'span',
        {},
        [ago, count > 1 ? `${number(count)} times` : '', from && `by ${from}`].filter(Boolean).join(' · '),
      ),
    );
    return el('article', {}, when, el('p', {}, message));
  }

  /** Copies the YAML as it is in the cluster, or the text of the other tabs. */
  async #copy(): Promise<void> {
    const shown = TABS.find((id) => !byId(id).hidden) ?? 'yaml';
    const text = shown === 'yaml' ? (this.#last ?? '') : linesOf(byId(shown));
    const button = byId('detail-copy');
    try {
      await navigator.clipboard.writeText(text);
      setText(button, 'Copied');
    } catch {
      setText(button, 'Not copied');
      button.title = 'the browser does not let this page write to the clipboard';
    }
    setTimeout(() => setText(button, 'Copy'), COPIED_MS);
  }

  #article({ at, what, cause, fields, more, by }: UiChange): HTMLElement {
    const ago = `${humanDuration(Math.max(0, this.#options.now() - at))} ago`;
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

/** The text of articles, each part on a line of its own. */
function linesOf(panel: HTMLElement): string {
  const parts = [...panel.querySelectorAll('.when, dt, del, ins, p')];
  return parts.map(({ tagName, textContent }) => `${SIGNS[tagName] ?? ''}${textContent}`).join('\n');
}
const SIGNS: Readonly<Record<string, string>> = { DEL: '- ', INS: '+ ' };
