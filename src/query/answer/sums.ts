import { HugeNumber } from '../../kit/exact-json.ts';
import { addDecimals, compareDecimals, type Decimal, divideDecimal, formatDecimal, ZERO } from '../../model/decimal.ts';
import { type Reading, type ReadingKind, readingOf } from './reading.ts';
import { exactSize, readableSize, type SizeStyle } from './sum-text.ts';

/** The aggregate of the values of a group. */
export type Verb = 'sum' | 'min' | 'max' | 'avg';

export const VERBS: readonly Verb[] = ['sum', 'min', 'max', 'avg'];

/** The result for one group. */
export interface Amount {
  readonly value: Decimal;
  /** Every digit: a number where all values were numbers, otherwise text. An average is rounded to a billionth. */
  readonly exact: unknown;
  /** For a person. */
  readonly readable: string;
}

/** The amounts of one measure, group by group, and the values that are none. */
export interface Amounts {
  /** Undefined for a group in which there is nothing to count. */
  readonly amounts: readonly (Amount | undefined)[];
  /** Values that were left out, and one of them. */
  readonly unread: { readonly count: number; readonly of: number; readonly example: string } | undefined;
}

/**
 * Counts values up, group by group; a group is a list of the values of each of its items. All groups are counted in one
 * kind, the one that most values are: sizes (numbers and quantities), durations, or, for the least and the largest,
 * times. Values that are something else are left out and counted once, though their item be in several groups.
 * `itemsOf`: how many items a list of values stands for. Default: one.
 */
export function amountsOf(
  verb: Verb,
  groups: readonly (readonly (readonly unknown[])[])[],
  itemsOf: (values: readonly unknown[]) => number = () => 1,
): Amounts {
  const known = new Map<readonly unknown[], readonly Reading[]>();
  const times = new Map<Reading, number>();
  const read = (values: readonly unknown[]) => {
    let readings = known.get(values);
    if (!readings) {
      readings = values.map(readingOf).filter((reading) => reading !== undefined);
      known.set(values, readings);
      for (const reading of readings) times.set(reading, itemsOf(values));
    }
    return readings;
  };
  const count: Count = (readings) => readings.reduce((sum, reading) => sum + (times.get(reading) as number), 0);
  const byGroup = groups.map((items) => items.flatMap(read));
  const all = [...known.values()].flat();
  const kind = kindOf(verb, all, count);
  const unread = all.filter((reading) => reading[kind] === undefined);
  const column = columnOf(verb, kind, all, count);
  return {
    amounts: byGroup.map((readings) => column(readings.filter((reading) => reading[kind] !== undefined))),
    unread:
      unread.length === 0 ? undefined : { count: count(unread), of: count(all), example: (unread[0] as Reading).text },
  };
}

/** The number of readings, each as often as it stands for one. */
type Count = (readings: readonly Reading[]) => number;

/** The kind that most of the values are. */
function kindOf(verb: Verb, all: readonly Reading[], count: Count): ReadingKind {
  const kinds: readonly ReadingKind[] =
    verb === 'min' || verb === 'max' ? ['size', 'duration', 'time'] : ['size', 'duration'];
  const counts = kinds.map((kind) => count(all.filter((reading) => reading[kind] !== undefined)));
  return kinds[counts.indexOf(Math.max(...counts))] ?? 'size';
}

type Column = (readings: readonly Reading[]) => Amount | undefined;

/** How the amounts of a measure are made and written; the same for all its groups. */
function columnOf(verb: Verb, kind: ReadingKind, all: readonly Reading[], count: Count): Column {
  const read = all.filter((reading) => reading[kind] !== undefined);
  const amountIn = (reading: Reading) => reading[kind] as Decimal;
  const areNumbers = read.every(({ isNumber }) => isNumber);
  const style = styleOf(read);
  const written = (value: Decimal): Amount =>
    kind === 'duration'
      ? { value, exact: durationText(value), readable: durationText(value) }
      : {
          value,
          exact: areNumbers ? jsonNumber(value) : exactSize(value, style),
          readable: readableSize(value, style),
        };
  if (verb === 'min' || verb === 'max') {
    const sign = verb === 'min' ? 1 : -1;
    return (readings) => {
      const [first, ...rest] = readings;
      if (!first) return undefined;
      const found = rest.reduce((a, b) => (sign * compareDecimals(amountIn(b), amountIn(a)) < 0 ? b : a), first);
      // as it is written, but a number, of which all spellings are the same
      if (kind === 'size') return { ...written(amountIn(found)), ...(areNumbers ? {} : { exact: found.text }) };
      return { value: amountIn(found), exact: found.text, readable: found.text };
    };
  }
  return (readings) => {
    if (readings.length === 0) return undefined;
    const sum = readings.map((reading) => timesDecimal(amountIn(reading), count([reading]))).reduce(addDecimals, ZERO);
    if (verb === 'sum') return written(sum);
    const scale = kind === 'size' && style.binary ? 0 : 9; // no part of a byte
    return written(divideDecimal(sum, BigInt(count(readings)), scale));
  };
}

const timesDecimal = ({ digits, scale }: Decimal, times: number): Decimal => ({
  digits: times === 1 ? digits : digits * BigInt(times),
  scale,
});

function styleOf(readings: readonly Reading[]): SizeStyle {
  const has = (end: RegExp) => readings.some(({ text, isNumber }) => !isNumber && end.test(text));
  return { binary: has(/i$/), large: has(/[kMGTPE]$/), small: has(/[num]$/) };
}

/** A number for JSON with every digit. */
function jsonNumber(value: Decimal): unknown {
  const text = formatDecimal(value);
  if (!text.includes('.')) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return String(Number(text)) === text ? Number(text) : new HugeNumber(text);
}

/** Seconds as Go writes a duration: `1h30m0s`, `1.5s`. */
function durationText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const size = digits < 0n ? -digits : digits;
  const second = 10n ** BigInt(scale);
  const [minutes, rest] = [size / (60n * second), size % (60n * second)];
  const seconds = `${formatDecimal({ digits: rest, scale })}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`;
}
