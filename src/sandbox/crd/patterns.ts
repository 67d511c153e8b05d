import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../kit/error.ts';

/** A pattern that was read: its time grows with the text, whatever the pattern. */
interface Pattern {
  test(text: string): boolean;
}

/** A pattern, or what is wrong with it in the words of Go: ``error parsing regexp: missing closing ): `(` ``. */
type Read = { readonly pattern: Pattern } | { readonly problem: string };

const KEPT = 5_000;
const known = new Map<string, Read>();

/** A pattern in Go's syntax, RE2; undefined for what is none. */
export function goPattern(pattern: string): Pattern | undefined {
  const found = read(pattern);
  return 'pattern' in found ? found.pattern : undefined;
}

/** What is wrong with a pattern, in the words of Go; undefined when nothing is. */
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

function compile(pattern: string): Read {
  try {
    return { pattern: new RE2JS(pattern) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
