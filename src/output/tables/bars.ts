/** How bars are drawn on a terminal. */
export interface BarStyle {
  /** Columns of the terminal. */
  readonly columns: number;
  /** Only characters of ASCII. */
  readonly ascii: boolean;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `size` out of `most`, of which the longest takes `width` places. What is more than nothing is seen. */
export function bar(size: number, most: number, width: number, ascii: boolean): string {
  if (size <= 0 || most <= 0 || width <= 0) return '';
  if (ascii) return '#'.repeat(Math.max(1, Math.round((size / most) * width)));
  const eighths = Math.max(1, Math.round((size / most) * width * 8));
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}
