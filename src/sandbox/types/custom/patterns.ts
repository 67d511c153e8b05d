import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../../kit/error.ts';
import { notImplemented } from '../../status/statuses.ts';

/** A compiled pattern. The time of a match is linear in the length of the text, for every pattern. */
interface Pattern {
  /** The number of instructions: the most steps of a match for each character. */
  readonly instructions: number;
  test(text: string): boolean;
}

/** A pattern, or Go's error text: ``error parsing regexp: missing closing ): `(` ``. */
type Read = { readonly pattern: Pattern } | { readonly problem: string };

const KEPT = 5_000;
const known = new Map<string, Read>();

/** A pattern in Go's syntax, RE2; undefined when the text is not a valid pattern. */
export function goPattern(pattern: string): Pattern | undefined {
  const found = read(pattern);
  return 'pattern' in found ? found.pattern : undefined;
}

/** Go's error text for a pattern; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  const found = read(pattern);
  return 'problem' in found ? found.problem : undefined;
}

function read(pattern: string): Read {
  let found = known.get(pattern);
  if (!found) {
    if (known.size >= KEPT) known.clear();
    found = compile(pattern);
    known.set(pattern, found);
  }
  return found;
}

/** The most steps, of about 50 ns each, for one match. A step is one instruction of the pattern at one character. */
const MOST_STEPS = 20_000_000;
/** The most steps of all matches of one object. */
const MOST_STEPS_OF_OBJECT = 100_000_000;

/** The steps that the matches of the present object have left. */
let left = Number.POSITIVE_INFINITY;

/** Validates an object. The patterns of its schema together may need a limited number of steps, else it throws 501. */
export function withPatternLimit<T>(validate: () => T): T {
  left = MOST_STEPS_OF_OBJECT;
  try {
    return validate();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

function compile(pattern: string): Read {
  try {
    const re2 = new RE2JS(pattern);
    const instructions = re2.re2().prog.numInst();
    return {
      pattern: {
        instructions,
        test(text) {
          const steps = text.length * instructions;
          if (steps > MOST_STEPS)
            return notImplemented(
              `the pattern ${JSON.stringify(shortened(pattern))} (${instructions} instructions) on ${text.length} characters`,
            );
          left -= steps;
          if (left < 0)
            return notImplemented(`objects whose texts need more than ${MOST_STEPS_OF_OBJECT} steps of patterns`);
          return re2.test(text);
        },
      },
    };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function shortened(pattern: string): string {
  return pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
}
