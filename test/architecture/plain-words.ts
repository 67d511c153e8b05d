/**
 * Words that readers whose first language is another one do not know, or know with another meaning, and what to write
 * instead. CONTRIBUTING.md has the rules they stand for: the field's words, one idea a sentence, a named subject.
 */
export const PLAIN_WORDS: readonly (readonly [unplain: RegExp, instead: string])[] = [
  [/\b(told|tells?|telling)\b/i, 'notified, reported, says'],
  [/\b(heard|hears?)\b/i, 'receives, is called with, notices'],
  [/\b(whence|whither|hence|thereby|wherein|whereof)\b/i, 'from where; two sentences'],
  [/\banew\b/i, 'again'],
  [/\blikewise\b/i, 'say it again in full'],
  [/\bof (ours|yours|theirs)\b/i, 'name the owner'],
  [/\bwhat is none\b/i, 'say what is not valid'],
  [/\bso many\b/i, 'at most N, this number of'],
  [/\bin hand\b/i, 'being processed'],
  [/(?<!-)\bstands?\b(?!-)(?! (for|in for|alone|still))/i, 'is, is written'],
  [/(?<!not currently )\bheld\b/i, 'kept, buffered, cached'],
  [/\b(mend(s|ed|ing)?)\b/i, 'repaired, fixed'],
  [/\bdear\b/i, 'slow, expensive'],
  [/\bfor ever\b/i, 'without end, never ends'],
  [/\b((?<!")nobody|somebody|whoever|whomever)\b/i, 'name who'],
  [/\bnone the worse\b/i, 'may ignore it'],
  [/\bin good order\b/i, 'gracefully'],
  [/\bfirst state\b/i, 'initial sync, initial list'],
  [/\b(ere|lest|albeit|thus|aught|naught|forthwith|hitherto)\b/i, 'a common word'],
];

/** A place in a file whose text has an unplain word. */
export interface Unplain {
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/**
 * Unplain words in the comments and literal texts of TypeScript. Identifiers, also those in backticks of a comment, are
 * names, not prose.
 */
export function unplainInCode(source: string): Unplain[] {
  return unplainIn(proseOf(source));
}

/** Unplain words in the prose of Markdown; code is left out. */
export function unplainInMarkdown(source: string): Unplain[] {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ');
  return unplainIn(source.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/`[^`\n]*`/g, blank));
}

function unplainIn(prose: string): Unplain[] {
  return prose.split('\n').flatMap((text, i) =>
    PLAIN_WORDS.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text);
      return found ? [{ line: i + 1, word: found[0], instead }] : [];
    }),
  );
}

/**
 * Comments, and literals with a blank in them (others are names or values), at their lines; everything else is blank.
 */
function proseOf(source: string): string {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|\$\{(?:[^{}]|\{[^{}]*\})*\}|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[\s.,;)\]])/g;
  let prose = '';
  let end = 0;
  const blank = (text: string) => text.replace(/[^\n]/g, ' ');
  for (const match of source.matchAll(token)) {
    const [text] = match;
    prose += blank(source.slice(end, match.index));
    end = match.index + text.length;
    const isComment = text.startsWith('//') || text.startsWith('/*');
    const isProse = isComment || (!text.startsWith('/') && text.trim().includes(' '));
    prose += isProse ? withoutNames(text, isComment) : blank(text);
  }
  return prose + blank(source.slice(end));
}

/** Names in a comment are in backticks or after `@link`; in a template, in its expressions. */
function withoutNames(text: string, isComment: boolean): string {
  const names = isComment ? /`[^`\n]*`|\{@link [^}]*\}/g : /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
  return text.replace(names, (name) => name.replace(/[^\n]/g, ' '));
}
