import { RE2JS } from '@bufbuild/re2';
import { messageOf } from '../../kit/error.ts';
import { celFailure } from './cel-values.ts';
import { workOfMatching } from './work.ts';

/** A compiled RE2 pattern. The time of a match is linear in the length of the text, for every pattern. */
export interface Regex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** The leftmost match. Among several there, the one that the pattern prefers, as in Perl. */
  find(text: string): string | undefined;
  /** The matches from left to right, without overlaps. At most `most` of them, or all if `most` is negative. */
  findAll(text: string, most?: number): string[];
}

/** The number of compiled patterns that are cached. */
const KEPT = 256;
const compiled = new Map<string, Regex>();

/** The compiled pattern, from a cache where possible. Fails with the reason for a pattern that is not RE2. */
export function regexFor(pattern: string): Regex {
  const known = compiled.get(pattern);
  if (known) return known;
  const regex = compileRegex(pattern);
  const [oldest] = compiled.keys();
  if (compiled.size >= KEPT && oldest !== undefined) compiled.delete(oldest);
  compiled.set(pattern, regex);
  return regex;
}

function compileRegex(pattern: string): Regex {
  const re2 = parse(pattern);
  const instructions = re2.re2().prog.numInst();
  const test = (text: string) => {
    workOfMatching(instructions, text.length);
    return re2.test(text);
  };
  return {
    test,
    find: (text) => {
      const found = test(text) ? search(re2, text, 0) : undefined;
      return found && text.slice(found.start, found.end);
    },
    findAll: (text, most = -1) => findAll(re2, text, most < 0 ? Number.POSITIVE_INFINITY : most),
  };
}

function parse(pattern: string): RE2JS {
  try {
    return new RE2JS(pattern);
  } catch (error) {
    const problem = /error parsing regexp: ([^:`]*)/.exec(messageOf(error))?.[1];
    return celFailure(`invalid RE2 pattern${problem ? `: ${problem}` : ''}`);
  }
}

/** An empty match directly after another match does not count. Source: Go regexp.allMatches. */
function findAll(re2: RE2JS, text: string, most: number): string[] {
  const found: string[] = [];
  let before = -1;
  for (let at = 0; at <= text.length && found.length < most; ) {
    const span = search(re2, text, at);
    if (!span) break;
    const { start, end } = span;
    if (end > start || start !== before) found.push(text.slice(start, end));
    before = end;
    at = end > start ? end : end + widthAt(text, end);
  }
  return found;
}

/** The work of a search is counted for this number of characters at a time. */
const PAID = 16;
/** How much slower a search here is than the library, which only says whether there is a match. */
const SEARCH = 4;

interface Span {
  readonly start: number;
  readonly end: number;
}

type Program = ReturnType<RE2JS['re2']>['prog'];
type Ops = ReturnType<Program['getInst']>['constructor'] &
  Readonly<Record<'ALT' | 'ALT_MATCH' | 'CAPTURE' | 'EMPTY_WIDTH' | 'MATCH' | 'NOP', number>>;

/**
 * Finds the place of a match. The library only reports whether there is one, so its compiled program is run here by
 * Pike's algorithm: all threads advance together, the preferred one first, and each keeps the place where it began.
 * Source: R. Cox, "Regular Expression Matching: the Virtual Machine Approach".
 */
function search(re2: RE2JS, text: string, from: number): Span | undefined {
  const program = re2.re2().prog;
  let threads = new Threads(program);
  let next = new Threads(program);
  let best: Span | undefined;
  const instructions = program.numInst();
  for (let at = from, paid = 0; at <= text.length; paid--) {
    if (paid === 0) {
      workOfMatching(SEARCH * instructions, PAID);
      paid = PAID;
    }
    const context = contextAt(text, at);
    if (!best) threads.add(program.start, at, context);
    if (best && threads.size === 0) return best;
    const width = widthAt(text, at);
    const rune = at < text.length ? (text.codePointAt(at) as number) : -1;
    const after = contextAt(text, at + width);
    for (let i = 0; i < threads.size; i++) {
      const { pc, start } = threads.at(i);
      const inst = program.getInst(pc);
      if (inst.op === threads.ops.MATCH) {
        best = { start, end: at };
        break;
      }
      if (rune >= 0 && inst.matchRune(rune)) next.add(inst.out, start, after);
    }
    [threads, next] = [next, threads];
    next.clear();
    at += width;
  }
  return best;
}

/** The threads at one place of the text, in order of preference, at most one for each instruction. */
class Threads {
  readonly ops: Ops;
  readonly #program: Program;
  readonly #seen: Uint8Array;
  readonly #list: { pc: number; start: number }[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.ops = program.getInst(0).constructor as Ops;
    this.#seen = new Uint8Array(program.numInst());
  }

  get size(): number {
    return this.#list.length;
  }

  at(i: number): { pc: number; start: number } {
    return this.#list[i] as { pc: number; start: number };
  }

  clear(): void {
    this.#seen.fill(0);
    this.#list.length = 0;
  }

  add(pc: number, start: number, context: number): void {
    if (this.#seen[pc] !== 0) return;
    this.#seen[pc] = 1;
    const { op, out, arg } = this.#program.getInst(pc);
    if (op === this.ops.ALT || op === this.ops.ALT_MATCH) {
      this.add(out, start, context);
      this.add(arg, start, context);
    } else if (op === this.ops.NOP || op === this.ops.CAPTURE) this.add(out, start, context);
    else if (op === this.ops.EMPTY_WIDTH) {
      if ((arg & ~context) === 0) this.add(out, start, context);
    } else this.#list.push({ pc, start });
  }
}

const widthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** The assertions (`^`, `$`, `\A`, `\z`, `\b`, `\B`) that are true at a place, as RE2's bits. */
function contextAt(text: string, at: number): number {
  const before = text[at - 1];
  const after = text[at];
  const isEdge = isWord(before) !== isWord(after);
  return (
    (before === undefined || before === '\n' ? 1 : 0) |
    (after === undefined || after === '\n' ? 2 : 0) |
    (before === undefined ? 4 : 0) |
    (after === undefined ? 8 : 0) |
    (isEdge ? 16 : 32)
  );
}

const isWord = (c: string | undefined) => c !== undefined && /\w/.test(c);
