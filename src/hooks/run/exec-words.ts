import { InformerError } from '../../kit/error.ts';

/** A placeholder in a command line: `{{.metadata.name}}`. */
export interface Placeholder {
  /** The JSONPath between the braces. */
  readonly path: string;
  /** The text that it has where the object has no value: `{{.spec.nodeName | default "none"}}`. */
  readonly fallback?: string;
  /** The whole placeholder, with its braces. */
  readonly source: string;
}

/** One word of a command line: its text without quotes, and its placeholders. */
export type Word = readonly (string | Placeholder)[];

/** The first placeholder of a word; undefined if it has none. */
export function placeholderOf(word: Word | undefined): Placeholder | undefined {
  return word?.find((piece) => typeof piece !== 'string');
}

/** The text of a word without placeholders; undefined for a word with one. */
export function literalOf(word: Word | undefined): string | undefined {
  return word && !placeholderOf(word) ? word.join('') : undefined;
}

/** As {@link literalOf}, and no text for a word with a placeholder. */
export function plainTextOf(word: Word | undefined): string {
  return literalOf(word) ?? '';
}

/** The text before a word's first placeholder. */
export function prefixOf(word: Word): string {
  const [first] = word;
  return typeof first === 'string' ? first : '';
}

/** Throws `argument` for a placeholder in a place where its value could become code, an option or two words. */
export function misplaced({ source }: Placeholder, where: string, hint: string): never {
  throw new InformerError('argument', `the placeholder ${source} is not allowed ${where}`, { hint });
}

/** Splits a text into plain pieces and placeholders. Throws `argument` for a placeholder that is not closed. */
function piecesOf(text: string): Word {
  const pieces = text
    .split(PLACEHOLDER)
    .map((piece, i) => (i % 2 === 0 ? piece : readPlaceholder(piece)))
    .filter((piece) => piece !== '');
  if (pieces.some((piece) => typeof piece === 'string' && piece.includes('{{'))) {
    throw new InformerError('argument', `a placeholder is not closed: ${text}`);
  }
  return pieces.length === 0 ? [''] : pieces;
}

/** Reads what is between the braces of a placeholder. Throws `argument` for a filter that does not exist. */
export function readPlaceholder(text: string): Placeholder {
  const source = `{{${text}}}`;
  const [, path, filter] = FILTERED.exec(text) ?? [];
  if (path === undefined || filter === undefined) return { path: text, source };
  const [, single, double, bare] = DEFAULT.exec(filter.trim()) ?? [];
  const fallback = single ?? double ?? bare;
  if (fallback !== undefined) return { path, fallback, source };
  throw new InformerError('argument', `${source}: after | there may only be default "TEXT"`, {
    hint: 'for example {{.spec.nodeName | default "none"}}, and not within double quotes of the line',
  });
}

/** A path, and what is behind a `|` outside of its quotes. */
const FILTERED = /^((?:[^'"|]|'[^']*'|"[^"]*")*)\|(.*)$/s;
const DEFAULT = /^default\s+(?:'([^']*)'|"([^"]*)"|([^\s'"|]+))$/;

const PLACEHOLDER = /\{\{(.*?)\}\}/s;

/**
 * Splits a line into words as a POSIX shell does, without expansions. A placeholder is never split, and stays a
 * placeholder within quotes. Throws `argument` for a quote or a placeholder that is not closed.
 */
export function splitWords(line: string): Word[] {
  return wordsIn(line).map(({ text }) => piecesOf(text));
}

/** A word of a line, without its quotes, and with a letter in place of each part that was quoted or a placeholder. */
interface SplitWord {
  text: string;
  bare: string;
}

function wordsIn(line: string): SplitWord[] {
  const token = /\{\{.*?\}\}|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([\s\S])/gs;
  const words: SplitWord[] = [];
  let word: SplitWord | undefined;
  for (const [whole, single, double, escaped, space, other] of line.matchAll(token)) {
    if (space !== undefined) {
      word = undefined;
      continue;
    }
    if (other === "'" || other === '"') throw new InformerError('argument', `a quote is not closed: ${line}`);
    if (!word) {
      word = { text: '', bare: '' };
      words.push(word);
    }
    word.text += single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? other ?? whole;
    word.bare += other ?? 'q';
  }
  return words;
}

/** Words that mean something to a shell only: pipes, redirections, the ends of commands, substitutions. */
const OF_A_SHELL = /^(?:[|&]{1,2}|\|&|&>.*|\d*[<>].*)$|;$|\$\(|`/;

/**
 * Refuses a line that was written for a shell, because no shell reads it: the program would get `|` and what follows as
 * arguments. What is quoted is meant as it is, and so is the `;` of `find -exec`. Throws `argument`.
 */
export function refuseShellSyntax(line: string): void {
  const words = wordsIn(line);
  const isOfFind = words.some(({ text }) => /^-(?:exec|ok)(?:dir)?$/.test(text));
  const found = words.find(({ bare }) => OF_A_SHELL.test(bare) && !(isOfFind && bare === ';'));
  if (!found) return;
  throw new InformerError(
    'argument',
    `no shell reads this line, so ${found.text} would be an argument of the program`,
    { hint: 'add --shell to pass the line to sh, or quote the word if it is meant as it is' },
  );
}
