const ESC = String.fromCharCode(27);
const CODE = new RegExp(`^${ESC}\\[([?\\d;]*)([A-Za-z])$`);
const PARTS = new RegExp(`${ESC}\\[[?\\d;]*[A-Za-z]|[\\r\\n]|[^${ESC}\\r\\n]+|${ESC}`, 'g');

/**
 * As much of a terminal as the live table uses: it shows what was written, and scrolls. A code that it does not know is
 * an error.
 */
export class Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Lines that left the screen at its top. */
  readonly scrolled: string[] = [];
  isCursorVisible = true;
  #lines: string[];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number, before: readonly string[] = []) {
    this.columns = columns;
    this.rows = rows;
    this.#lines = Array.from({ length: rows }, () => '');
    for (const line of before) this.write(`${line}\r\n`);
  }

  /** The screen from its top, without empty lines at its end. */
  get screen(): string[] {
    const last = this.#lines.findLastIndex((line) => line !== '');
    return this.#lines.slice(0, last + 1).map((line) => line.trimEnd());
  }

  get cursor(): [row: number, column: number] {
    return [this.#row, this.#column];
  }

  write(text: string): void {
    for (const [part] of text.matchAll(PARTS)) this.#take(part);
  }

  #take(part: string): void {
    if (part === '\r') this.#column = 0;
    else if (part === '\n') this.#feed();
    else if (part.startsWith('\x1b')) this.#code(part);
    else this.#print(part);
  }

  #print(text: string): void {
    const line = this.#lines[this.#row] ?? '';
    const end = this.#column + text.length;
    if (end > this.columns) throw new Error(`${JSON.stringify(text)} does not fit into ${this.columns} columns`);
    this.#lines[this.#row] = line.padEnd(this.#column).slice(0, this.#column) + text + line.slice(end);
    this.#column = end;
  }

  #feed(): void {
    if (this.#row < this.rows - 1) this.#row++;
    else {
      this.scrolled.push(this.#lines.shift() ?? '');
      this.#lines.push('');
    }
  }

  #code(code: string): void {
    const [, parameter = '', letter] = CODE.exec(code) ?? [];
    const n = Number(parameter || 1);
    if (letter === 'A') this.#row = Math.max(0, this.#row - n);
    else if (letter === 'B') this.#row = Math.min(this.rows - 1, this.#row + n);
    else if (letter === 'H' && parameter === '') [this.#row, this.#column] = [0, 0];
    else if (letter === 'K' && parameter === '')
      this.#lines[this.#row] = (this.#lines[this.#row] ?? '').slice(0, this.#column);
    else if (letter === 'J' && parameter === '') {
      this.#take('\x1b[K');
      for (let row = this.#row + 1; row < this.rows; row++) this.#lines[row] = '';
    } else if (parameter === '?25') this.isCursorVisible = letter === 'h';
    else if (letter !== 'm' && parameter !== '?2026') throw new Error(`unknown code ${JSON.stringify(code)}`);
  }
}
