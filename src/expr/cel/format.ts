import { jsonText } from '../../kit/exact-json.ts';
import { toPlain } from './plain-value.ts';
import { celFailure, isNumber, typeNameOf } from './values.ts';

/**
 * Formats `%s`, `%d`, `%f`, `%.2f`, `%e`, `%x`, `%X`, `%o`, `%b` and `%%` as CEL's strings extension does. Fails for
 * too few arguments, for an argument of the wrong type and for an unknown clause. Source: cel-go ext/formatting.go.
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
  if (radix && typeof value === 'string' && radix === 16) return cased(verb, Buffer.from(value).toString('hex'));
  if (!isNumber(value)) return celFailure(`%${verb} of format() needs a number, got ${typeNameOf(value)}`);
  if (radix) return cased(verb, (typeof value === 'bigint' ? value : Math.trunc(value)).toString(radix));
  if (verb === 'f') return Number(value).toFixed(precision);
  return verb === 'e'
    ? Number(value).toExponential(precision)
    : celFailure('format() takes %s, %d, %f, %e, %x, %o, %b and %%');
}

const RADIXES: Readonly<Record<string, number>> = { d: 10, x: 16, o: 8, b: 2 };

const cased = (verb: string, digits: string) => (verb === 'X' ? digits.toUpperCase() : digits);

function asText(value: unknown): string {
  const plain = toPlain(value);
  return typeof plain === 'string' ? plain : jsonText(plain);
}
