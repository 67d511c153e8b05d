/** Size of a terminal, in places and lines. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_SCREEN = '\x1b[H\x1b[J';
/** Terminals that know it show what lies between as one; others ignore it. Source: DEC private mode 2026. */
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';

/**
 * Lines at the bottom of a terminal that are written over. It makes the text that turns what is shown into what shall be, and writes none: only lines that
 * differ are in it. No alternate screen: the last lines stay when it ends. Lines must fit the terminal, in width and number, for the text assumes that none wraps.
 */
export class Screen {
  #shown: readonly string[] = [];
  #size: ScreenSize | undefined;
  /** The line of ours on which the cursor stands. */
  #at = 0;
  #isOpen = false;

  /** The text to write; '' when all is shown already. After a change of size the screen is cleared, for nobody knows how the terminal moved what it showed. */
  draw(lines: readonly string[], size: ScreenSize): string {
    let out = this.#isOpen ? '' : HIDE_CURSOR;
    if (this.#size && (this.#size.columns !== size.columns || this.#size.rows !== size.rows)) {
      out += CLEAR_SCREEN;
      this.#shown = [];
      this.#at = 0;
    }
    this.#size = size;
    this.#isOpen = true;
    out += this.#changes(lines);
    return out === '' ? '' : `${BEGIN_UPDATE}${out}${END_UPDATE}`;
  }

  /** Takes what is shown off the screen, so that other text can be written where it stood; the next lines are drawn below that text. */
  clear(): string {
    const out = this.#shown.length === 0 ? '' : `${this.#goTo(0)}\r${CLEAR_BELOW}`;
    this.#forget();
    return out;
  }

  /** Leaves what is shown, and the cursor visible below it. What is drawn after that begins there. */
  end(): string {
    if (!this.#isOpen) return '';
    this.#isOpen = false;
    const out = `${this.#goTo(Math.max(0, this.#shown.length - 1))}${this.#shown.length > 0 ? '\r\n' : ''}${SHOW_CURSOR}`;
    this.#forget();
    return out;
  }

  #forget(): void {
    this.#shown = [];
    this.#size = undefined;
    this.#at = 0;
  }

  #changes(lines: readonly string[]): string {
    let out = '';
    for (const [i, line] of lines.entries()) {
      if (line !== this.#shown[i]) out += `${this.#goTo(i)}\r${CLEAR_LINE}${line}`;
    }
    if (lines.length < this.#shown.length) out += `${this.#goTo(lines.length)}\r${CLEAR_BELOW}`;
    this.#shown = lines;
    return out === '' ? '' : `${out}${this.#goTo(Math.max(0, lines.length - 1))}\r`;
  }

  /** Down to lines that are not there yet by line feeds, which scroll; else by moves, which do not. */
  #goTo(line: number): string {
    const from = this.#at;
    this.#at = line;
    if (line < from) return `\x1b[${from - line}A`;
    const last = Math.max(from, Math.min(line, this.#shown.length - 1));
    return `${last > from ? `\x1b[${last - from}B` : ''}${'\r\n'.repeat(line - last)}`;
  }
}
