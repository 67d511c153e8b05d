/** Source: cli-runtime printers/tabwriter.go. */
const MIN_WIDTH = 6;
export const PADDING = 3;
/** The least number of spaces between two cells. */
const CLOSE = 2;

export interface AlignedTableOptions {
  shared?: number[];
  columns?: number;
  widthOf?: (text: string) => number;
  /** Has only two spaces between columns, and columns as narrow as their cells. */
  isClose?: boolean;
}

/**
 * Lines of aligned columns, byte for byte as kubectl prints them. A column is as wide as its longest cell plus three
 * spaces, and at least six characters wide. The last column is not padded. Widths never shrink while a table is
 * printed.
 */
export class AlignedTable {
  readonly #widths: number[] = [];
  readonly #shared: number[];
  readonly #sharedColumns: number;
  readonly #widthOf: (text: string) => number;
  readonly #padding: number;
  readonly #least: number;

  /**
   * Tables with the same `shared` list have the same widths in their first `columns` columns. `widthOf` returns the
   * width of a text; default: its number of code points.
   */
  constructor({ shared = [], columns = 0, widthOf = codePoints, isClose = false }: AlignedTableOptions = {}) {
    this.#shared = shared;
    this.#sharedColumns = columns;
    this.#widthOf = widthOf;
    this.#padding = isClose ? CLOSE : PADDING;
    this.#least = isClose ? 0 : MIN_WIDTH;
  }

  /** Widens the columns for cells that will be printed. */
  fit(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const widths = i < this.#sharedColumns ? this.#shared : this.#widths;
      const width = this.#widthFor(cell);
      if (width > (widths[i] ?? 0)) widths[i] = width;
    }
  }

  /** The widths of the first `count` columns, with their padding. */
  widths(count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.#width(i) ?? 0);
  }

  /** One line with its newline. `paint` is called with each cell after padding. */
  line(cells: readonly string[], paint?: (cell: string, column: number) => string): string {
    this.fit(cells);
    let line = '';
    for (const [i, cell] of cells.entries()) {
      const filled = i === cells.length - 1 ? cell : cell + ' '.repeat(this.#width(i) - this.#widthOf(cell));
      line += paint ? paint(filled, i) : filled;
    }
    return `${line}\n`;
  }

  /** The length of the line of these cells, with the columns as wide as they are with these cells in the table. */
  lengthOf(cells: readonly string[]): number {
    return cells.reduce((sum, cell, i) => {
      if (i === cells.length - 1) return sum + this.#widthOf(cell);
      return sum + Math.max(this.#width(i) ?? 0, this.#widthFor(cell));
    }, 0);
  }

  /** The length of the longest line, if these cells were in the table too. */
  longestWith(cells: readonly string[]): number {
    const widths = cells.map((cell, i) => Math.max(this.#width(i) ?? 0, this.#widthFor(cell)));
    return widths.reduce((sum, width) => sum + width, 0) - this.#padding;
  }

  /**
   * One line that does not widen the columns, for cells that are too wide for them. Cells are moved to the right as far
   * as necessary, and back to their columns as soon as possible. A line that can be `most` long or shorter is.
   */
  closeLine(cells: readonly string[], most: number, paint?: (cell: string, column: number) => string): string {
    const lengths = cells.map((cell) => this.#widthOf(cell));
    let line = '';
    let at = 0; // where the cell begins
    let column = 0; // where its column begins
    let rest = closeLength(cells, this.#widthOf); // the shortest length of this cell and the ones behind it
    for (const [i, cell] of cells.entries()) {
      const end = at + (lengths[i] ?? 0);
      column += this.#width(i) ?? 0;
      rest -= (lengths[i] ?? 0) + CLOSE;
      const next = Math.max(end + CLOSE, Math.min(column, most - rest));
      const filled = i === cells.length - 1 ? cell : cell + ' '.repeat(next - end);
      line += paint ? paint(filled, i) : filled;
      at = next;
    }
    return `${line}\n`;
  }

  /** The width of the column that a cell needs, with the spaces behind it. */
  #widthFor(cell: string): number {
    return Math.max(this.#least, this.#widthOf(cell) + this.#padding);
  }

  #width(column: number): number {
    return (column < this.#sharedColumns ? this.#shared : this.#widths)[column] as number;
  }
}

/** The shortest length of a line of these cells. */
export function closeLength(cells: readonly string[], widthOf = codePoints): number {
  return cells.reduce((sum, cell) => sum + widthOf(cell), CLOSE * (cells.length - 1));
}

/** The width by kubectl's rule. Most terminals use one cell for a code point. */
function codePoints(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

const SURROGATE = /[\ud800-\udfff]/;
