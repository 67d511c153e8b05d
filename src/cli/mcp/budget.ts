import { neutralised } from '../../kit/escape.ts';

/**
 * Bytes of UTF-8 that count as one token. It is an estimate: tokenizers need one for about 3.5 bytes of JSON and prose,
 * and for 1.6 to 2 bytes of tables with names, hashes and addresses, which so have up to 1.85 times the counted tokens.
 */
const BYTES_PER_TOKEN = 3;

const DEFAULT_TOKENS = 1000;
const FEWEST_TOKENS = 150;
const MOST_TOKENS = 20_000;

/** The tokens that a text counts as. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** The budget of an answer: what the agent asks for, within limits. */
export function tokenBudgetOf(asked: unknown): number {
  if (typeof asked !== 'number' || !Number.isFinite(asked)) return DEFAULT_TOKENS;
  return Math.min(MOST_TOKENS, Math.max(FEWEST_TOKENS, Math.floor(asked)));
}

/** The beginning of a line with words of the cluster. No line of the cluster's can begin in another way. */
const QUOTE = '| ';

/** A value of an object as a part of a line: no line ends, nothing hidden, and no longer than `most` characters. */
export function quotedText(text: string, most = 80): string {
  const line = neutralised(
    text
      .slice(0, most * 4)
      .replace(/\r?\n/g, '\\n')
      .replaceAll('\t', ' '),
  );
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** The parts of an answer. */
export interface AnswerParts {
  /** The program's own words before the rows. */
  readonly head?: readonly string[];
  /** The cluster's words. */
  readonly rows: readonly string[];
  /** The rows that were found; `rows` may be the first of them. Default: the rows. */
  readonly count?: number;
  /** Says what to do about rows that are left out: lines of the program, and lines of the cluster. */
  readonly narrow?: ((left: number) => readonly Line[]) | undefined;
  /** The program's own words after the rows, which are never left out. */
  readonly foot: readonly Line[];
}

/** A line, and whether its words are the cluster's. */
export type Line = string | { readonly quoted: string };

const written = (line: Line) => (typeof line === 'string' ? line : QUOTE + line.quoted);

/** Writes an answer that has at most `budget` tokens: rows that have no room are counted instead. */
export function fitted({ head = [], rows, count = rows.length, narrow = leftOut, foot }: AnswerParts, budget: number) {
  const whole = (shown: readonly string[], left: number) =>
    [...head, ...shown, ...(left > 0 ? narrow(left) : []), ...foot].map(written);
  const quoted = rows.map((row) => QUOTE + row.replace(/[\r\n]+/g, '\\n'));
  const all = whole(quoted, count - rows.length).join('\n');
  if (tokensOf(all) <= budget) return all;
  let room = (budget - 1) * BYTES_PER_TOKEN - Buffer.byteLength(whole([], count).join('\n'));
  const fitting = quoted.findIndex((row) => {
    room -= Buffer.byteLength(row) + 1;
    return room < 0;
  });
  const shown = quoted.slice(0, Math.max(0, fitting));
  return whole(shown, count - shown.length).join('\n');
}

const leftOut = (left: number): readonly Line[] => [`${left} more`];
