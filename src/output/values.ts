import { isTooDeep, TOO_DEEP } from '../kit/depth.ts';
import { isContainer, jsonText } from '../kit/exact-json.ts';
import { neutralised } from './escape.ts';

/** Stands for a value that is not there. */
export const NO_VALUE = '<none>';

/**
 * A JSON value on one line: text as it is where it cannot be taken for anything else, quoted otherwise; maps and lists as JSON. Longer than `limit`
 * it is cut, with `…` at its end. Safe for a terminal.
 */
export function valueText(value: unknown, limit: number): string {
  return cut(wholeText(value), 0, limit);
}

/** Two values that differ, each as {@link valueText} shows it; long ones are cut around the first place where they differ, so that this place is seen. */
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

/** Not empty, of one line, no other JSON value, and without what parts the values of a line. */
const isPlain = (text: string) => PLAIN.test(text) && !OTHER.test(text) && !/ $| {2}| → |\p{Cc}/u.test(text) && neutralised(text) === text;
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

/** The place itself, or the one before when it would part a surrogate pair. */
function wholeFrom(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/**
 * A map or list as lines, nested by two blanks: `key: value`, `- item`. Parts that fit into `limit` characters stay on one line.
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
