import { InformerError } from '../../kit/error.ts';
import {
  literalOf,
  misplaced,
  type Placeholder,
  placeholderOf,
  plainTextOf,
  prefixOf,
  readPlaceholder,
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
  /** The same words, with the placeholder in place of each variable that the line sets from it. */
  readonly traced: readonly (readonly Word[])[];
}

/**
 * Parses a shell line and replaces each placeholder by a positional parameter, so that the text for the shell never
 * contains a value.
 *
 * A parameter is one word only at the top level of the line. So a placeholder is refused (`argument`) within quotes,
 * after a backslash or `$`, within a substitution (the shell splits its result into words again), in arithmetic, in
 * braces, in a comment, in and after a here-document, as a command, and in a line that sets its own positional
 * parameters. A line without placeholders is not parsed.
 */
export function readShellLine(line: string): ShellLine {
  if (!line.includes('{{')) return { script: line, placeholders: [], commands: [], traced: [] };
  return new ShellReader(line).read();
}

const OWN_WORD = 'put it outside, as a separate word, or set a variable first: v={{.path}}; echo "seen: $v"';
const SCRIPT = 'write a script that reads the request from its stdin, and run it with --hook FILE';
/** Words after which the next one is a command. */
const RESERVED = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', '}', 'time']);

class ShellReader {
  readonly #line: string;
  readonly #placeholders: Placeholder[] = [];
  readonly #commands: Word[][] = [];
  #at = 0;
  #script = '';
  #command: Word[] = [];
  #word: (string | Placeholder)[] | undefined;
  #isTarget = false;

  constructor(line: string) {
    this.#line = line;
  }

  read(): ShellLine {
    while (this.#at < this.#line.length) this.#step();
    this.#endCommand();
    this.#refuseOwnParameters();
    const traced = this.#commands.map((command) => command.map(tracedThrough(this.#commands)));
    for (const command of traced) refusePlacedCommand(command);
    return { script: this.#script, placeholders: this.#placeholders, commands: this.#commands, traced };
  }

  #step(): void {
    const rest = this.#line.slice(this.#at);
    const [c = '', next = ''] = rest;
    const startsWord = this.#word === undefined;
    const redirection = /^[<>]+[&|]?/.exec(rest)?.[0];
    if (rest.startsWith('{{')) this.#placeholder(rest);
    else if (c === '\\') this.#escaped(rest);
    else if (c === "'" || c === '"') this.#quoted(rest);
    else if (c === '$' && (next === "'" || rest.startsWith('{{', 1))) refuseDollar(rest);
    else if (/^(?:`|\$[({[]|[<>]\()/.test(rest))
      this.#opaque(rest, 'within a substitution, whose result is split into words again', OWN_WORD);
    else if (startsWord && c === '#') this.#comment(rest);
    else if (startsWord && rest.startsWith('(('))
      this.#opaque(rest, 'within arithmetic, which evaluates its text', SCRIPT);
    else if (rest.startsWith('<<')) this.#hereDocument(rest);
    else if (redirection) this.#operator(redirection, 'redirection');
    else if (/[;&|()\n]/.test(c)) this.#operator(c, 'separator');
    else if (/\s/.test(c)) this.#operator(c, 'space');
    else this.#literal(c, c);
  }

  #escaped(rest: string): void {
    if (rest.startsWith('{{', 1)) misplaced(placeholderIn(rest), 'after a backslash', OWN_WORD);
    const raw = rest.slice(0, 2);
    if (raw === '\\\n') this.#take(raw.length, raw);
    else this.#literal(raw, raw.slice(1));
  }

  #placeholder(rest: string): void {
    const placeholder = placeholderIn(rest);
    const number = this.#placeholders.push(placeholder);
    this.#take(placeholder.source.length, number > 9 ? `"\${${number}}"` : `"$${number}"`);
    this.#word = [...(this.#word ?? []), placeholder];
  }

  #literal(raw: string, text: string): void {
    this.#take(raw.length, raw);
    this.#word = [...(this.#word ?? []), text];
  }

  #quoted(rest: string): void {
    const raw = this.#without(rest, 'within quotes', OWN_WORD);
    this.#literal(raw, raw.slice(1, -1));
  }

  /** A part that is passed on unchanged and must not contain a placeholder. */
  #opaque(rest: string, where: string, hint: string): void {
    const variable = /^\$\{(\w+)/.exec(rest)?.[1] ?? '';
    this.#literal(this.#without(rest, where, hint), `$${variable}`);
  }

  /** Returns the part that begins here. Refuses a placeholder in it. */
  #without(rest: string, where: string, hint: string): string {
    const end = endOf(rest, 0);
    const at = rest.indexOf('{{');
    if (at >= 0 && at < end) misplaced(placeholderIn(rest.slice(at)), where, hint);
    return rest.slice(0, end);
  }

  #comment(rest: string): void {
    const raw = /^[^\n]*/.exec(rest)?.[0] ?? '';
    if (raw.includes('{{')) misplaced(placeholderIn(raw), 'in a comment', 'remove it');
    this.#take(raw.length, raw);
  }

  #hereDocument(rest: string): void {
    if (rest.includes('{{')) misplaced(placeholderIn(rest), 'in or after a here-document', SCRIPT);
    this.#take(rest.length, rest);
  }

  #operator(raw: string, kind: 'redirection' | 'separator' | 'space'): void {
    this.#take(raw.length, raw);
    this.#endWord();
    if (kind === 'redirection') this.#isTarget = true;
    if (kind === 'separator') this.#endCommand();
  }

  #take(length: number, script: string): void {
    this.#at += length;
    this.#script += script;
  }

  #endWord(): void {
    const word = this.#word;
    if (!word) return;
    this.#word = undefined;
    const brace = word.some((piece) => typeof piece === 'string' && /[{}]/.test(piece));
    const placeholder = placeholderOf(word);
    if (brace && placeholder) misplaced(placeholder, 'in a word with braces', OWN_WORD);
    if (!this.#isTarget) this.#command.push(joined(word));
    this.#isTarget = false;
  }

  #endCommand(): void {
    this.#endWord();
    this.#isTarget = false;
    if (this.#command.length > 0) this.#commands.push(this.#command);
    this.#command = [];
  }

  /** Refuses placeholders in a line with a function, `set` or `shift`, which change the meaning of `"$1"`. */
  #refuseOwnParameters(): void {
    const [placeholder] = this.#placeholders;
    if (!placeholder) return;
    const words = this.#commands.map((command) => command.map(literalOf));
    const isSet = words.some(
      ([name, ...operands]) => name === 'set' && operands.some((word) => !/^[-+][A-Za-z]+$/.test(word ?? '')),
    );
    const isShift = words.some((command) => command.includes('shift') || command[0] === 'function');
    if (isSet || isShift || /\w\s*\(\s*\)/.test(this.#line)) {
      misplaced(placeholder, 'in a line that sets its own positional parameters (set, shift, a function)', SCRIPT);
    }
  }
}

/** The first placeholder in a text. Throws `argument` if it is not closed. */
function placeholderIn(text: string): Placeholder {
  const found = /\{\{(.*?)\}\}/s.exec(text);
  if (!found) throw new InformerError('argument', `a placeholder is not closed: ${text}`);
  return readPlaceholder(found[1] as string);
}

function refuseDollar(rest: string): never {
  if (rest.startsWith('{{', 1)) misplaced(placeholderIn(rest), 'after a $', OWN_WORD);
  throw new InformerError('argument', "$'…' differs between shells: write it without the $");
}

function refusePlacedCommand(command: readonly Word[]): void {
  const at = command.findIndex((word) => !RESERVED.has(plainTextOf(word)) && !/^[A-Za-z_]\w*\+?=/.test(prefixOf(word)));
  const placeholder = placeholderOf(command[at]);
  if (placeholder)
    misplaced(placeholder, 'in the place of a command', 'write the command itself; its arguments may be placeholders');
}

/** The index after a quoted or nested part that begins at `from`. Throws `argument` if the part has no end. */
function endOf(text: string, from: number): number {
  if (text.startsWith('((', from)) return closed(text, from + 2, '))');
  const open = text[from] as string;
  if (open === '$' || open === '<' || open === '>')
    return closed(text, from + 2, CLOSING[text[from + 1] as string] as string);
  if (open === "'") {
    const end = text.indexOf("'", from + 1);
    return end < 0 ? unclosed(text, from) : end + 1;
  }
  return closed(text, from + 1, open);
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

/**
 * The index after the text that closes a part. Skips quoted and nested parts. In double quotes a single quote is text.
 */
function closed(text: string, from: number, close: string): number {
  for (let at = from; at < text.length; ) {
    if (text.startsWith(close, at)) return at + close.length;
    const c = text[at] as string;
    const opens = close === '`' ? '' : close === '"' ? '`' : `'"\``;
    if (c === '\\') at += 2;
    else if (opens.includes(c) || (c === '$' && close !== '`' && CLOSING[text[at + 1] as string])) at = endOf(text, at);
    else if (c === '(' && close === ')') at = closed(text, at + 1, ')');
    else at++;
  }
  return unclosed(text, from);
}

function unclosed(text: string, from: number): never {
  throw new InformerError('argument', `a quote or substitution is not closed: ${text.slice(Math.max(0, from - 1))}`);
}

/** A function that replaces `$v` in a word by its placeholder, for a line with `v={{…}}` or `for v in {{…}}`. */
function tracedThrough(commands: readonly (readonly Word[])[]): (word: Word) => Word {
  const values = new Map<string, Placeholder>();
  for (const words of commands) {
    const [first, name] = words.map(literalOf);
    const looped = first === 'for' && name ? words.map(placeholderOf).find(Boolean) : undefined;
    if (looped && name) values.set(name, looped);
    for (const word of words) {
      const set = /^([A-Za-z_]\w*)\+?=/.exec(prefixOf(word))?.[1];
      const placeholder = placeholderOf(word);
      if (set && placeholder) values.set(set, placeholder);
    }
  }
  if (values.size === 0) return (word) => word;
  const variable = new RegExp(`\\$\\{?(${[...values.keys()].join('|')})\\b\\}?`);
  const piecesFor = (part: string, i: number): (string | Placeholder)[] => {
    if (i % 2 === 1) return [values.get(part) as Placeholder];
    return part === '' ? [] : [part];
  };
  const trace = (piece: string | Placeholder): Word =>
    typeof piece === 'string' ? piece.split(variable).flatMap(piecesFor) : [piece];
  return (word) => (word.length === 0 || literalOf(word) === '' ? word : word.flatMap(trace));
}

/** The word with adjacent texts joined. */
function joined(word: Word): Word {
  const pieces: (string | Placeholder)[] = [];
  for (const piece of word) {
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  }
  return pieces;
}
