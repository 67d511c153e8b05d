import { InformerError } from '../../kit/error.ts';

/** A placeholder in a command line: `{{.metadata.name}}`. */
export interface Placeholder {
  /** The text between the braces. */
  readonly path: string;
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
    .map((piece, i) => (i % 2 === 0 ? piece : { path: piece, source: `{{${piece}}}` }))
    .filter((piece) => piece !== '');
  if (pieces.some((piece) => typeof piece === 'string' && piece.includes('{{'))) {
    throw new InformerError('argument', `a placeholder is not closed: ${text}`);
  }
  return pieces.length === 0 ? [''] : pieces;
}

const PLACEHOLDER = /\{\{(.*?)\}\}/s;

/**
 * Splits a line into words as a POSIX shell does, without expansions. A placeholder is never split, and stays a
 * placeholder within quotes. Throws `argument` for a quote or a placeholder that is not closed.
 */
export function splitWords(line: string): Word[] {
  const token = /\{\{.*?\}\}|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([\s\S])/gs;
  const words: string[] = [];
  let word: string | undefined;
  for (const [whole, single, double, escaped, space, other] of line.matchAll(token)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (other === "'" || other === '"') throw new InformerError('argument', `a quote is not closed: ${line}`);
    word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? other ?? whole);
  }
  if (word !== undefined) words.push(word);
  return words.map(piecesOf);
}
