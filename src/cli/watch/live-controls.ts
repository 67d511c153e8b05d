import type { Distance, LiveTable } from '../../output/live/live-table.ts';
import type { KeyPress } from '../terminal/keys.ts';

/** The request of a key to the program, beside its effect on the table. */
export type LiveRequest = 'quit' | 'interrupt' | 'suspend';

/** A step on the screen: by rows, or by screens. */
type Step = Distance | 'page-up' | 'page-down';

/** Carries out what keys ask of a live table. A key without a meaning is answered with a remark. */
export class LiveControls {
  readonly #table: LiveTable;
  readonly #page: () => number;

  /** `page` returns the number of rows of a screen. */
  constructor(table: LiveTable, page: () => number) {
    this.#table = table;
    this.#page = page;
    table.useKeys();
  }

  press(press: KeyPress): LiveRequest | undefined {
    const { key, text } = press;
    if (key === 'interrupt' || key === 'suspend') return key;
    const table = this.#table;
    table.remark(undefined);
    if (table.isTyping) this.#type(press);
    else if (table.isKeysPage) table.back();
    else if (key === 'quit') {
      if (!table.isAway) return 'quit';
      table.back();
    } else {
      const step = text in ACTIONS ? undefined : (STEPS[text] ?? (key && STEPS[key]));
      if (step !== undefined) this.#move(step, key === 'up' || key === 'down');
      else (ACTIONS[text] ?? ACTIONS[key ?? ''] ?? unknownKey(text))(table);
    }
    return undefined;
  }

  #move(step: Step, isByRow: boolean): void {
    const table = this.#table;
    const page = Math.max(1, this.#page());
    const by = step === 'page-up' ? -page : step === 'page-down' ? page : step;
    if (isByRow && !table.isAway) table.select(by);
    else table.scroll(by);
  }

  /** While a search is typed, letters are letters. */
  #type({ key, text }: KeyPress): void {
    const table = this.#table;
    const typed = table.searchText;
    if (key === 'enter') table.search(typed);
    else if (key === 'escape') table.search(undefined);
    else if (key === 'erase') table.search([...typed].slice(0, -1).join(''), { isTyped: true });
    else if (key === 'erase-all') table.search('', { isTyped: true });
    else if (key === 'up' || key === 'down') this.#moveWhileTyping(text, key);
    else if (PRINTABLE.test(text)) table.search(typed + text, { isTyped: true });
  }

  /** The arrow keys end the typing and keep the search; `k` and `j` are letters. */
  #moveWhileTyping(text: string, key: 'up' | 'down'): void {
    const table = this.#table;
    if (PRINTABLE.test(text)) table.search(table.searchText + text, { isTyped: true });
    else {
      table.search(table.searchText);
      this.#move(STEPS[key] ?? 0, true);
    }
  }
}

const PRINTABLE = /^[^\p{C}]$/u;

const STEPS: Readonly<Record<string, Step>> = {
  up: -1,
  down: 1,
  'page-up': 'page-up',
  'page-down': 'page-down',
  top: 'top',
  bottom: 'bottom',
  f: 'page-down',
};

const ACTIONS: Readonly<Record<string, (table: LiveTable) => void>> = {
  ' ': (table) => table.pause(),
  p: (table) => table.pause(),
  '/': (table) => table.startSearch(),
  s: (table) => table.sort(1),
  S: (table) => table.sort(-1),
  r: (table) => table.reverse(),
  '?': (table) => table.showKeys(),
  h: (table) => table.sideways(-1),
  l: (table) => table.sideways(1),
  left: (table) => table.sideways(-1),
  right: (table) => table.sideways(1),
  enter: (table) => table.toggleObject(),
  escape: (table) => table.back(),
};

const unknownKey = (text: string) => (table: LiveTable) =>
  table.remark(`${PRINTABLE.test(text) ? text : 'this'} is no key here; ? shows the keys`);
