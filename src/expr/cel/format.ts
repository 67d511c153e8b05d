import { jsonText } from '../../kit/exact-json.ts';
import { failure, isNumber, toPlain, typeNameOf } from './values.ts';

/**
 * `%s`, `%d`, `%f`, `%.2f`, `%e`, `%x`, `%X`, `%o`, `%b` and `%%` of the strings extension. Fails for too few arguments and for one of the wrong type.
 * Source: cel-go ext/formatting.go.
 */
export function formatText(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(/%(?:\.(\d{1,2}))?([a-zA-Z%])|%/g, (_, precision: string | undefined, verb: string | undefined) => {
    if (verb === '%') return '%';
    if (next >= values.length) failure('format has fewer values than clauses');
    return formatOne(verb ?? '', precision === undefined ? 6 : Number(precision), values[next++]);
  });
}

function formatOne(verb: string, precision: number, value: unknown): string {
  if (verb === 's') return asText(value);
  const radix = RADIXES[verb.toLowerCase()];
  if (radix && typeof value === 'string' && radix === 16) return cased(verb, Buffer.from(value).toString('hex'));
  if (!isNumber(value)) return failure(`a number of format cannot be ${typeNameOf(value)}`);
  if (radix) return cased(verb, (typeof value === 'bigint' ? value : Math.trunc(value)).toString(radix));
  if (verb === 'f') return Number(value).toFixed(precision);
  return verb === 'e' ? Number(value).toExponential(precision) : failure('format knows %s, %d, %f, %e, %x, %o, %b and %%');
}

const RADIXES: Readonly<Record<string, number>> = { d: 10, x: 16, o: 8, b: 2 };

const cased = (verb: string, digits: string) => (verb === 'X' ? digits.toUpperCase() : digits);

function asText(value: unknown): string {
  const plain = toPlain(value);
  return typeof plain === 'string' ? plain : jsonText(plain);
}
