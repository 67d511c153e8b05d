import { goSprint } from '../../expr/go-text.ts';
import { isContainer } from '../../kit/exact-json.ts';
export interface YamlOptions {
  /** Sorts the keys in kubectl's order, in which `a2` is before `a10`. Default: the order of the object. */
  readonly sorted?: boolean;
}

/**
 * A JSON value as YAML in block style, with its newline, byte for byte as `kubectl -o yaml` prints it. A text that YAML
 * 1.1 would parse as another type is in double quotes. A text with the syntax of YAML is in single quotes. Several
 * lines are a `|` block. Control characters are always escaped.
 *
 * It differs from kubectl where that helps a reader: long lines are not folded, characters beyond U+FFFF are not
 * escaped, and a text that only some parsers take for a date or a number is quoted too.
 * Source: sigs.k8s.io/yaml, goyaml.v2 encode.go, resolve.go and emitterc.go.
 */
export function toYaml(value: unknown, { sorted = false }: YamlOptions = {}): string {
  if (isCollection(value)) return blockText(value, '', sorted);
  return `${typeof value === 'string' ? lineText(value) : scalarText(value, '')}\n`;
}

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Whether the value is a map or list that is not empty; it has lines of its own. */
function isCollection(value: unknown): value is Collection {
  if (!isContainer(value)) return false;
  return Array.isArray(value) ? value.length > 0 : definedKeys(value as Readonly<Record<string, unknown>>).length > 0;
}

const definedKeys = (map: Readonly<Record<string, unknown>>) =>
  Object.keys(map).filter((key) => map[key] !== undefined);

/** The lines of a map or list, each with `indent` in front. */
function blockText(value: Collection, indent: string, sorted: boolean): string {
  return Array.isArray(value)
    ? listText(value, indent, sorted)
    : mapText(value as Readonly<Record<string, unknown>>, indent, sorted);
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
  if (typeof value === 'string')
    return value.includes('\n') && isBlock(value) ? literalText(value, indent) : lineText(value);
  if (isContainer(value)) return Array.isArray(value) ? '[]' : '{}';
  if (value === undefined || value === null) return 'null';
  return isUint64(value) ? String(value) : goSprint(value);
}

/** The numbers that goyaml prints as integers. kubectl's other formats print a number beyond an int64 as a float. */
const isUint64 = (value: unknown) => typeof value === 'bigint' && value >= 0n && value < 2n ** 64n;

function lineText(text: string): string {
  if (text === '' || text.includes('\n') || SPECIAL.test(text) || isOtherType(text)) return quoted(text);
  return PLAIN_UNFIT.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/**
 * Characters that are always escaped: controls, the line ends of Unicode, byte order marks, halves of surrogate pairs.
 */
const SPECIAL = /[^\P{Cc}\n]|[\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;

/** The starts, parts and ends that a text without quotes must not have. */
const PLAIN_UNFIT = /^(---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?:-](\s|$)|: |:$|\s#|^ | $/;

/** Whether a text may be a block: no line ends with a space, and no character must be escaped. */
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

export const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
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

/** Whether YAML 1.1 parses the text as a boolean, null, number, date or merge key. Some parsers still use YAML 1.1. */
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

/**
 * The order of keys: letters after all other characters, numbers inside the text by their value. Source: goyaml.v2
 * sorter.go.
 */
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

/** Compares the numbers that start at an index, or that continue there after digits that both texts have. */
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
