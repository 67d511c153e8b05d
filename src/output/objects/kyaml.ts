import { goJson } from '../../expr/go-text.ts';
import { MOST_LEVELS, TOO_DEEP } from '../../kit/depth.ts';
import { isContainer } from '../../kit/exact-json.ts';
import { compareText } from '../../kit/text-order.ts';
import { SHORT_ESCAPES } from './yaml.ts';

/**
 * A JSON value as KYAML, byte for byte as `kubectl -o kyaml` prints it, without the `---` before it and the newline
 * behind it: YAML in braces, in which every text is quoted, so that no indentation and no word is misread. Keys are
 * sorted, and quoted only where a parser of YAML could take them for another type. A text of several lines has a line
 * for each. `level` is the indentation that the value begins with, `depth` the number of maps and lists around it.
 * Source: KEP-5295, sigs.k8s.io/yaml kyaml.
 */
export function toKyaml(value: unknown, level = 0, depth = 0): string {
  if (typeof value === 'string') return textOf(value, level + 1);
  if (!isContainer(value)) return goJson(value);
  if (depth > MOST_LEVELS) return JSON.stringify(`<${TOO_DEEP}>`);
  return Array.isArray(value)
    ? listOf(value, level, depth + 1)
    : mapOf(value as Readonly<Record<string, unknown>>, level, depth + 1);
}

const indentOf = (level: number) => '  '.repeat(level);

function mapOf(map: Readonly<Record<string, unknown>>, level: number, depth: number): string {
  const indent = indentOf(level + 1);
  let members = '';
  for (const key of Object.keys(map).sort(compareText))
    if (map[key] !== undefined) members += `${indent}${keyOf(key)}: ${toKyaml(map[key], level + 1, depth)},\n`;
  return members === '' ? '{}' : `{\n${members}${indentOf(level)}}`;
}

/** Lists of maps and of lists begin on the line of their bracket. */
function listOf(list: readonly unknown[], level: number, depth: number): string {
  if (list.length === 0) return '[]';
  if (list.every(isContainer)) return `[${list.map((item) => toKyaml(item, level, depth)).join(', ')}]`;
  const indent = indentOf(level + 1);
  let items = '';
  for (const item of list) items += `${indent}${toKyaml(item, level + 1, depth)},\n`;
  return `[\n${items}${indentOf(level)}]`;
}

/** A text of several lines is folded: each line is one of the text, and `\` joins them again. */
function textOf(text: string, level: number): string {
  if (!text.includes('\n')) return `"${escaped(text)}"`;
  const indent = indentOf(level);
  const lines = text.split('\n');
  const last = lines.pop() as string;
  const folded = lines.map((line) => `${lineOf(line, indent)}\\n\\\n`).join('');
  return `"\\\n${folded}${last === '' ? '' : `${lineOf(last, indent)}\\\n`}${indent}"`;
}

/** A blank at the begin of a line would be lost: it is escaped. Other lines begin one place further, below it. */
const lineOf = (line: string, indent: string) => `${indent}${BLANK.test(line) ? '\\' : ' '}${escaped(line)}`;

const BLANK = /^\p{White_Space}/u;

function keyOf(key: string): string {
  return PLAIN.test(key) && !isOtherType(key)
    ? key
    : `"${escaped(key).replaceAll('\t', '\\t').replaceAll('\n', '\\n')}"`;
}

const PLAIN = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?$/u;

/** Whether a parser of YAML 1.1 could take a plain text for null, a boolean, a number or a date. */
function isOtherType(text: string): boolean {
  if (WORD.test(text)) return true;
  const digits = text.replaceAll('_', '');
  return WHOLE.test(digits) || (FLOAT.test(digits) && Number.isFinite(Number(digits))) || isDate(text);
}

const WORD = /^(?:null|true|t|y|yes|on|false|f|n|no|off|inf|infinity|nan)$/i;
const WHOLE = /^(?:0b[01]+|0o?[0-7]+|0x[\da-f]+|0x[\da-f]*\.?[\da-f]*p[+-]?\d+)$/i;
const FLOAT = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Tabs and line breaks are left as they are. */
const escaped = (text: string) =>
  text.replace(SPECIAL, (c) => (c === '\xa0' ? '\\_' : SHORT_ESCAPES.get(c)) ?? codeOf(c));

/** Characters that Go does not print as they are. Source: unicode.IsPrint. */
const SPECIAL = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} \t\n]/gu;

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd'; // half of a pair
  const hex = (digits: number) => code.toString(16).padStart(digits, '0');
  if (code < 0x20 || code === 0x7f) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
