/** One text that the word under the cursor may become. */
export interface Candidate {
  readonly value: string;
  /** A description, for shells that show it. */
  readonly about?: string | undefined;
}

/** The instruction to the shell about candidates. Source: cobra's ShellCompDirective. */
export const Directive = {
  /** No blank after the only candidate: more of the word follows. */
  noSpace: 2,
  /** No names of files where there is no candidate. */
  noFiles: 4,
  /** Names of folders in place of candidates. */
  folders: 16,
  /** The order of the candidates is kept. */
  keepOrder: 32,
} as const;

/** The answer to one press of the TAB key. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  /** A sum of {@link Directive}; 0 lets the shell complete names of files. */
  readonly directive: number;
}

export const NO_COMPLETIONS: Completions = { candidates: [], directive: Directive.noFiles };
export const FILES: Completions = { candidates: [], directive: 0 };
export const FOLDERS: Completions = { candidates: [], directive: Directive.folders };

/** Candidates without names of files. */
export function offered(candidates: readonly Candidate[]): Completions {
  return { candidates, directive: Directive.noFiles };
}

/** As {@link offered}, where the word goes on behind a candidate. */
export function offeredParts(candidates: readonly Candidate[]): Completions {
  return { candidates, directive: Directive.noFiles | Directive.noSpace };
}

/** The longest description that is shown, in characters. */
const LONGEST_ABOUT = 80;

/**
 * The answer as kubectl and cobra's scripts read it: a line for each candidate that begins like the typed word, with
 * its description after a tab, then `:` and the directive. A value that a shell or a terminal could take for more than
 * a word is left out.
 */
export function completionText({ candidates, directive }: Completions, typed: string): string {
  const seen = new Set<string>();
  const lines = candidates
    .filter(({ value }) => value.startsWith(typed) && isPlain(value) && !seen.has(value) && seen.add(value))
    .map(({ value, about }) => (about ? `${value}\t${shortened(about)}` : value));
  return [...lines, `:${directive}`, ''].join('\n');
}

/**
 * True if a shell takes the value as it is: no blanks, no control characters, no characters with a meaning for the
 * shell.
 */
const isPlain = (value: string) => /^[\p{L}\p{N}_@%+=:,./*[\]{-]+$/u.test(value);

function shortened(text: string): string {
  const plain = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...plain];
  return characters.length <= LONGEST_ABOUT ? plain : `${characters.slice(0, LONGEST_ABOUT - 1).join('')}…`;
}
