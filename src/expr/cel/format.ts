import { jsonText } from '../../kit/exact-json.ts';
import { compareText } from '../../kit/text-order.ts';
import { type CelNumber, celFailure, Duration, isInt, isNumber, typeNameOf } from './cel-values.ts';
import { entriesOf } from './keyed-map.ts';
import { toPlain } from './plain-value.ts';
import { timeText } from './times.ts';
import { workOfMaking } from './work.ts';

/**
 * Formats `%s`, `%d`, `%f`, `%.2f`, `%e`, `%x`, `%X`, `%o`, `%b` and `%%` as CEL's strings extension does. Fails for
 * too few arguments, for an argument of the wrong type and for an unknown clause. Unlike the API server, `%f` and `%e`
 * take whole numbers too and write plain digits: `1234.50` and `1.5e+03`. Source: cel-go ext/formatting.go.
 */
export function formatText(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(
    /%(?:\.(\d{1,2}))?([a-zA-Z%])|%/g,
    (_, precision: string | undefined, verb: string | undefined) => {
      if (verb === '%') return '%';
      if (next >= values.length) celFailure('format() has fewer values than clauses');
      return formatOne(verb ?? '', precision === undefined ? 6 : Number(precision), values[next++]);
    },
  );
}

function formatOne(verb: string, precision: number, value: unknown): string {
  if (verb === 's') return asText(value);
  const radix = RADIXES[verb.toLowerCase()];
  if (radix) return inRadix(verb, radix, value);
  if (!isNumber(value)) return celFailure(`%${verb} of format() needs a number, got ${typeNameOf(value)}`);
  if (verb === 'f') return fixed(Number(value), precision);
  return verb === 'e'
    ? Number(value)
        .toExponential(precision)
        .replace(/(e[+-])(\d)$/, '$10$2')
    : celFailure('format() takes %s, %d, %f, %e, %x, %o, %b and %%');
}

const RADIXES: Readonly<Record<string, number>> = { d: 10, x: 16, o: 8, b: 2 };

function inRadix(verb: string, radix: number, value: unknown): string {
  if (isNumber(value) && isWhole(value)) return cased(verb, value.toString(radix));
  if (radix === 2 && typeof value === 'boolean') return value ? '1' : '0';
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return radix === 16 && bytes instanceof Uint8Array
    ? cased(verb, Buffer.from(bytes).toString('hex'))
    : celFailure(`%${verb} of format() needs a whole number, got ${typeNameOf(value)}`);
}

const isWhole = (value: CelNumber) => typeof value === 'bigint' || Number.isInteger(value);

const cased = (verb: string, digits: string) => (verb === 'X' ? digits.toUpperCase() : digits);

/** The number with this many digits behind the point. Half is rounded to the even digit, unlike `toFixed`. */
function fixed(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21 && Number.isFinite(value))
    return `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
  const rounded = value.toFixed(precision);
  const exact = value.toFixed(MOST_DIGITS);
  const cut = exact.indexOf('.') + 1 + precision;
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const below = exact.slice(0, cut).replace(/\.$/, '');
  return Number(below.at(-1)) % 2 === 0 ? below : rounded;
}

/** The most digits that `toFixed` writes. */
const MOST_DIGITS = 100;

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return listText(value);
  const entries = entriesOf(value);
  if (entries) return mapText(entries);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  const plain = toPlain(value);
  return typeof plain === 'string' ? plain : jsonText(plain);
}

function listText(items: readonly unknown[]): string {
  workOfMaking('list', items.length);
  return `[${items.map(asPart).join(', ')}]`;
}

function mapText(entries: NonNullable<ReturnType<typeof entriesOf>>): string {
  workOfMaking('list', entries.length);
  const members = entries.map(([key, value]) => [asPart(key), asPart(value)] as const);
  return `{${members
    .sort(([a], [b]) => compareText(a, b))
    .map((member) => member.join(':'))
    .join(', ')}}`;
}

/** A part of a list or map, as CEL writes it in a source. */
function asPart(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(asText(value))}`;
  if (value instanceof Duration) return `duration("${value}")`;
  if (value instanceof Date) return `timestamp("${timeText(value)}")`;
  if (!isNumber(value) || isInt(value)) return asText(value);
  return Number.isFinite(Number(value)) ? fixed(Number(value), 6) : `"${value}"`;
}
