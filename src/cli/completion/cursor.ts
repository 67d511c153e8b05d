import { readUnfinishedLine, type UnfinishedLine, wordsOf } from '../args/argv.ts';
import type { Catalog, CatalogFlag } from './catalog.ts';

/** Where the cursor is in a line, and what precedes it. */
export interface Cursor {
  /** The command; undefined where it is still to be typed. */
  readonly command: string | undefined;
  /** The words before the cursor that are not flags: those of the command, then its own. */
  readonly commandWords: readonly string[];
  readonly words: readonly string[];
  readonly line: UnfinishedLine;
  /** The flags that may be typed here. */
  readonly flags: readonly CatalogFlag[];
  readonly at: Place;
}

/** The kind of the word under the cursor. */
export type Place =
  | { readonly is: 'flag'; readonly typed: string }
  | { readonly is: 'word'; readonly typed: string }
  /** `lead` is the part of the word before the value that the shell wants back: `-o` of `-ojson`. */
  | { readonly is: 'value'; readonly flag: CatalogFlag; readonly typed: string; readonly lead: string };

/**
 * Reads a command line whose last word, which may be empty, is under the cursor. What is wrong before it is passed
 * over.
 */
export function readCursor(argv: readonly string[], catalog: Catalog, env: NodeJS.ProcessEnv): Cursor {
  const typed = argv.at(-1) ?? '';
  const before = argv.slice(0, -1);
  const shared = sharedFlags(catalog);
  const allWords = wordsOf(before, shared).map(({ word }) => word);
  const length = lengthOfCommand(allWords, catalog);
  const command = length === 0 ? undefined : allWords.slice(0, length).join(' ');
  const flags = (command === undefined ? undefined : catalog[command]?.flags) ?? shared;
  const line = readUnfinishedLine(before, flags, env);
  const words = line.words.slice(command === undefined ? 0 : length);
  const commandWords = command === undefined ? line.words : line.words.slice(0, length);
  return { command, commandWords, words, line, flags, at: placeOf(typed, line, flags) };
}

function lengthOfCommand([first = '', second = '']: readonly string[], catalog: Catalog): number {
  if (Object.hasOwn(catalog, `${first} ${second}`)) return 2;
  return Object.hasOwn(catalog, first) ? 1 : 0;
}

/** The flags that mean the same in several commands, which may come before the command. */
function sharedFlags(catalog: Catalog): readonly CatalogFlag[] {
  const flags = ['watch', 'query'].map((name) => catalog[name]?.flags ?? []);
  return (flags[0] ?? []).filter(({ name }) => flags[1]?.some((flag) => flag.name === name));
}

function placeOf(typed: string, { awaited, isPastFlags }: UnfinishedLine, flags: readonly CatalogFlag[]): Place {
  const waiting = awaited && flags.find(({ name }) => name === awaited.name);
  if (waiting) return { is: 'value', flag: waiting, typed, lead: '' };
  if (isPastFlags || !typed.startsWith('-') || typed === '-') return { is: typed === '-' ? 'flag' : 'word', typed };
  return attachedValue(typed, flags) ?? { is: 'flag', typed };
}

/** `--output=js`, `-o=js` and `-ojs`. */
function attachedValue(typed: string, flags: readonly CatalogFlag[]): Place | undefined {
  const [, name, long] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
  const named = name === undefined ? undefined : flags.find((flag) => flag.name === name);
  if (named) return { is: 'value', flag: named, typed: long ?? '', lead: '' };
  const [, char, equals, short] = /^-([^-])(=?)(.*)$/s.exec(typed) ?? [];
  const letter = char === undefined ? undefined : flags.find((flag) => flag.char === char && flag.kind === 'value');
  if (!letter || (equals === '' && short === '')) return undefined;
  return { is: 'value', flag: letter, typed: short ?? '', lead: equals === '' ? `-${char}` : '' };
}
