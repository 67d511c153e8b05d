import { InformerError } from '../../kit/error.ts';
import {
  misplaced,
  type Placeholder,
  placeholderOf,
  plainTextOf,
  prefixOf,
  readPlaceholder,
  splitWords,
  type Word,
} from './exec-words.ts';

/** A line for `sh -c` with positional parameters in place of its placeholders. */
export interface ShellLine {
  /** The line with `"$1"`, `"$2"` … in place of its placeholders. */
  readonly script: string;
  /** The placeholder of each parameter, in order. */
  readonly placeholders: readonly Placeholder[];
  /** The words of each simple command, without redirections. */
  readonly commands: readonly (readonly Word[])[];
  /** The same words, with a placeholder in place of each variable that the line may set from one. */
  readonly traced: readonly (readonly Word[])[];
}

/**
 * Replaces each placeholder of a shell line by a positional parameter, so that the text for the shell never contains a
 * value. A parameter is one word only at the top level of the line. A placeholder anywhere else is refused (`argument`),
 * and so is one in a line with a here-document, or with positional parameters of its own. A line without placeholders
 * is passed on unchanged.
 */
export function readShellLine(line: string): ShellLine {
  if (!line.includes('{{')) return { script: line, placeholders: [], commands: [], traced: [] };
  const placeholders: Placeholder[] = [];
  const texts = ['']; // of each simple command, for splitWords
  const nested: string[] = [];
  let script = '';
  for (let at = 0; at < line.length; ) {
    const { part, text } = partAt(line, at);
    at += part.length;
    nested.push(...substitutionsIn(part));
    const number = part.startsWith('{{') ? placeholders.push(placeholderIn(part)) : 0;
    script += number === 0 ? part : `"$${number > 9 ? `{${number}}` : number}"`;
    texts.push(...(SEPARATOR.test(part) ? [''] : [`${texts.pop()}${text}`]));
  }
  const all = texts.map(splitWords).filter(({ length }) => length > 0);
  const setsParameters = all.some((words) => OWN_PARAMETERS.test(words.map(plainTextOf).join(' ')));
  if (setsParameters || /\w\s*\(\s*\)/.test(line))
    misplaced(
      placeholderIn(line),
      'in a line that sets its own positional parameters (set, shift, a function)',
      SCRIPT,
    );
  const braced = all.flat().find((word) => placeholderOf(word) && /[{}]/.test(word.filter(isText).join('')));
  if (braced) misplaced(placeholderOf(braced) as Placeholder, 'in a word with braces', OWN_WORD);
  const commands = all.map((words) => words.filter((word) => !prefixOf(word).startsWith(TARGET)));
  const { traced, variables } = tracedThrough(commands, placeholders[0] as Placeholder);
  refuseNested(nested, variables);
  return { script, placeholders, commands, traced };
}

/** The substitutions in a part of a line whose text the shell reads as commands, or as names of variables. */
function substitutionsIn(part: string): string[] {
  const open = /^(?:`|\$\(|\$\[|[<>]\(|\(\()/.exec(part);
  if (open || /^\$\{[\s\S]+[$`!]/.test(part)) return [part];
  if (!part.startsWith('"') || part.length === 1) return [];
  const found: string[] = [];
  for (let at = 1; at < part.length; ) {
    const inner = /^(?:`|\$[({[])/.exec(part.slice(at))?.[0];
    const length = inner ? endOf(part.slice(at), inner) : part[at] === '\\' ? 2 : 1;
    if (inner) found.push(...substitutionsIn(part.slice(at, at + length)));
    at += length;
  }
  return found;
}

/** The commands in a substitution are not read here, so no variable that may have a value may be in one. */
function refuseNested(nested: readonly string[], variables: ReadonlyMap<string, Placeholder>): void {
  for (const [name, placeholder] of variables)
    if (nested.some((text) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text)))
      misplaced(placeholder, `within a substitution, by the variable ${name}`, SCRIPT);
}

const SEPARATOR = /^[;&|()\n]$/;
/** A command that changes the meaning of `"$1"`: `shift`, `function`, and `set` with more than options. */
const OWN_PARAMETERS = /^(?:set (?!(?:[-+](?:[A-Za-z]*o [a-z]+|[A-Za-z]+) ?)+$)|function )|\bshift\b/;
/** Stands for a redirection in the text of a command. The rest of its word is the target. */
const TARGET = '\0';
const OWN_WORD = 'put it outside, as a separate word, or set a variable first: v={{.path}}; echo "seen: $v"';
const SCRIPT = 'write a script that reads the request from its stdin, and run it with --hook FILE';

/** Where a line has no placeholder that begins here, or none at all. */
const REFUSED: readonly (readonly [pattern: RegExp, where: string, hint: string])[] = [
  [/^\\\{\{/, 'after a backslash', OWN_WORD],
  [/^\$\{\{/, 'after a $', OWN_WORD],
  [/^\$'/, "in a line with $'…', which differs between shells", 'write it without the $'],
  [/^<</, 'in a line with a here-document', SCRIPT],
];

/** A part of a line: a placeholder, a quoted or nested part, or a few characters. `text` is what it adds to the words. */
function partAt(line: string, at: number): { part: string; text: string } {
  const rest = line.slice(at);
  const [, where, hint] = REFUSED.find(([pattern]) => pattern.test(rest)) ?? [];
  if (where && hint) misplaced(placeholderIn(rest.includes('{{') ? rest : line), where, hint);
  const startsWord = /(?:^|[\s;&|()])$/.test(line.slice(0, at));
  const open = /^(?:['"`]|\$[({[]|[<>]\()/.exec(rest)?.[0] ?? (startsWord && /^(?:\(\(|#)/.exec(rest)?.[0]);
  if (open) {
    const part = rest.slice(0, endOf(rest, open));
    if (part.includes('{{')) misplaced(placeholderIn(rest), ...placeOf(open));
    const isQuote = open === "'" || open === '"';
    const text = isQuote ? part.slice(1, -1) : `$${/^\$\{(\w+)/.exec(part)?.[1] ?? ''}`;
    return { part, text: open === '#' ? '' : `'${text.replaceAll("'", "'\\''")}'` };
  }
  const part = rest.startsWith('{{')
    ? placeholderIn(rest).source
    : (/^(?:\\[\s\S]|[<>]+[&|]?[ \t]*|[\s\S])/.exec(rest)?.[0] as string);
  return { part, text: /^[<>]/.test(part) ? ` ${TARGET}` : part === '\\\n' ? '' : part };
}

function placeOf(open: string): [where: string, hint: string] {
  if (open === '#') return ['in a comment', 'remove it'];
  if (open === '((') return ['within arithmetic, which evaluates its text', SCRIPT];
  if (open === "'" || open === '"') return ['within quotes', OWN_WORD];
  return ['within a substitution, whose result is split into words again', OWN_WORD];
}

/** The index after a part that begins with `open`. Skips the parts in it. Throws `argument` if it has no end. */
function endOf(text: string, open: string): number {
  if (open === '#') return /$/m.exec(text)?.index as number;
  const close = [...open]
    .map((c) => CLOSING[c] ?? c)
    .join('')
    .replace(/^[$<>]/, '');
  const inner = open === '"' ? /^(?:`|\$[({[])/ : /^(?:['"`]|\$[({[]|\()/;
  for (let at = open.length; at < text.length; ) {
    if (text.startsWith(close, at)) return at + close.length;
    const next = open === "'" || open === '`' ? undefined : inner.exec(text.slice(at))?.[0];
    if (next !== undefined) at += endOf(text.slice(at), next);
    else at += text[at] === '\\' && open !== "'" ? 2 : 1;
  }
  throw new InformerError('argument', `a quote or substitution is not closed: ${text}`);
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

/** The first placeholder in a text. Throws `argument` if it is not closed. */
function placeholderIn(text: string): Placeholder {
  const found = /\{\{(.*?)\}\}/s.exec(text);
  if (!found) throw new InformerError('argument', `a placeholder is not closed: ${text}`);
  return readPlaceholder(found[1] as string);
}

interface Traced {
  readonly traced: readonly (readonly Word[])[];
  readonly variables: ReadonlyMap<string, Placeholder>;
}

/** An assignment of the output of a command, which may be a value too. */
const OF_OUTPUT = /^[A-Za-z_]\w*\+?=[\s\S]*(?:\$(?![A-Za-z_{])|`)/;

/**
 * Puts a placeholder in place of each `$v` that the line may set from one: `v={{…}}`, `for v in {{…}}`, `read v`,
 * `v=$(cat)`. `first` is a placeholder of the line.
 */
function tracedThrough(commands: readonly (readonly Word[])[], first: Placeholder): Traced {
  const firstOf = (words: readonly Word[]) => words.map(placeholderOf).find(Boolean);
  const values = new Map<string, Placeholder>();
  for (let traced = commands, known = 0; ; known = values.size) {
    for (const words of traced) {
      const isFromElsewhere = words.some((word) => plainTextOf(word) === 'read' || OF_OUTPUT.test(plainTextOf(word)));
      const value = isFromElsewhere ? first : firstOf(words);
      const names = words.flatMap((word) => /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(prefixOf(word))?.[1] ?? []);
      if (value) for (const name of names) values.set(name, values.get(name) ?? value);
    }
    if (values.size === known) return { traced, variables: values };
    const variable = new RegExp(`\\$\\{?(${[...values.keys()].join('|')})\\b\\}?`);
    const trace = (piece: string | Placeholder): Word =>
      isText(piece)
        ? piece.split(variable).flatMap((text, i) => (i % 2 ? (values.get(text) ?? []) : text || []))
        : [piece];
    traced = commands.map((words) => words.map((word) => word.flatMap(trace)));
  }
}

const isText = (piece: string | Placeholder): piece is string => typeof piece === 'string';
