import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../../kit/error.ts';
import { notImplemented } from '../../status/statuses.ts';

/** A compiled pattern. The time of a match is linear in the length of the text, for every pattern. */
interface Pattern {
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

function compile(pattern: string): Read {
  try {
    const re2 = new RE2JS(pattern);
    const instructions = re2.re2().prog.numInst();
    return {
      pattern: {
        test(text) {
          if (text.length * instructions <= MOST_STEPS) return re2.test(text);
          return notImplemented(
            `the pattern ${JSON.stringify(shortened(pattern))} (${instructions} instructions) on ${text.length} characters`,
          );
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
