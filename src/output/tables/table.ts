/** Source: cli-runtime printers/tabwriter.go. */
const MIN_WIDTH = 6;
export const PADDING = 3;

export interface AlignedTableOptions {
  shared?: number[];
  columns?: number;
  widthOf?: (text: string) => number;
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

  /**
   * Tables with the same `shared` list have the same widths in their first `columns` columns. `widthOf` returns the
   * width of a text; default: its number of code points.
   */
  constructor({ shared = [], columns = 0, widthOf = codePoints }: AlignedTableOptions = {}) {
    this.#shared = shared;
    this.#sharedColumns = columns;
    this.#widthOf = widthOf;
  }

  /** Widens the columns for cells that will be printed. */
  fit(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const widths = i < this.#sharedColumns ? this.#shared : this.#widths;
      const width = widthOfCell(cell, this.#widthOf);
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

  #width(column: number): number {
    return (column < this.#sharedColumns ? this.#shared : this.#widths)[column] as number;
  }
}

/** The width of the column that a cell needs, with the spaces behind it. */
export function widthOfCell(cell: string, widthOf = codePoints): number {
  return Math.max(MIN_WIDTH, widthOf(cell) + PADDING);
}

/** The width by kubectl's rule. Most terminals use one cell for a code point. */
function codePoints(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

const SURROGATE = /[\ud800-\udfff]/;
