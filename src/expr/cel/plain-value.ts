import { isContainer } from '../../kit/exact-json.ts';
import { Quantity } from '../../model/quantity.ts';
import { BLANK, Duration, MISSING, Optional, TypeName } from './cel-values.ts';
import { IpAddress, IpBlock } from './ip-address.ts';
import { entriesOf } from './keyed-map.ts';
import { timeText } from './times.ts';
import { workOfMaking } from './work.ts';

const TEXTUAL = [Duration, Quantity, IpAddress, IpBlock];

/**
 * The result of an evaluation as JSON. A time becomes RFC 3339 text, a duration its seconds (`300s`), bytes base64, a
 * missing value undefined. Each item is work: an expression can make a value that has the same part very often.
 */
export function toPlain(value: unknown): unknown {
  if (value === MISSING) return undefined;
  if (value === BLANK) return '';
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) {
    workOfMaking('list', value.length);
    return value.map(toPlain);
  }
  if (value instanceof Date) return timeText(value);
  if (TEXTUAL.some((type) => value instanceof type)) return String(value);
  if (value instanceof Optional) return toPlain(value.value);
  if (value instanceof TypeName) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const entries = entriesOf(value) ?? Object.entries(value);
  workOfMaking('list', entries.length);
  return Object.fromEntries(entries.map(([key, item]) => [String(key), toPlain(item)]));
}
