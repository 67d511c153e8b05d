import { nearest } from '../../kit/nearest.ts';
import { cellText } from '../../output/escape.ts';

/** Values that are compared with what was asked for, at most. */
export const MOST_VALUES = 10_000;

/** Values that a hint lists where none resembles the one that was asked for, at most. */
export const MOST_LISTED = 5;

const MOST_SHOWN = 80;

/** Some of the values, in their order: `the values are Pending, Running and 3 more`. */
export function someText(values: readonly string[]): string {
  const some = values.toSorted().slice(0, MOST_LISTED);
  const more = values.length - some.length;
  return `the values are ${some.map(hintedValue).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A value in a hint: its first line, cut. */
export function hintedValue(value: string): string {
  const line = cellText(value);
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}

/**
 * The nearest of the known values; where some begin as it does up to its last `/`, the rest is compared: a kind or
 * registry resembles nothing. A word in other letters resembles it.
 */
export function nearValue(value: string, known: readonly string[]): string | undefined {
  const begin = value.slice(0, value.lastIndexOf('/') + 1);
  const alike = known.filter((each) => each.startsWith(begin));
  if (alike.length === 0) return nearest(value, known)[0];
  const rest = alike.map((each) => each.slice(begin.length));
  return nearest(value.slice(begin.length), rest).map((near) => begin + near)[0];
}
