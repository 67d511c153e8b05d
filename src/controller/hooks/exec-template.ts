import { compileJsonPath } from '../../expr/jsonpath.ts';
import { InformerError } from '../../kit/error.ts';
import type { HookRequest } from './hook.ts';

/** A command with placeholders, ready to be filled in for a request. */
export interface ExecTemplate {
  readonly command: string;
  args(request: HookRequest): string[];
}

export interface ExecTemplateOptions {
  /** Hand the whole line to `sh -c`; what is filled in is quoted, so that it stays one word whatever it holds. Default false. */
  shell?: boolean | undefined;
}

/**
 * Compiles a command line such as `kubectl annotate pod {{.metadata.name}} seen=yes`.
 *
 * The line is split into words once, quotes and backslashes as in a shell; then `{{path}}` is replaced within each word by what the path finds
 * in the object (of one that is gone, in its last known state). So a value never becomes two words, an option or a command of its own;
 * and one that begins with `-` is refused at the beginning of a word, unless a word `--` comes before.
 * Throws `argument` for an open quote, an empty line, a placeholder that cannot be read or stands in for the command.
 */
export function compileExecTemplate(line: string, { shell = false }: ExecTemplateOptions = {}): ExecTemplate {
  if (shell) {
    const fill = compileWord(line);
    return { command: '/bin/sh', args: (request) => ['-c', fill(stateOf(request), quote)] };
  }
  const [command, ...words] = splitWords(line);
  if (!command) throw new InformerError('argument', 'the command to run is empty');
  if (command.includes('{{')) throw new InformerError('argument', `the command itself cannot be a placeholder: ${command}`);
  const fills = words.map(compileWord);
  const options = words.includes('--') ? words.indexOf('--') : words.length;
  return { command, args: (request) => fills.map((fill, i) => fill(stateOf(request), i < options ? noOption : asIs)) };
}

type Insert = (value: string, startsWord: boolean) => string;
type Fill = (object: unknown, insert: Insert) => string;

const asIs: Insert = (value) => value;

const noOption: Insert = (value, startsWord) => {
  if (!startsWord || !value.startsWith('-')) return value;
  throw new InformerError('hook', `${JSON.stringify(value)} would be read as an option`, { hint: 'put -- before the placeholder' });
};

const quote: Insert = (value) => `'${value.replaceAll("'", "'\\''")}'`;

function stateOf({ object, oldObject }: HookRequest): unknown {
  return object ?? oldObject ?? {};
}

function compileWord(word: string): Fill {
  const parts = word.split(/\{\{(.*?)\}\}/s).map((part, i) => (i % 2 === 0 ? part : pathOf(part)));
  if (word.replace(/\{\{.*?\}\}/gs, '').includes('{{')) throw new InformerError('argument', `a placeholder is not closed: ${word}`);
  return (object, insert) =>
    parts.map((part, i) => (typeof part === 'string' ? part : insert(part(object), i === 1 && parts[0] === ''))).join('');
}

function pathOf(placeholder: string): (object: unknown) => string {
  const path = compileJsonPath(`{${placeholder.trim()}}`);
  return (object) => path.print(object);
}

/** Words as a POSIX shell splits them, without expansions. A placeholder is never split. */
function splitWords(line: string): string[] {
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
  return words;
}
