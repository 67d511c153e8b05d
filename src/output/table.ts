/** Source: cli-runtime printers/tabwriter.go. */
const MIN_WIDTH = 6;
const PADDING = 3;

/**
 * Lines of aligned columns, byte for byte as kubectl's: a column is as wide as its longest cell and three blanks, at least six; the last one is
 * not filled up. Widths only grow, so lines printed later never jump back to narrower columns.
 */
export class AlignedTable {
  readonly #widths: number[] = [];

  /** Makes room for cells that will be printed. */
  fit(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const width = Math.max(MIN_WIDTH, widthOf(cell) + PADDING);
      if (width > (this.#widths[i] ?? 0)) this.#widths[i] = width;
    }
  }

  /** One line with its newline. `paint` gets each cell when it has its full width. */
  line(cells: readonly string[], paint?: (cell: string, column: number) => string): string {
    this.fit(cells);
    let line = '';
    for (const [i, cell] of cells.entries()) {
      const filled = i === cells.length - 1 ? cell : cell + ' '.repeat((this.#widths[i] as number) - widthOf(cell));
      line += paint ? paint(filled, i) : filled;
    }
    return `${line}\n`;
  }
}

/** Code points, which most terminals give one place each. */
function widthOf(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

const SURROGATE = /[\ud800-\udfff]/;
