import { celFailure } from './cel-values.ts';

/**
 * Positions in a text as CEL counts them: in characters of Unicode. JavaScript counts a character beyond U+FFFF as two.
 * Source: cel-go ext/strings.go.
 */

const IS_BEYOND = /[\ud800-\udfff]/;

/** The characters of a text. */
export const charactersOf = (text: string): string[] => (IS_BEYOND.test(text) ? [...text] : text.split(''));

/** The number of characters. */
export function countOf(text: string): number {
  if (!IS_BEYOND.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first place of a part at or after a position; -1 if there is none. The empty text is at every position. */
export function indexOf(text: string, part: string, from = 0): number {
  if (part === '') return from;
  const found = text.indexOf(part, unitsBefore(text, notNegative(from)));
  return found < 0 ? -1 : countOf(text.slice(0, found));
}

/** The last place of a part at or before a position; -1 if there is none, or if the text ends before the position. */
export function lastIndexOf(text: string, part: string, from?: number): number {
  if (part === '') return from ?? countOf(text);
  const last = from === undefined ? text.length : unitsBefore(text, notNegative(from));
  if (from !== undefined && last >= text.length) return -1;
  const found = text.lastIndexOf(part, last);
  return found < 0 ? -1 : countOf(text.slice(0, found));
}

/** The characters from one position to another one, or to the end. */
export function substring(text: string, start: number, end?: number): string {
  if (end !== undefined && start > end) return celFailure('substring() ends before it starts');
  const count = countOf(text);
  if (Math.min(start, end ?? 0) < 0 || Math.max(start, end ?? 0) > count) return celFailure(OUT_OF_RANGE);
  return text.slice(unitsBefore(text, start), end === undefined ? undefined : unitsBefore(text, end));
}

/** The parts between separators. An empty separator is between all characters. */
export const splitText = (text: string, separator: string): string[] =>
  separator === '' ? charactersOf(text) : text.split(separator);

/** The text without white space at both ends. Source: Go unicode.IsSpace, where a byte order mark is none. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text, from)) from++;
  while (to > from && isSpace(text, to - 1)) to--;
  return text.slice(from, to);
}

const isSpace = (text: string, at: number) => text[at] === '\x85' || (text[at] !== '\ufeff' && text[at]?.trim() === '');

const OUT_OF_RANGE = 'the index is out of range';

const notNegative = (position: number) => (position >= 0 ? position : celFailure(OUT_OF_RANGE));

/** The code units of JavaScript before a position. */
function unitsBefore(text: string, position: number): number {
  if (!IS_BEYOND.test(text)) return position;
  let [units, left] = [0, position];
  for (const character of text) {
    if (left-- <= 0) return units;
    units += character.length;
  }
  return units + Math.max(0, left);
}
