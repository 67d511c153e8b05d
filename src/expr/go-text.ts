import { MOST_LEVELS } from '../kit/depth.ts';
import { HugeNumber, isContainer } from '../kit/exact-json.ts';
import { compareText } from '../kit/text-order.ts';

/**
 * A value as kubectl's JSONPath prints it: strings, numbers and booleans without quotes, null as `null`, maps and lists
 * as JSON with sorted keys. Source: client-go util/jsonpath evalToText and PrintResults.
 */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isContainer(value)) return goJson(value);
  return value === null ? 'null' : goPlain(value);
}

/**
 * JSON as Go's encoding/json writes a map: keys sorted; `<`, `>`, `&`, U+2028 and U+2029 escaped. The JSON is on one
 * line, or indented by `indent` spaces. Keys that look like numbers are sorted as text; JavaScript would put them
 * first.
 */
export function goJson(value: unknown, indent = 0): string {
  return jsonOf(value, indent > 0 ? `\n${' '.repeat(indent)}` : '', indent > 0 ? '\n' : '').replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `inner` is written before each member, `outer` before the closing bracket. */
function jsonOf(value: unknown, inner: string, outer: string, level = 0): string {
  if (!isContainer(value))
    return typeof value === 'bigint' || value instanceof HugeNumber ? String(value) : (JSON.stringify(value) ?? 'null');
  if (level >= MOST_LEVELS) return CUT;
  const deeper = inner === '' ? '' : inner + inner.slice(outer.length);
  // texts are added and not joined: a join copies the text of a deep value once for each of its levels
  let members = '';
  if (Array.isArray(value)) {
    for (const item of value) members += `${members && ','}${inner}${jsonOf(item, deeper, inner, level + 1)}`;
    return members === '' ? '[]' : `[${members}${outer}]`;
  }
  const colon = inner === '' ? ':' : ': ';
  for (const [key, item] of sortedEntries(value))
    members += `${members && ','}${inner}${JSON.stringify(key)}${colon}${jsonOf(item, deeper, inner, level + 1)}`;
  return members === '' ? '{}' : `{${members}${outer}}`;
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

/** Printed in place of maps and lists that are nested deeper than {@link MOST_LEVELS}. */
const CUT = '…';

function goPlain(value: unknown): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value);
  return typeof value === 'bigint' ? goWhole(value) : String(value);
}

/**
 * Prints an int64 in full. kubectl decodes a larger number as a float. It is printed as that float where no digit is
 * lost, and otherwise in full: there kubectl rounds it.
 */
function goWhole(value: bigint): string {
  const digits = String(value);
  return BigInt.asIntN(64, value) === value || String(Number(value)) !== digits ? digits : goFloat(Number(value));
}

/** Source: strconv.FormatFloat with 'g' and the shortest precision. Infinity and NaN cannot come from JSON. */
function goFloat(value: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** The members whose value is defined, sorted by the UTF-8 bytes of their keys, as Go sorts strings. */
function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compareText(a, b));
}
