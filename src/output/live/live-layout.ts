import { cutToWidth, displayWidth, withoutMiddle } from '../tables/display-width.ts';

/** The space before a row, which has its signs. */
export const LEAD = 2;
const GAP = 3;
const LEAST_GAP = 2;
/** The width to which columns are narrowed first, and the smallest one, without the gap. */
const NARROW = 20;
const NARROWEST = 12;
/** The smallest width of the last column where it is cut: it may be a message. */
const LAST = 24;

/** A column on the screen. */
interface Place {
  readonly column: number;
  width: number;
}

export interface LayoutRoom {
  /** The width of the terminal. */
  readonly columns: number;
  /** The number of columns that always stay: those up to the name. */
  readonly fixed: number;
  /** The number of columns after the fixed ones that are left out, because later ones are looked at. */
  readonly shift: number;
}

/**
 * The columns of a section that are on the screen, and their widths. Where the terminal is too narrow, gaps become
 * smaller, then the widest columns; what is still too much is beyond the right edge.
 */
export class LiveLayout {
  readonly #places: readonly Place[];
  readonly #columns: number;
  readonly #gap: number;
  /** Columns are left out at the left. */
  readonly hasLeft: boolean;
  /** A column is partly or wholly beyond the right edge. */
  readonly hasRight: boolean;
  /** A column is narrower than its cells. */
  readonly isNarrowed: boolean;

  /** `widths` are those of the longest cells, by column. */
  constructor(widths: readonly number[], { columns, fixed, shift }: LayoutRoom) {
    this.#columns = columns - LEAD;
    const all = widths.map((width, column): Place => ({ column, width }));
    this.hasLeft = shift > 0;
    const shown = [...all.slice(0, fixed), ...all.slice(fixed + shift)];
    const excess = (gap: number) =>
      shown.reduce((sum, { width }) => sum + width, 0) + gap * Math.max(0, shown.length - 1) - this.#columns;
    this.#gap = excess(GAP) > 0 ? LEAST_GAP : GAP;
    for (const least of [NARROW, NARROWEST]) narrow(shown, excess(this.#gap), least);
    this.isNarrowed = shown.some(({ column, width }) => width < (widths[column] ?? 0));
    this.hasRight = excess(this.#gap) > 0;
    this.#places = shown;
  }

  /** One line, cut at the edge of the terminal. The padding of the cells is not painted. */
  line(cells: readonly string[], paint: (text: string, column: number) => string): string {
    let left = this.#columns;
    let line = '';
    let padding = '';
    for (const { column, width } of this.#places) {
      if (left <= padding.length) break;
      left -= padding.length;
      const text = cutToWidth(shortened(cells[column] ?? '', width), left);
      if (text !== '') {
        line += padding + paint(text, column);
        padding = '';
      }
      const places = Math.min(width, left) - displayWidth(text);
      left -= displayWidth(text);
      padding += ' '.repeat(places + this.#gap);
    }
    return line;
  }
}

/** Narrows the widest columns until the excess is gone, or none is wider than the least. */
function narrow(places: readonly Place[], excess: number, least: number): void {
  const leastOf = (place: Place) => (place === places.at(-1) ? LAST : least);
  let left = excess;
  while (left > 0) {
    const wide = places.filter((place) => place.width > leastOf(place));
    const [widest, ...others] = wide.sort((a, b) => b.width - a.width);
    if (!widest) return;
    const next = Math.max(leastOf(widest), ...others.map(({ width }) => width).filter((width) => width < widest.width));
    const cut = Math.min(widest.width - next, left);
    widest.width -= cut;
    left -= cut;
  }
}

/** Cut in the middle, because ends of names differ; a text of several words is cut at its end. */
function shortened(cell: string, places: number): string {
  if (displayWidth(cell) <= places) return cell;
  if (/\s/.test(cell)) return `${cutToWidth(cell, Math.max(0, places - 1))}…`;
  return withoutMiddle(cell, places, false);
}
