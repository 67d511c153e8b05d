import { MOST_LEVELS } from '../kit/depth.ts';
import { HugeNumber, isContainer } from '../kit/exact-json.ts';
import { compareText } from '../kit/text-order.ts';

/**
 * A value as kubectl's JSONPath prints it: text as it is, numbers and booleans in words, null as `null`,
 * maps and lists as JSON with sorted keys. Source: client-go util/jsonpath evalToText and PrintResults.
 */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isContainer(value)) return goJson(value);
  return value === null ? 'null' : goPlain(value);
}

/**
 * JSON as Go's encoding/json writes a map: keys sorted, `<`, `>`, `&`, U+2028 and U+2029 escaped; on one line, or indented.
 * Keys that look like numbers have their place among the others, which objects of JavaScript do not grant them.
 */
export function goJson(value: unknown, indent = 0): string {
  return jsonOf(value, indent > 0 ? `\n${' '.repeat(indent)}` : '', indent > 0 ? '\n' : '').replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `inner` and `outer` are what stands before a member and before the bracket that closes. */
function jsonOf(value: unknown, inner: string, outer: string, level = 0): string {
  if (!isContainer(value))
    return typeof value === 'bigint' || value instanceof HugeNumber ? String(value) : (JSON.stringify(value) ?? 'null');
  if (level >= MOST_LEVELS) return CUT;
  const deeper = inner === '' ? '' : inner + inner.slice(outer.length);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => jsonOf(item, deeper, inner, level + 1))
    : sortedEntries(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${inner === '' ? '' : ' '}${jsonOf(item, deeper, inner, level + 1)}`,
      );
  const [open, close] = isList ? '[]' : '{}';
  return members.length === 0 ? `${open}${close}` : `${open}${inner}${members.join(`,${inner}`)}${outer}${close}`;
}

/** A value as Go's fmt.Sprint prints it, which custom columns show: `map[a:1 b:2]`, `[1 2]`, `<nil>`. */
export function goSprint(value: unknown): string {
  return sprint(value, 0);
}

function sprint(value: unknown, level: number): string {
  if (value === null || value === undefined) return '<nil>';
  if (!isContainer(value)) return goPlain(value);
  if (level >= MOST_LEVELS) return CUT;
  if (Array.isArray(value)) return `[${value.map((item) => sprint(item, level + 1)).join(' ')}]`;
  return `map[${sortedEntries(value)
    .map(([key, item]) => `${key}:${sprint(item, level + 1)}`)
    .join(' ')}]`;
}

/** Stands for what is nested deeper than {@link MOST_LEVELS}. */
const CUT = '…';

function goPlain(value: unknown): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value);
  return typeof value === 'bigint' ? goWhole(value) : String(value);
}

/** An int64 in full. What is larger is a float to kubectl, and printed as one where that is all of it; else in full, which kubectl does not. */
function goWhole(value: bigint): string {
  const digits = String(value);
  return BigInt.asIntN(64, value) === value || String(Number(value)) !== digits ? digits : goFloat(Number(value));
}

/** Source: strconv.FormatFloat with 'g' and the shortest precision; Go's words for what is no number never come from JSON. */
function goFloat(value: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** By the bytes of their UTF-8, as Go orders text. */
function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compareText(a, b));
}
