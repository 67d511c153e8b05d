/** Source: cli-runtime printers/tabwriter.go. */
const MIN_WIDTH = 6;
const PADDING = 3;

export interface AlignedTableOptions {
  shared?: number[];
  columns?: number;
  widthOf?: (text: string) => number;
}

/**
 * Lines of aligned columns, byte for byte as kubectl's: a column is as wide as its longest cell and three blanks, at least six; the last one is
 * not filled up. Widths only grow, so lines printed later never jump back to narrower columns.
 */
export class AlignedTable {
  readonly #widths: number[] = [];
  readonly #shared: number[];
  readonly #sharedColumns: number;
  readonly #widthOf: (text: string) => number;

  /** Tables made with one `shared` list keep their first `columns` columns equally wide. Widths are counted by `widthOf`; default: code points. */
  constructor({ shared = [], columns = 0, widthOf = codePoints }: AlignedTableOptions = {}) {
    this.#shared = shared;
    this.#sharedColumns = columns;
    this.#widthOf = widthOf;
  }

  /** Makes room for cells that will be printed. */
  fit(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const widths = i < this.#sharedColumns ? this.#shared : this.#widths;
      const width = Math.max(MIN_WIDTH, this.#widthOf(cell) + PADDING);
      if (width > (widths[i] ?? 0)) widths[i] = width;
    }
  }

  /** The widths of the first so many columns, with the blanks that fill them up. */
  widths(count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.#width(i) ?? 0);
  }

  /** One line with its newline. `paint` gets each cell when it has its full width. */
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

/** As kubectl counts. Most terminals give each one place. */
function codePoints(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

const SURROGATE = /[\ud800-\udfff]/;
