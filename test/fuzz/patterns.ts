import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';

/** A pattern of a source file. */
export interface Pattern {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** The patterns that are written in a file as `/…/`. */
export function patternsOf(file: string): Pattern[] {
  const text = readFileSync(file, 'utf8');
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, start } = node as { type?: string; regex?: { pattern: string; flags: string }; start: number };
    if (type === 'Literal' && regex)
      found.push({ line: text.slice(0, start).split('\n').length, source: regex.pattern, flags: regex.flags });
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(text, { lang: 'ts' }, file));
  return found;
}

/** Long enough that quadratic time is nearly a second, and linear time less than a millisecond. */
const LENGTH = 30_000;
/** In milliseconds: many times what linear time is, also for all texts together. */
const PATIENCE = 150;
/** In milliseconds, for a text that may only have been slow because other processes had the machine. */
const LIMIT = 2_000;
/** Characters that most classes of characters have one of. */
const USUAL = ['a', 'A', '0', ' ', '\n', '-', '_', '.', ',', '/', ':', '"', "'", '\\', '[', '('];

const context = createContext({ pattern: /a/, texts: [''] });
const search = new Script("for (const text of texts) text.replace(pattern, '')");

/** The texts, each a repeated character or pair and then a character that ends it, on which a pattern is slow. */
export function slowTexts({ source, flags }: Pattern): string[] {
  const pattern = new RegExp(source, flags);
  const own = source.replace(/\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\./gi, '').replace(/[()[\]{}|?*+^$]/g, '');
  const characters = [...new Set([...USUAL, ...own])].filter((character) => character <= '~');
  const pairs = [...new Set(own)].slice(0, 8);
  const repeated = [...characters, ...pairs.flatMap((a) => [...pairs, '\\', '0', ' '].map((b) => a + b))];
  if (ends(pattern, repeated.map(textOf), PATIENCE)) return [];
  return repeated.filter((part) => isSlow(pattern, textOf(part)));
}

const texts = new Map<string, string>();

function textOf(part: string): string {
  const text = texts.get(part) ?? `${part.repeat(LENGTH / part.length)}\u0001`;
  texts.set(part, text);
  return text;
}

/** True if the search needs more than the patience of the processor's time, or does not end within the limit. */
function isSlow(pattern: RegExp, text: string): boolean {
  const before = process.cpuUsage();
  if (!ends(pattern, [text], LIMIT)) return true;
  const { user, system } = process.cpuUsage(before);
  return user + system > PATIENCE * 1000;
}

function ends(pattern: RegExp, texts: readonly string[], timeout: number): boolean {
  Object.assign(context, { pattern, texts });
  try {
    search.runInContext(context, { timeout });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
