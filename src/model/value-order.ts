import { parseLongDuration } from '../kit/duration.ts';
import { compareText } from '../kit/text-order.ts';
import { compareInstants, parseInstant } from './instant.ts';
import { compareQuantities, parseQuantity } from './quantity.ts';

/**
 * The order of values in ranges: quantities (including plain numbers) first, then times, then other text. Quantities
 * compare by size, times as instants, text by bytes.
 * 0 for two spellings of one value: `1Gi` and `1024Mi`, `10:00:00Z` and `12:00:00+02:00` of one day.
 */
export function compareSizes(a: string, b: string): number {
  const [x, y] = [sizeIn(a), sizeIn(b)];
  if (x && y) return compareQuantities(x, y);
  if (x) return -1;
  return y ? 1 : compareTimes(a, b);
}

function compareTimes(a: string, b: string): number {
  const [x, y] = [parseInstant(a), parseInstant(b)];
  if (x && y) return compareInstants(x, y);
  if (x) return -1;
  return y ? 1 : compareText(a, b);
}

/**
 * The order of {@link compareSizes}, with two spellings of one value ordered by their text. Never 0 for two different
 * texts.
 */
export function compareValues(a: string, b: string): number {
  return compareSizes(a, b) || compareText(a, b);
}

/**
 * The order of two texts in `--sort-by`: quantities by size, anything else by bytes. Source: kubectl pkg/cmd/get
 * sorter.go.
 */
export function compareSortedTexts(a: string, b: string): number {
  const x = sizeIn(a);
  const y = x && sizeIn(b);
  return x && y ? compareQuantities(x, y) : compareText(a, b);
}

/** The quantity in a text. Most text, times too, is not of its form and not parsed. */
const sizeIn = (text: string) =>
  /^[-+]?[\d.]+([eE][-+]?\d+|[A-Za-z]i?)?$/.test(text) ? parseQuantity(text) : undefined;

/** The milliseconds of a text that is a duration: `90s`, `1h30m`, `2d`, `0`. */
function durationIn(text: string): number | undefined {
  if (!/^[-+.\d].*[smhdy]$|^0$/.test(text)) return undefined;
  try {
    return parseLongDuration(text);
  } catch {
    return undefined;
  }
}

/** The kind of value that a text reads as: a quantity (a plain number too), a time, a duration, or none of them. */
export type ValueKind = 'quantity' | 'time' | 'duration' | 'text';

/**
 * The kind by which a range with these ends compares: the kind of both, or text. `5m` is a quantity, and five minutes
 * beside an end that can only be a duration.
 */
export function kindOfEnds(ends: readonly string[]): ValueKind {
  const kinds = ends.map(kindOf);
  if (kinds.includes('duration') && ends.every((end) => durationIn(end) !== undefined)) return 'duration';
  const [first = 'text'] = kinds;
  return kinds.every((kind) => kind === first) ? first : 'text';
}

function kindOf(text: string): ValueKind {
  if (sizeIn(text)) return 'quantity';
  if (parseInstant(text)) return 'time';
  return durationIn(text) === undefined ? 'text' : 'duration';
}

/** Negative, 0 or positive, as one end of a range of this kind is before, at or after the other. */
export function compareEnds(kind: ValueKind, from: string, to: string): number {
  if (kind === 'text') return compareText(from, to);
  return kind === 'duration' ? (durationIn(from) ?? 0) - (durationIn(to) ?? 0) : compareSizes(from, to);
}

/** A test whether a text of a kind is between two others of that kind, both included. An absent end is open. */
export function rangeTest(kind: ValueKind, { from, to }: { from?: string; to?: string }): (text: string) => boolean {
  switch (kind) {
    case 'quantity':
      return between(sizeIn, compareQuantities, from, to);
    case 'time':
      return between(parseInstant, compareInstants, from, to);
    case 'duration':
      return between(durationIn, (a, b) => a - b, from, to);
    case 'text':
      return between((text) => text, compareText, from, to);
  }
}

/** The ends are parsed once. */
function between<T>(
  parse: (text: string) => T | undefined,
  compare: (a: T, b: T) => number,
  ...ends: (string | undefined)[]
): (text: string) => boolean {
  const [low, high] = ends.map((end) => (end === undefined ? undefined : parse(end)));
  return (text) => {
    const value = parse(text);
    if (value === undefined) return false;
    return (low === undefined || compare(low, value) <= 0) && (high === undefined || compare(value, high) <= 0);
  };
}
