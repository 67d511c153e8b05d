import { neutralised } from '../kit/escape.ts';
import { tokensOf } from './token-count.ts';

const DEFAULT_TOKENS = 1000;
const FEWEST_TOKENS = 150;
const MOST_TOKENS = 20_000;

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
  const quoted = rows.map((row) => QUOTE + row.replace(/[\r\n]+/g, '\\n'));
  const all = [...head, ...quoted, ...(count > rows.length ? narrow(count - rows.length) : []), ...foot].map(written);
  if (counted(all.join('\n')) <= budget) return all.join('\n');
  const room = new Room(budget);
  const keptFoot = new Set(room.fitting(foot.filter((line) => typeof line === 'string')));
  const keptHead = room.fitting(head);
  const more = room.fitting(narrow(count)).length;
  for (const line of room.fitting(foot.filter((each) => typeof each !== 'string'))) keptFoot.add(line);
  const shown = room.first(quoted);
  const left = count - shown.length;
  return [...keptHead, ...shown, ...narrow(left).slice(0, more), ...foot.filter((line) => keptFoot.has(line))]
    .map(written)
    .join('\n');
}

/** All marks of values of Secrets count alike: how much has room says nothing about them. */
const counted = (text: string) => tokensOf(text.replace(/hmac:[0-9a-f]{8}/g, 'hmac:0a1b2c3d'));

/** The tokens that are left for lines. */
class Room {
  #left: number;

  constructor(budget: number) {
    this.#left = budget;
  }

  /** Takes the lines for which there is room. */
  fitting(lines: readonly Line[]): Line[] {
    return lines.filter((line) => this.#take(written(line)));
  }

  /** Takes lines until there is no room for one. */
  first(lines: readonly string[]): readonly string[] {
    const end = lines.findIndex((line) => !this.#take(line));
    return end === -1 ? lines : lines.slice(0, end);
  }

  #take(line: string): boolean {
    const tokens = counted(`${line}\n`);
    if (tokens > this.#left) return false;
    this.#left -= tokens;
    return true;
  }
}

const leftOut = (left: number): readonly Line[] => [`${left} more`];
