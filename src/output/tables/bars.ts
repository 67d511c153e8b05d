import { cutToWidth, displayWidth } from './display-width.ts';

/** How bars are drawn on a terminal. */
export interface BarStyle {
  /** Columns of the terminal. */
  readonly columns: number;
  /** Only characters of ASCII. */
  readonly ascii: boolean;
}

/** Whether the terminal is to get ASCII alone: TERM is dumb, or the locale is not one of UTF-8. */
export function asksForAscii({ TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION }: NodeJS.ProcessEnv): boolean {
  if (TERM === 'dumb' || TERM === 'linux') return true;
  return !WT_SESSION && !/utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `size` out of `most`, of which the longest takes `width` places. What is more than nothing is seen. */
export function bar(size: number, most: number, width: number, ascii: boolean): string {
  if (size <= 0 || most <= 0 || width <= 0) return '';
  if (ascii) return '#'.repeat(Math.max(1, Math.round((size / most) * width)));
  const eighths = Math.max(1, Math.round((size / most) * width * 8));
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}

/** A text of at most `places` terminal cells: of a longer one the middle is left out. */
export function withoutMiddle(text: string, places: number, ascii: boolean): string {
  if (displayWidth(text) <= places) return text;
  const gap = ascii ? '...' : '…';
  const room = Math.max(0, places - gap.length);
  const start = cutToWidth(text, Math.ceil(room / 2));
  return `${start}${gap}${endOf(text, room - displayWidth(start))}`;
}

/** The longest end of a text that takes at most `places` terminal cells. */
function endOf(text: string, places: number): string {
  const characters = [...text];
  let end = '';
  while (characters.length > 0) {
    const longer = characters.pop() + end;
    if (displayWidth(longer) > places) break;
    end = longer;
  }
  return end;
}
