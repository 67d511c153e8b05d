import { isContainer } from '../../kit/exact-json.ts';

/** A value decoded from JSON as Go's `%v` and `%+v` print it: maps with sorted keys, strings without quotes. */
export function goPlusV(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlusV).join(' ')}]`;
  if (typeof value === 'number') return goNumber(value);
  if (!isContainer(value)) return String(value);
  return `map[${members(value, (name, inner) => `${name}:${goPlusV(inner)}`).join(' ')}]`;
}

/** A value decoded from JSON as Go's `%#v` prints it: with the types of maps and lists, strings in quotes. */
export function goSharpV(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuoted(value);
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `${goTypeOf(value)}{${value.map(goSharpV).join(', ')}}`;
  if (!isContainer(value)) return String(value);
  return `${goTypeOf(value)}{${members(value, (name, inner) => `${goQuoted(name)}:${goSharpV(inner)}`).join(', ')}}`;
}

/** The Go type of a value decoded from JSON, as `%T` prints it. A number without a fraction counts as an integer. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isContainer(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'bigint' ? 'int64' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function members(value: object, shown: (name: string, inner: unknown) => string): string[] {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => shown(name, inner));
}

/**
 * A number as Go's `%v`: one with a fraction gets an exponent from 10^6 on and below 10^-4. Source: Go strconv
 * FormatFloat 'g'.
 */
function goNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  return power < -4 || power >= 6
    ? `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
    : String(value);
}

const GO_ESCAPES: Readonly<Record<string, string>> = { '\\u0007': '\\a', '\\u000b': '\\v' };

/** A string as Go's `%q` prints it. */
function goQuoted(text: string): string {
  const escaped = JSON.stringify(text)
    .replaceAll('\u007f', '\\x7f')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return escaped.replace(
    /\\(?:u00([01][0-9a-f])|.)/g,
    (code, hex?: string) => GO_ESCAPES[code] ?? (hex === undefined ? code : `\\x${hex}`),
  );
}
