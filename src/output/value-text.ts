import { isTooDeep, TOO_DEEP } from '../kit/depth.ts';
import { isContainer, jsonText } from '../kit/exact-json.ts';
import { neutralised } from './escape.ts';

/** The text of a value that does not exist. */
export const NO_VALUE = '<none>';

/**
 * A JSON value on one line. A text is quoted if it could be mistaken for something else; maps and lists are JSON. A
 * text longer than `limit` characters is cut and ends with `…`. The result is safe for a terminal.
 */
export function valueText(value: unknown, limit: number): string {
  return cut(wholeText(value), 0, limit);
}

/**
 * Two different values, each as {@link valueText} prints it. Long values are cut around the first difference, to show
 * it.
 */
export function valuePair(before: unknown, after: unknown, limit: number): [string, string] {
  const [a, b] = [wholeText(before), wholeText(after)];
  if (a.length <= limit && b.length <= limit) return [a, b];
  const start = Math.max(0, sameLength(a, b) - Math.trunc(limit / 3));
  return [cut(a, start, limit), cut(b, start, limit)];
}

/** The whole value on one line. */
export function wholeText(value: unknown): string {
  if (value === undefined) return NO_VALUE;
  if (typeof value === 'string' && isPlain(value)) return value;
  return isTooDeep(value) ? `<${TOO_DEEP}>` : neutralised(jsonText(value));
}

/**
 * Whether a text needs no quotes: it is one line, not empty, not another JSON value, and has no separator of values.
 */
const isPlain = (text: string) =>
  PLAIN.test(text) && !OTHER.test(text) && !/ $| {2}| → |\p{Cc}/u.test(text) && neutralised(text) === text;
const PLAIN = /^[^\s"'<{[…]/;
const OTHER = /^(null|true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/;

function sameLength(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

function cut(text: string, from: number, limit: number): string {
  if (text.length <= limit) return text;
  const start = wholeFrom(text, from);
  const end = wholeFrom(text, start + limit);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** The index, or the one before it if it is inside a surrogate pair. */
function wholeFrom(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/**
 * The lines of a map or list, indented by two spaces: `key: value`, `- item`. A part of at most `limit` characters is
 * one line.
 */
export function valueLines(value: unknown, limit: number): string[] {
  if (!isContainer(value) || isTooDeep(value) || wholeText(value).length <= limit) return [valueText(value, limit)];
  if (Array.isArray(value)) return value.flatMap((item) => hung('-', valueLines(item, limit)));
  return Object.entries(value).flatMap(([key, item]) => {
    const lines = valueLines(item, limit);
    const name = `${neutralised(isPlain(key) ? key : JSON.stringify(key))}:`;
    return lines.length === 1 ? [`${name} ${lines[0]}`] : [name, ...lines.map((line) => `  ${line}`)];
  });
}

function hung(mark: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => (i === 0 ? `${mark} ${line}` : `  ${line}`));
}
