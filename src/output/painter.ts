import type { ChalkInstance } from 'chalk';
import type { FieldChange } from '../stream/changes/field-changes.ts';
import type { EventWord } from '../stream/envelope.ts';
import type { State } from './states.ts';

/** Puts colours on text whose width is settled. */
export interface Painter {
  event(word: EventWord, text: string): string;
  heading(text: string): string;
  /** Of a cell that tells how an object does. */
  state(state: State, text: string): string;
  /** The same colour for one name of a type, wherever it comes. */
  type(name: string, text: string): string;
  change(kind: FieldChange['kind'], text: string): string;
  faint(text: string): string;
  /** Of what is gone. */
  struck(text: string): string;
  /** Of what has just changed. */
  flash(text: string): string;
}

const same = (text: string) => text;
const second = (_: unknown, text: string) => text;

/** No colours. */
export const plainPainter: Painter = {
  event: second,
  heading: same,
  state: second,
  type: second,
  change: second,
  faint: same,
  struck: same,
  flash: same,
};

/** 0 = no colour, 1 = 16 colours, 2 = 256, 3 = all. Whether and how many is the caller's decision (`--color`, NO_COLOR, the terminal). */
export type ColorLevel = 0 | 1 | 2 | 3;

/** Green for what came and is well, yellow for what changes and waits, red for what went and is ill. Colours are loaded only when there are some. */
export async function loadPainter(level: ColorLevel): Promise<Painter> {
  if (level === 0) return plainPainter;
  const { Chalk } = await import('chalk');
  return painterOf(new Chalk({ level }));
}

function painterOf(chalk: ChalkInstance): Painter {
  const events = { ADDED: chalk.green, MODIFIED: chalk.yellow, DELETED: chalk.red, LEFT: chalk.magenta };
  const states = { good: chalk.green, waiting: chalk.yellow, bad: chalk.red, ending: chalk.magenta, done: chalk.dim };
  const changes = { added: chalk.green, changed: chalk.yellow, removed: chalk.red };
  const types = [chalk.cyan, chalk.blue, chalk.magenta, chalk.cyanBright, chalk.blueBright, chalk.magentaBright] as const;
  return {
    event: (word, text) => events[word](text),
    heading: (text) => chalk.bold(text),
    state: (state, text) => states[state](text),
    type: (name, text) => (types[hashOf(name) % types.length] ?? chalk.cyan)(text),
    change: (kind, text) => changes[kind](text),
    faint: (text) => chalk.dim(text),
    struck: (text) => chalk.dim.strikethrough(text),
    flash: (text) => chalk.inverse(text),
  };
}

/** Small and even, so that few types share a colour. Source: the djb2 hash. */
function hashOf(name: string): number {
  let hash = 5381;
  for (let i = 0; i < name.length; i++) hash = (hash * 33 + name.charCodeAt(i)) >>> 0;
  return hash;
}
