import { celFailure } from './cel-values.ts';

/** The most work of one evaluation, in steps. A step is an item that a macro visits, or takes about as long: 1 µs. */
const MOST_STEPS = 1_000_000;
/** How many of these take as long as a step. */
const COMPARISONS = 10;
const CHARACTERS_READ = 200;
const INSTRUCTIONS = 50;
/** New parts count more, because they need memory too. */
const CHARACTERS_MADE = 100;
const ITEMS_MADE = 4;

/** The steps that the present evaluation has left. An evaluation is never interrupted by another one. */
let left = Number.POSITIVE_INFINITY;

/** Evaluates with a limit of work. Beyond it the evaluation fails, however large the object is. */
export function withLimitedWork<T>(evaluate: () => T): T {
  left = MOST_STEPS;
  try {
    return evaluate();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Counts steps. Fails when the evaluation has none left. */
export function work(steps: number): void {
  left -= steps;
  if (left < 0) celFailure(`it needs more than ${MOST_STEPS} steps for an object of this size`);
}

/** Counts the comparison of a value with another one. */
export function workOfComparing(value: unknown): void {
  work(1 / COMPARISONS + (typeof value === 'string' ? value.length / CHARACTERS_READ / COMPARISONS : 0));
}

/** Counts a function's reading of its argument, where that is a text or bytes. */
export function workOfReading(value: unknown): void {
  if (typeof value === 'string' || value instanceof Uint8Array) work(value.length / CHARACTERS_READ);
}

/** Counts the making of a text or a list of this length, before it is made or at once after. */
export function workOfMaking(made: 'text' | 'list', length: number): void {
  work(length / (made === 'text' ? CHARACTERS_MADE : ITEMS_MADE));
}

/** Counts the steps of a pattern with this many instructions on a text. */
export function workOfMatching(instructions: number, length: number): void {
  work((instructions * length) / INSTRUCTIONS);
}
