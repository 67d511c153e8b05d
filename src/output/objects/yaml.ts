import { goSprint } from '../../expr/go-text.ts';
import { isContainer } from '../../kit/exact-json.ts';
export interface YamlOptions {
  /** Keys in kubectl's order, in which `a2` comes before `a10`; otherwise as they come. */
  readonly sorted?: boolean;
}

/**
 * JSON as YAML in block style, with its newline, byte for byte as `kubectl -o yaml` prints it: text that YAML 1.1 would take for another type in double quotes,
 * text that begins or goes on like YAML in single ones, lines as a `|` block. Departs from it where that helps a reader: long lines are not folded,
 * characters beyond U+FFFF are not escaped, and text that only some readers take for a date or a number is quoted too. Control characters are always escaped.
 * Source: sigs.k8s.io/yaml, goyaml.v2 encode.go, resolve.go and emitterc.go.
 */
export function toYaml(value: unknown, { sorted = false }: YamlOptions = {}): string {
  if (isCollection(value)) return blockText(value, '', sorted);
  return `${typeof value === 'string' ? lineText(value) : scalarText(value, '')}\n`;
}

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A map or list with something in it: what takes lines of its own. */
function isCollection(value: unknown): value is Collection {
  if (!isContainer(value)) return false;
  return Array.isArray(value) ? value.length > 0 : definedKeys(value as Readonly<Record<string, unknown>>).length > 0;
}

const definedKeys = (map: Readonly<Record<string, unknown>>) => Object.keys(map).filter((key) => map[key] !== undefined);

/** Its lines, each behind `indent`. */
function blockText(value: Collection, indent: string, sorted: boolean): string {
  return Array.isArray(value) ? listText(value, indent, sorted) : mapText(value as Readonly<Record<string, unknown>>, indent, sorted);
}

function mapText(map: Readonly<Record<string, unknown>>, indent: string, sorted: boolean): string {
  const keys = definedKeys(map);
  if (sorted) keys.sort(compareKeys);
  let text = '';
  for (const key of keys) {
    const value = map[key];
    text += `${indent}${lineText(key)}:`;
    if (!isCollection(value)) text += ` ${scalarText(value, `${indent}  `)}\n`;
    else text += `\n${blockText(value, Array.isArray(value) ? indent : `${indent}  `, sorted)}`;
  }
  return text;
}

function listText(list: readonly unknown[], indent: string, sorted: boolean): string {
  let text = '';
  for (const item of list) {
    const inner = `${indent}  `;
    text += `${indent}- ${isCollection(item) ? blockText(item, inner, sorted).slice(inner.length) : `${scalarText(item, inner)}\n`}`;
  }
  return text;
}

function scalarText(value: unknown, indent: string): string {
  if (typeof value === 'string') return value.includes('\n') && isBlock(value) ? literalText(value, indent) : lineText(value);
  if (isContainer(value)) return Array.isArray(value) ? '[]' : '{}';
  if (value === undefined || value === null) return 'null';
  return isUint64(value) ? String(value) : goSprint(value);
}

/** What goyaml keeps as a whole number: kubectl's other formats print what is beyond an int64 as a float. */
const isUint64 = (value: unknown) => typeof value === 'bigint' && value >= 0n && value < 2n ** 64n;

/** Text on one line. */
function lineText(text: string): string {
  if (text === '' || text.includes('\n') || SPECIAL.test(text) || isOtherType(text)) return quoted(text);
  return PLAIN_UNFIT.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** What is never shown as it is: controls and the line ends of Unicode, byte order marks, halves of surrogate pairs. */
const SPECIAL = /[^\P{Cc}\n]|[\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;

/** What plain text may neither begin, hold nor end with. */
const PLAIN_UNFIT = /^(---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?:-](\s|$)|: |:$|\s#|^ | $/;

/** Lines may stand as a block unless a blank ends one of them, or one of their characters must be escaped. */
const isBlock = (text: string) => !/ (\n|$)/.test(text) && !SPECIAL.test(text);

function literalText(text: string, indent: string): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return `|${hint}${chomp}${lines.map((line) => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
}

function quoted(text: string): string {
  let out = '"';
  for (const c of text) out += SHORT_ESCAPES.get(c) ?? (SPECIAL.test(c) ? escaped(c) : c);
  return `${out}"`;
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function escaped(c: string): string {
  const code = c.charCodeAt(0);
  const hex = (digits: number) => code.toString(16).toUpperCase().padStart(digits, '0');
  return code < 0x100 ? `\\x${hex(2)}` : `\\u${hex(4)}`;
}

/** Whether YAML 1.1 takes plain text for a boolean, null, number, date or merge: some readers still do. */
function isOtherType(text: string): boolean {
  if (!MAYBE_OTHER.test(text)) return false;
  if (WORD.test(text) || DATE.test(text) || BASE_60.test(text)) return true;
  return NUMBER.test(text.replaceAll('_', ''));
}

const MAYBE_OTHER = /^[-+.\d~<=yYnNtTfFoO]/;
const WORD =
  /^(<<|=|y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|\.nan|\.NaN|\.NAN|[-+]?\.(inf|Inf|INF))$/;
const NUMBER = /^[-+]?(0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+|(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?)$/;
const DATE = /^\d{4}-\d\d?-\d\d?([Tt ]\s*\d\d?:\d\d?:\d\d?(\.\d*)?\s*(Z|[-+]\d\d?(:?\d\d)?)?)?$/;
const BASE_60 = /^[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$/;

/** Letters after everything else, numbers in the text by their size. Source: goyaml.v2 sorter.go. */
function compareKeys(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  const [c, d] = [a.charCodeAt(same), b.charCodeAt(same)];
  if (isAsciiLetter(c) && isAsciiLetter(d)) return c - d; // nearly all keys
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((c, i) => c !== right[i]);
  const [x, y] = [left[at], right[at]];
  if (at < 0 || x === undefined || y === undefined) return left.length - right.length;
  const [isLetterX, isLetterY] = [LETTER.test(x), LETTER.test(y)];
  if (isLetterX !== isLetterY) return isLetterX ? 1 : -1;
  return isLetterX ? byCodePoint(x, y) : compareNumbersAt(left, right, at) || byCodePoint(x, y);
}

const isAsciiLetter = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

const byCodePoint = (x: string, y: string) => (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);

/** Of the numbers that begin at a place, or go on there behind digits that both have. */
function compareNumbersAt(left: readonly string[], right: readonly string[], at: number): number {
  const lead = (left[at] === '0' || right[at] === '0') && hasNumberBefore(left, at) ? '1' : '';
  const [x, y] = [digitsFrom(left, at), digitsFrom(right, at)];
  const [m, n] = [BigInt(`${lead}${x}` || '0'), BigInt(`${lead}${y}` || '0')];
  return m < n ? -1 : m > n ? 1 : x.length - y.length;
}

function hasNumberBefore(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(text[i] ?? ''); i--) if (text[i] !== '0') return true;
  return false;
}

function digitsFrom(text: readonly string[], at: number): string {
  let digits = '';
  for (let i = at; i < text.length && /^\d$/.test(text[i] ?? ''); i++) digits += text[i];
  return digits;
}
