import { neutralised } from '../../../kit/escape.ts';

/** The element with this id, which the page is known to have. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** A text that shows what it has: characters without width, and those that turn the direction, are visible. */
export const safe = neutralised;

/**
 * An element with text, never HTML: data of the cluster comes in only as {@link safe} text nodes and as attributes that
 * are not script.
 */
export function el(tag: string, attributes: Attributes = {}, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.map((child) => (typeof child === 'string' ? safe(child) : child)));
  return made;
}

/** Writes a text only if it differs: screen readers announce each write. */
export function setText(node: Element, text: string): void {
  const shown = safe(text);
  if (node.textContent !== shown) node.textContent = shown;
}

export const number = (value: number): string => value.toLocaleString('en');

/** `14:03:09`. */
export const clockTime = (ms: number): string => new Date(ms).toTimeString().slice(0, 8);

/** Makes a row of tabs: one is selected, arrow keys move, and each shows its panel. */
export function tabs(ids: readonly string[], chosen: (id: string) => void): (id: string) => void {
  const tab = (id: string) => byId(`tab-${id}`);
  const select = (id: string) => {
    for (const each of ids) {
      const isSelected = each === id;
      tab(each).setAttribute('aria-selected', String(isSelected));
      tab(each).tabIndex = isSelected ? 0 : -1;
      byId(each).hidden = !isSelected;
    }
    chosen(id);
  };
  for (const [i, id] of ids.entries()) {
    tab(id).addEventListener('click', () => select(id));
    tab(id).addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = ids[(i + step + ids.length) % ids.length];
      if (step === 0 || next === undefined) return;
      select(next);
      tab(next).focus();
    });
  }
  return select;
}
