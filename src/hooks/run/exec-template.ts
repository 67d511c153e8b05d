import { TerminalError } from '../../controller/reconciler.ts';
import { addressesOf } from '../../expr/jsonpath/fields-read.ts';
import { compileJsonPath } from '../../expr/jsonpath/jsonpath.ts';
import { InformerError } from '../../kit/error.ts';
import { type Address, distinct } from '../../model/field-path.ts';
import { splitKey } from '../../model/key.ts';
import type { HookRequest } from '../hook.ts';
import { refuseCode } from './exec-code.ts';
import {
  literalOf,
  misplaced,
  type Placeholder,
  placeholderOf,
  plainTextOf,
  prefixOf,
  refuseShellSyntax,
  splitWords,
  type Word,
} from './exec-words.ts';
import { readShellLine } from './shell-line.ts';

/** A command line with placeholders. `args` fills them in for a request. */
export interface ExecTemplate {
  readonly command: string;
  /** The name of the program that it runs, behind `env` and the like; undefined for a line of a shell. */
  readonly program?: string | undefined;
  /** Whether it has placeholders, so that each request has arguments of its own. */
  readonly hasPlaceholders: boolean;
  /** The fields that its placeholders name. */
  readonly reads: readonly Address[];
  args(request: HookRequest): string[];
}

export interface ExecTemplateOptions {
  /** Whether the line is passed to `sh -c`, with the values as its positional parameters. Default false. */
  shell?: boolean | undefined;
}

/**
 * Compiles a command line such as `kubectl annotate pod {{.metadata.name}} seen=yes`.
 *
 * `{{path}}` is replaced by the value at the path in the object; for a deleted object, in its last known state. Without
 * `shell` the line is split into words once, with quotes and backslashes as in a shell, and values are put into the
 * words: any text where it is a whole word, and plain text (a name, an image, a time) where it is a part of one. With
 * `shell` each value becomes a positional parameter (`"$1"`), so that the text for the shell contains no
 * value.
 *
 * A value is never two words, a command or code. It never becomes an option: a word that begins with a placeholder, and
 * begins with `-` after it is filled in, is refused at that run, unless a word `--` comes before it.
 *
 * A placeholder without a value is refused at that run too, unless it has a default: `{{.path | default "text"}}`. What
 * is refused at a run is a {@link TerminalError}, before anything is started.
 *
 * Throws `argument` for an open quote, an empty line, an invalid placeholder, a placeholder in a place where its value
 * could become code, and, without `shell`, for words that only a shell understands.
 */
export function compileExecTemplate(line: string, { shell = false }: ExecTemplateOptions = {}): ExecTemplate {
  return shell ? shellTemplate(line) : plainTemplate(line);
}

function plainTemplate(line: string): ExecTemplate {
  const words = splitWords(line);
  const [first] = words;
  if (first && placeholderOf(first))
    throw new InformerError('argument', `the command itself cannot be a placeholder: ${sourceOf(first)}`);
  const command = literalOf(first);
  if (!command) throw new InformerError('argument', 'the command to run is empty');
  const program = refuseCode(words);
  refuseShellSyntax(line);
  const fills = fillsOf(words, refuseAsPart).slice(1);
  const hasPlaceholders = words.some((word) => placeholderOf(word) !== undefined);
  const reads = readsOf(words.flat().filter((piece) => typeof piece !== 'string'));
  return { command, program, hasPlaceholders, reads, args: (request) => fills.map((fill) => fill(request)) };
}

function shellTemplate(line: string): ExecTemplate {
  const { script, placeholders, commands, traced } = readShellLine(line);
  if (script.trim() === '') throw new InformerError('argument', 'the command to run is empty');
  for (const words of traced) refuseCode(words, placeholders[0]);
  const checks = commands.flatMap((words) => fillsOf(words));
  const values = placeholders.map(readerOf);
  return {
    command: '/bin/sh',
    hasPlaceholders: placeholders.length > 0,
    reads: readsOf(placeholders),
    args(request) {
      for (const check of checks) check(request);
      return ['-c', script, 'sh', ...values.map((read) => read(request))];
    },
  };
}

type Read = (request: HookRequest) => string;

/**
 * Functions that fill in each word for a request. They throw {@link TerminalError} for a word that its value would make
 * an option. `checkPart` is called with each value that is only a part of its word.
 */
function fillsOf(
  words: readonly Word[],
  checkPart: (placeholder: Placeholder, value: string) => void = () => {},
): Read[] {
  const end = endOfOptions(words);
  return words.map((word, i) => {
    const placeholder = placeholderOf(word);
    const prefix = prefixOf(word);
    if (placeholder && i < end && (prefix === '-' || /^--[^=]*$/.test(prefix))) {
      misplaced(placeholder, 'in the name of an option', 'write it as --option={{.path}}');
    }
    const reads = word.map((piece) => (typeof piece === 'string' ? () => piece : readerOf(piece)));
    return (request) => {
      const values = reads.map((read) => read(request));
      if (placeholder && prefix === '' && i < end) refuseAsOption(values.join(''));
      for (const [at, piece] of word.entries())
        if (word.length > 1 && typeof piece !== 'string') checkPart(piece, values[at] as string);
      return values.join('');
    };
  });
}

/** Refuses a value that is a part of a word and of which it could make something else than the author meant. */
function refuseAsPart({ source, fallback }: Placeholder, value: string): void {
  if (PLAIN.test(value) || value === fallback) return;
  throw unfit(
    `the value of ${source} may not be a part of a word: there it may have only letters, digits and . _ : / @ + -, and begins with a letter or digit`,
    `make it a word of its own, read it from the request on stdin, or use --shell: v=${source}; echo "seen: $v"`,
  );
}

const PLAIN = /^[A-Za-z0-9][\w.:/@+-]*$/;

function refuseAsOption(word: string): void {
  if (word.startsWith('-'))
    throw unfit(`${JSON.stringify(word)} would be read as an option`, 'put -- before the placeholder');
}

/**
 * The index of the `--` after which no word is an option. The first `--` of `kubectl exec` ends only kubectl's options,
 * not those of the command that it runs.
 */
function endOfOptions(words: readonly Word[]): number {
  const ends = words.flatMap((word, i) => (literalOf(word) === '--' ? [i] : []));
  const isRunner = words.slice(1, ends[0]).some((word) => /^(?:exec|run|debug)$/.test(plainTextOf(word)));
  return ends[isRunner ? 1 : 0] ?? Number.POSITIVE_INFINITY;
}

const readsOf = (placeholders: readonly Placeholder[]) =>
  distinct(placeholders.flatMap(({ path }) => addressesOf(`{${path.trim()}}`)));

function readerOf({ path, source, fallback }: Placeholder): Read {
  const compiled = compileJsonPath(`{${path.trim()}}`);
  return (request) => {
    const object = request.object ?? request.oldObject ?? nameIn(request);
    const hasValue = compiled.values(object).some((value) => value !== undefined && value !== null);
    const value = hasValue ? compiled.print(object) : fallback;
    if (value === undefined)
      throw unfit(`${path.trim()} has no value`, `write {{${path.trim()} | default "TEXT"}} to run without it`);
    if (!value.includes('\0')) return value;
    throw unfit(`the value of ${source} contains a NUL, which no argument can`);
  };
}

/** The metadata of a deleted object of which no state was seen. */
function nameIn({ key }: HookRequest): object {
  const { namespace, name } = splitKey(key);
  return { metadata: { name, ...(namespace === '' ? {} : { namespace }) } };
}

/** The failure of a run that the same object fails again: its key waits for a change. */
const unfit = (message: string, hint?: string) =>
  new TerminalError(new InformerError('hook', message), hint === undefined ? {} : { hint });

function sourceOf(word: Word): string {
  return word.map((piece) => (typeof piece === 'string' ? piece : piece.source)).join('');
}
