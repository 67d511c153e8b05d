import type { UiQuery, UiValues } from '../wire.ts';
import { byId, el, number, setText } from './dom.ts';
import { type Link, ServeRefusal } from './link.ts';

const REFRESH_MS = 3000;
/** The choice that needs a key. */
const BY_LABEL = 'label:KEY';

/** The values of an index as bars. */
export class Bars {
  readonly #link: Link;
  readonly #question: () => UiQuery | undefined;
  readonly #onChosen: (name: string, value: string) => void;
  /** The version of the cache's content; the values are counted again when it differs. */
  readonly #version: () => string | undefined;
  readonly #at: () => number | undefined;
  #counted: string | undefined;
  readonly #index = byId<HTMLSelectElement>('index');
  readonly #labelKey = byId<HTMLInputElement>('label-key');
  #isShown = false;
  #asked = 0;
  #last = '';

  constructor(
    link: Link,
    {
      question,
      version,
      at,
      onChosen,
    }: {
      question(): UiQuery | undefined;
      version(): string | undefined;
      /** The moment of the recording that is shown; undefined: now. */
      at(): number | undefined;
      onChosen(name: string, value: string): void;
    },
  ) {
    this.#link = link;
    this.#question = question;
    this.#onChosen = onChosen;
    this.#version = version;
    this.#at = at;
    this.#index.addEventListener('change', () => {
      byId('label-box').hidden = this.#index.value !== BY_LABEL;
      void this.refresh();
    });
    this.#labelKey.addEventListener('change', () => void this.refresh());
    setInterval(() => {
      if (document.visibilityState === 'visible' && this.#version() !== this.#counted) void this.refresh();
    }, REFRESH_MS);
  }

  set isShown(isShown: boolean) {
    this.#isShown = isShown;
    if (isShown) void this.refresh();
  }

  set indexes(names: readonly string[]) {
    const chosen = this.#index.value;
    this.#index.replaceChildren(
      ...names.map((name) => el('option', { value: name }, name === BY_LABEL ? 'a label …' : name)),
    );
    this.#index.value = names.includes(chosen) ? chosen : (names.find((name) => name === 'node') ?? names[0] ?? '');
    byId('label-box').hidden = this.#index.value !== BY_LABEL;
  }

  get #name(): string {
    const key = this.#labelKey.value.trim();
    return this.#index.value === BY_LABEL ? key && `label:${key}` : this.#index.value;
  }

  async refresh(): Promise<void> {
    const question = this.#question();
    const name = this.#name;
    if (!this.#isShown || !question) return;
    if (!name) {
      this.#show(undefined, name, 'give the key of a label');
      return;
    }
    const asked = ++this.#asked;
    this.#counted = this.#version();
    try {
      const values = await this.#link.ask<UiValues>('values', { question, name, at: this.#at() });
      if (asked === this.#asked) this.#show(values, name, noteOf(values));
    } catch (error) {
      const why =
        error instanceof ServeRefusal ? error.message : 'the serve does not answer; these are the last values';
      if (asked === this.#asked) setText(byId('values-note'), why);
    }
  }

  #show(values: UiValues | undefined, name: string, note: string): void {
    setText(byId('values-note'), note);
    const text = JSON.stringify([name, values]);
    if (text === this.#last) return; // the focus stays where it is
    this.#last = text;
    const most = Math.max(1, ...(values?.values ?? []).map(([, count]) => count));
    byId('bars').replaceChildren(
      ...(values?.values ?? []).map(([value, count]) => {
        const fill = el('i');
        fill.style.width = `${(100 * count) / most}%`;
        return el(
          'div',
          { class: 'line', role: 'listitem' },
          this.#label(name, value, values?.isRedacted === true),
          el('span', { class: 'track', 'aria-hidden': 'true' }, fill),
          el('b', {}, number(count)),
        );
      }),
    );
  }

  #label(name: string, value: string, isRedacted: boolean): HTMLElement {
    const shown = value === '' ? '""' : value;
    if (isRedacted) return el('span', { class: 'text' }, shown);
    const button = el('button', { type: 'button', title: 'show these objects' }, shown);
    button.addEventListener('click', () => this.#onChosen(name, value));
    return button;
  }
}

function noteOf({ values, distinct, objects, without, isRedacted }: UiValues): string {
  const parts = [
    `${number(distinct)} value${distinct === 1 ? '' : 's'} among ${number(objects)} object${objects === 1 ? '' : 's'}`,
    without > 0 ? `${number(without)} without a value` : '',
    values.length < distinct ? `the ${number(values.length)} most frequent are shown` : '',
    isRedacted ? 'digests in place of secret values' : '',
  ];
  return parts.filter(Boolean).join('; ');
}
