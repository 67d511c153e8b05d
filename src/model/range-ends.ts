import { parseLongDuration } from '../kit/duration.ts';
import { compareText } from '../kit/text-order.ts';
import { compareInstants, parseInstant } from './instant.ts';
import { compareQuantities } from './quantity.ts';
import { compareSizes, sizeIn } from './value-order.ts';

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
