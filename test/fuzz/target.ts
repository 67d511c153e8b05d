import fc from 'fast-check';

/** What a target is made of. */
export interface FuzzTargetOptions<T> {
  /** For `--only` and the report. */
  readonly name: string;
  /** The inputs. */
  readonly inputs: fc.Arbitrary<T>;
  /** Throws if a rule does not hold for an input. */
  readonly check: (input: T) => void | Promise<void>;
  /** The share of the cases, for targets with slow cases; 1 is usual. */
  readonly share?: number;
}

/** A part of the program with inputs that are made at random, and rules for its answers. */
export interface FuzzTarget {
  readonly name: string;
  readonly share: number;
  /** Runs the cases from `first` on. The same seed and number always give the same input. */
  run(options: FuzzRunOptions): Promise<FuzzRun>;
}

export interface FuzzRunOptions {
  readonly seed: number;
  readonly first?: number;
  readonly count: number;
  /** Called before each case. */
  readonly onCase?: () => void;
}

/** The result of a run. It ends with the first case that fails. */
export interface FuzzRun {
  readonly cases: number;
  readonly failure: FuzzFailure | undefined;
}

/** A rule that did not hold. `input` is the smallest input that was found to break it. */
export interface FuzzFailure {
  readonly number: number;
  readonly input: string;
  readonly error: unknown;
}

/** Inputs are made in blocks, so that a single case can be made again at the cost of one block at most. */
const BLOCK = 1000;

/** The most time for a search of a smaller input that fails too, in ms. */
const MOST_SHRINKING_MS = 20_000;

/** The path to a run of fast-check: the first one needs none. */
const pathTo = (run: number) => (run === 0 ? '' : String(run));

export function fuzzTarget<T>({ name, inputs, check, share = 1 }: FuzzTargetOptions<T>): FuzzTarget {
  const runBlock = async (block: number, from: number, count: number, options: FuzzRunOptions) => {
    let cases = 0;
    const property = fc.asyncProperty(inputs, async (input) => {
      options.onCase?.();
      cases++;
      await checkedCase(() => check(input));
    });
    const seed = (options.seed * 1_000_003 + block) | 0;
    const found = await fc.check(property, { seed, numRuns: count, path: pathTo(from), endOnFailure: true });
    if (!found.failed) return { cases, failure: undefined };
    const at = Number(found.counterexamplePath?.split(':')[0]);
    const done = at - from + 1;
    const smaller = { seed, numRuns: 1, path: String(at), interruptAfterTimeLimit: MOST_SHRINKING_MS };
    const smallest = await fc.check(property, { ...smaller, markInterruptAsFailure: false });
    const { counterexample, errorInstance } = smallest.failed ? smallest : found;
    const failure = { number: block * BLOCK + at, input: fc.stringify(counterexample?.[0]), error: errorInstance };
    return { cases: done, failure };
  };
  return {
    name,
    share,
    async run(options) {
      const { first = 0, count } = options;
      let cases = 0;
      while (cases < count) {
        const [block, from] = [Math.trunc((first + cases) / BLOCK), (first + cases) % BLOCK];
        const part = await runBlock(block, from, Math.min(count - cases, BLOCK - from), options);
        cases += part.cases;
        if (part.failure) return { cases, failure: part.failure };
      }
      return { cases, failure: undefined };
    },
  };
}

/** The most time that one case may compute, in ms. Waiting does not count: another program may use the processor. */
const LONGEST_MS = 5_000;

/** Runs a case, and checks the rules of all targets: it does not compute too long, and it changes no prototype. */
export async function checkedCase(run: () => void | Promise<void>, longestMs = LONGEST_MS): Promise<void> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000;
  if (ms > longestMs) throw new Error(`it computed for ${Math.round(ms)} ms`);
  checkPrototypes();
}

const PROTOTYPES = [Object, Array, Function, String, Number, Boolean, Map, Set, Promise, Error].map((of) => {
  const prototype: object = of.prototype;
  return { prototype, keys: Reflect.ownKeys(prototype).length };
});

function checkPrototypes(): void {
  for (const { prototype, keys } of PROTOTYPES) {
    if (Reflect.ownKeys(prototype).length !== keys) throw new Error('a built-in prototype was changed');
  }
}
