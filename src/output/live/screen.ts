/** The size of a terminal, in cells and lines. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_SCREEN = '\x1b[H\x1b[J';
/**
 * Terminals that know this mode show everything between the two at once; others ignore it. Source: DEC private mode
 * 2026.
 */
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';

/**
 * Lines at the bottom of a terminal that are redrawn in place. It returns the text that changes the shown lines into
 * new ones, and does not write it. Only lines that differ are in that text. It does not use the alternate screen, so
 * the last lines stay when it ends. The lines must fit into the terminal, in width and number: the text is wrong if a
 * line wraps.
 */
export class Screen {
  #shown: readonly string[] = [];
  #size: ScreenSize | undefined;
  /** The index of the drawn line that has the cursor. */
  #at = 0;
  #isOpen = false;

  /**
   * The text that shows these lines; '' if they are shown already. After a change of size it clears the screen, because
   * terminals move their lines in different ways.
   */
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

  /**
   * The text that removes the lines, so that other text can be written in their place. The next lines are drawn below
   * it.
   */
  clear(): string {
    const out = this.#shown.length === 0 ? '' : `${this.#goTo(0)}\r${CLEAR_BELOW}`;
    this.#forget();
    return out;
  }

  /** The text that ends the drawing: the lines stay, and the cursor is visible below them. */
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

  /** Moves the cursor. Line feeds lead to new lines, because they scroll the terminal; cursor moves do not. */
  #goTo(line: number): string {
    const from = this.#at;
    this.#at = line;
    if (line < from) return `\x1b[${from - line}A`;
    const last = Math.max(from, Math.min(line, this.#shown.length - 1));
    return `${last > from ? `\x1b[${last - from}B` : ''}${'\r\n'.repeat(line - last)}`;
  }
}
