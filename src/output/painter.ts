import type { ChalkInstance } from 'chalk';
import type { FieldChange } from '../model/field-changes.ts';
import type { EventWord } from '../stream/envelope.ts';
import type { State } from './cell-states.ts';

/** Adds colours to text. Pad the text to its width first. */
export interface Painter {
  event(word: EventWord, text: string): string;
  heading(text: string): string;
  /** The colour of a cell with the state of an object. */
  state(state: State, text: string): string;
  /** The colour of a type; one name always has the same colour. */
  type(name: string, text: string): string;
  change(kind: FieldChange['kind'], text: string): string;
  faint(text: string): string;
  /** Text about a deleted object. */
  struck(text: string): string;
  /** Text that has just changed. */
  flash(text: string): string;
}

const same = (text: string) => text;
const second = (_: unknown, text: string) => text;

/** A painter without colours. */
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

/** 0 = no colours, 1 = 16 colours, 2 = 256 colours, 3 = all. The caller decides (`--color`, NO_COLOR, the terminal). */
export type ColorLevel = 0 | 1 | 2 | 3;

/**
 * Loads a painter: green for added and healthy, yellow for changed and waiting, red for deleted and failed. The library
 * for colours is not loaded for level 0.
 */
export async function loadPainter(level: ColorLevel): Promise<Painter> {
  if (level === 0) return plainPainter;
  const { Chalk } = await import('chalk');
  return painterOf(new Chalk({ level }));
}

function painterOf(chalk: ChalkInstance): Painter {
  const events = { ADDED: chalk.green, MODIFIED: chalk.yellow, DELETED: chalk.red, LEFT: chalk.magenta };
  const states = { good: chalk.green, waiting: chalk.yellow, bad: chalk.red, ending: chalk.magenta, done: chalk.dim };
  const changes = { added: chalk.green, changed: chalk.yellow, removed: chalk.red };
  const types = [
    chalk.cyan,
    chalk.blue,
    chalk.magenta,
    chalk.cyanBright,
    chalk.blueBright,
    chalk.magentaBright,
  ] as const;
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

/** A hash that spreads the types evenly over the colours. Source: the djb2 hash. */
function hashOf(name: string): number {
  let hash = 5381;
  for (let i = 0; i < name.length; i++) hash = (hash * 33 + name.charCodeAt(i)) >>> 0;
  return hash;
}
