import type { Interfaces } from '@oclif/core';
import { parseLongDuration } from '../../kit/duration.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { FlagShape, Given } from './argv.ts';

/** The properties of a flag that oclif does not have. */
interface Marks {
  /** Each occurrence is cut at its commas. */
  split?: boolean;
  /** Holds where the value is left out; a value is then taken only as `--flag=value`. */
  implied?: string;
  noEnv?: boolean;
  /** Not taken from the environment or a file beside this other flag on the line. */
  yieldsTo?: string;
  /** Its value is never shown. */
  isCredential?: boolean;
  /** Values, or beginnings of values, that completion offers. */
  words?: readonly string[];
}

/** The part of a flag that is ours; `T` is what a command gets. */
interface Readable<T> extends Marks {
  readonly summary: string;
  /** The value, from what was given or by default. Throws `argument` for text that cannot be read. */
  read(given: Given | undefined, name: string): T;
}

/**
 * A flag: one definition for our grammar, for the type of its value, and for oclif (help, manifest, its own parser).
 */
export type Flag<T> = (Interfaces.BooleanFlag<boolean> | Interfaces.OptionFlag<unknown>) & Readable<T>;

/** A command's flags by name. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of a command's flags. */
export type FlagValues<F extends Flags> = { readonly [N in keyof F]: F[N] extends Readable<infer T> ? T : never };

/** The part that the definitions of all flags share, beside the type of the value. */
interface Common extends Marks {
  char?: Interfaces.AlphabetLowercase | Interfaces.AlphabetUppercase;
  summary: string;
  helpValue?: string;
  hidden?: boolean;
}

interface BooleanOptions extends Omit<Common, 'split' | 'implied' | 'helpValue'> {
  default?: boolean;
}

/** On or off; takes `=true|false` as kubectl's do. */
export function bool(options: BooleanOptions): Flag<boolean> {
  const { default: builtIn = false } = options;
  return { ...booleanOf(options), default: builtIn, read: (given) => truthOf(given) ?? builtIn };
}

/** On, off, or not given, which leaves what a kubeconfig says. */
export function tristate(options: BooleanOptions): Flag<boolean | undefined> {
  return { ...booleanOf(options), allowNo: true, read: truthOf };
}

const booleanOf = (options: BooleanOptions) => ({
  name: '', // oclif gives it, from the record
  type: 'boolean' as const,
  allowNo: false,
  parse: async (input: boolean) => input,
  ...options,
});

const truthOf = (given: Given | undefined) => (given === undefined ? undefined : given.values.at(-1) === 'true');

type Optional = Common & { default?: undefined };
type Defaulted<T> = Common & { default: T };
type Options<T> = Common & { default?: T | undefined };

/** One value; the last occurrence wins. */
export function text(options: Defaulted<string>): Flag<string>;
export function text(options: Optional): Flag<string | undefined>;
export function text(options: Options<string>): Flag<string | undefined> {
  return single(options, (input) => input);
}

/** One of a few words; an unknown one is refused with the list. */
export function choice<const T extends string>(words: readonly T[], options: Defaulted<NoInfer<T>>): Flag<T>;
export function choice<const T extends string>(words: readonly T[], options: Optional): Flag<T | undefined>;
export function choice<T extends string>(words: readonly T[], options: Options<T>): Flag<T | undefined> {
  return single({ helpValue: words.join('|'), words, ...options }, (input, name) => {
    const found = words.find((word) => word === input);
    if (found === undefined) throw badValue(name, input, `one of ${words.join(', ')}`);
    return found;
  });
}

/** Several values, one an occurrence; `split` also cuts each at its commas. */
export function list(options: Common): Flag<string[] | undefined> {
  return {
    ...optionOf(options, (input) => input),
    multiple: true,
    read: (given) => (given === undefined ? undefined : [...given.values]),
  };
}

/** A Go duration, or days and years before it (`2d`, `1d12h`), as milliseconds; a negative one is refused. */
export function duration(options: Optional): Flag<number | undefined> {
  return single({ helpValue: 'DURATION', ...options }, (input, name) => {
    let ms: number;
    try {
      ms = parseLongDuration(input);
    } catch (error) {
      const isTooLong = messageOf(error).includes('longer than');
      throw badValue(
        name,
        input,
        isTooLong ? 'a duration of at most 292 years' : 'a duration such as 30s, 5m, 1h30m or 2d',
      );
    }
    if (ms < 0) throw badValue(name, input, 'a duration of at least 0s');
    return ms;
  });
}

interface Bounds {
  min?: number;
  max?: number;
}

/** A whole number of at least `min`, and at most `max`. */
export function count(options: Defaulted<number> & Bounds): Flag<number>;
export function count(options: Optional & Bounds): Flag<number | undefined>;
export function count(options: Options<number> & Bounds): Flag<number | undefined> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, ...common } = options;
  const expected =
    max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return single({ helpValue: 'N', ...common }, (input, name) => {
    if (/^-?\d+$/.test(input) && Number(input) >= min && Number(input) <= max) return Number(input);
    throw badValue(name, input, expected);
  });
}

/** A number above zero, with a decimal point or without. */
export function rate(options: Optional): Flag<number | undefined> {
  return single({ helpValue: 'NUMBER', ...options }, (input, name) => {
    if (/^\d+(\.\d+)?$/.test(input) && Number(input) > 0) return Number(input);
    throw badValue(name, input, 'a number above zero');
  });
}

type Reader<T> = (input: string, name: string) => T;

/** A flag with one value, read by `reader`, whose error is the user's: it says which flag, and what was expected. */
function single<T>(options: Options<T>, reader: Reader<T>): Flag<T | undefined> {
  return {
    ...optionOf(options, reader),
    multiple: false,
    read: (given, name) => (given === undefined ? options.default : reader(given.values.at(-1) ?? '', name)),
  };
}

const optionOf = <T>(options: Options<T>, reader: Reader<T>) => ({
  name: '',
  type: 'option' as const,
  input: [],
  parse: async (input: string, _context: unknown, { name }: { name: string }) => reader(input, name),
  ...options,
});

function badValue(name: string, input: string, expected: string): InformerError {
  return new InformerError('argument', `invalid argument "${input}" for "--${name}": expected ${expected}`);
}

/** The same flags, under this heading of the help (`FILTER FLAGS` for FILTER). */
export function group<F extends Flags>(heading: string, flags: F): F {
  for (const flag of Object.values(flags)) flag.helpGroup = heading;
  return flags;
}

/** The names of flags, as their record has them. */
export function namesOf<F extends Flags>(flags: F): (keyof F & string)[] {
  return Object.keys(flags);
}

/** `hook-timeout` → `hookTimeout`. */
type CamelCase<N extends string> = N extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : N;

/** Those of `values` that `flags` define, with the names that options of the library have. */
export function camelCased<F extends Flags>(
  flags: F,
  values: FlagValues<F>,
): { [N in keyof F & string as CamelCase<N>]: FlagValues<F>[N] } {
  const entries = namesOf(flags).map((name) => [
    name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase()),
    values[name],
  ]);
  return Object.fromEntries(entries);
}

/** A command's flag definitions as the argv grammar sees them. */
export function shapesOf(flags: Flags): FlagShape[] {
  return Object.entries(flags).map(([name, flag]) => ({
    name,
    char: flag.char,
    kind: flag.type === 'boolean' ? 'boolean' : 'value',
    repeatable: flag.type === 'option' && flag.multiple,
    split: flag.split,
    implied: flag.implied,
    noEnv: flag.noEnv,
    yieldsTo: flag.yieldsTo,
  }));
}

/**
 * The values of a command's flags, from what was given and their defaults. Throws `argument` for what cannot be read.
 */
export function valuesOf<F extends Flags>(flags: F, given: ReadonlyMap<string, Given>): FlagValues<F> {
  const values = Object.entries(flags).map(([name, flag]) => [name, flag.read(given.get(name), name)]);
  return Object.fromEntries(values);
}
