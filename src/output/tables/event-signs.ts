import type { EventWord } from '../../stream/envelope.ts';

/**
 * How a line is laid out: in columns, with the cells as close together as necessary to fit into the terminal, or as
 * kubectl does because it cannot fit.
 */
export type Fit = 'aligned' | 'close' | 'long';

/** The signs in front of lines that have no column EVENT. */
export const SIGNS: Readonly<Record<EventWord, string>> = { ADDED: '+', MODIFIED: '~', DELETED: '-', LEFT: '<' };

/** The place of the sign, in lines without an event. */
export const NO_SIGN = '  ';

/**
 * Whether the words of the column EVENT make a line too long for the terminal, so that from now on each line starts with
 * a sign instead: its cells do not fit below their headings, or the headings are longer than `most`.
 */
export function needsSign(fit: Fit, headingLength: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return fit !== 'aligned' || headingLength > most;
}
