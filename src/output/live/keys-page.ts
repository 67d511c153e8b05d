import { type Painter, plainPainter } from '../painter.ts';
import { cutToWidth } from '../tables/display-width.ts';

/** The keys of the live table, and the names of those that its last line shows. */
const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['↑ ↓  k j', 'select a row'],
  ['PgUp PgDn  b f', 'scroll by a screen'],
  ['g G  Home End', 'to the first, the last row'],
  ['← →  h l', 'columns beyond the edge of the screen'],
  ['/', 'search: only rows that have all words typed; Enter keeps it, Esc ends it'],
  ['s S', 'sort by the next column, by the one before'],
  ['r', 'reverse the order'],
  ['Enter', 'the changes and the YAML of the selected row'],
  ['p  Space', 'pause, and go on'],
  ['Esc', 'back: from a view, then the search, then the selection'],
  ['?', 'this page'],
  ['q  Ctrl-C', 'end'],
];

export const MAIN_KEYS = '/ search  s sort  ←→ columns  Enter open  p pause  ? keys  q end';
export const OBJECT_KEYS = '↑↓ ←→ scroll  Enter back  p pause  ? keys  q back';
export const PAGE_KEYS = 'any key: back';

/** The page that lists the keys. */
export function keysPage(columns: number, painter: Painter = plainPainter): string[] {
  const width = Math.max(...KEYS.map(([keys]) => keys.length));
  return [
    painter.heading(cutToWidth('KEYS', columns)),
    ...KEYS.map(([keys, meaning]) => cutToWidth(`  ${keys.padEnd(width)}   ${meaning}`, columns)),
  ];
}
