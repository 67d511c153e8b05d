import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';

/** The shape of a flag for the grammar. Made from a command's flag definitions by {@link shapesOf}. */
export interface FlagShape {
  readonly name: string;
  readonly char?: string | undefined;
  readonly kind: 'boolean' | 'value';
  /** Not taken from the environment: what it names is written to. */
  readonly noEnv?: boolean | undefined;
  /** Left out of what the environment gives when this other flag was given. */
  readonly yieldsTo?: string | undefined;
  /** Every occurrence counts; otherwise the last one does. */
  readonly repeatable?: boolean | undefined;
  /** Commas split one occurrence into several values (names, never expressions). */
  readonly split?: boolean | undefined;
  /** The value may be left out; then this one holds, and a value is taken only as `--flag=value`. */
  readonly implied?: string | undefined;
}

/** Where a flag's value came from; the first of these that says something wins, then what is built in. */
export type Origin = 'flag' | 'environment' | 'file';

/** The values given for one flag, in order; a boolean's is 'true' or 'false'. */
export interface Given {
  readonly values: readonly string[];
  readonly origin: Origin;
  /** The variable or place in a file that says it; undefined of the command line. */
  readonly label?: string | undefined;
}

/** The words of a command line, and its flags with the origin of each. */
export interface GivenWords {
  readonly given: ReadonlyMap<string, Given>;
  readonly words: readonly string[];
}

export interface CommandLine extends GivenWords {
  readonly help: boolean;
}

/** Text for a flag that comes from elsewhere than the line, and how errors call the place. */
export interface Elsewhere {
  readonly values: readonly string[];
  readonly label: string;
}

/** A flag that is there and was given wrongly. */
export class FlagError extends InformerError {
  override readonly name = 'FlagError';
  readonly flag: string;

  constructor(flag: string, message: string) {
    super('argument', message);
    this.flag = flag;
  }
}

export const ENV_PREFIX = 'KUBECTL_INFORMER_';

/**
 * One pass over the command line in kubectl's own flag grammar (Go's pflag): booleans take `=true|false`, a repeatable
 * flag takes one value an occurrence and never a word, an optional value comes only after `=`, short flags may be
 * joined (`-Ao json`), the last of several wins, and words may come between flags. Flags not given are looked up as
 * KUBECTL_INFORMER_<FLAG>.
 *
 * Throws `argument` with kubectl's wording.
 */
export function readCommandLine(
  argv: readonly string[],
  shapes: readonly FlagShape[],
  env: NodeJS.ProcessEnv = {},
): CommandLine {
  const reader = new Reader(argv, shapes);
  const words = reader.read().map(({ word }) => word);
  const line = { given: reader.given, words, help: reader.help };
  return reader.help ? line : withMore(line, shapes, 'environment', (flag) => environmentOf(flag, env));
}

/** The same line, with what `lookup` says of the flags that were not given so far. Throws `argument` as above. */
export function withMore(
  line: CommandLine,
  shapes: readonly FlagShape[],
  origin: Origin,
  lookup: (flag: string) => Elsewhere | undefined,
): CommandLine {
  const given = new Map(line.given);
  for (const shape of shapes) {
    const isSaid = line.given.has(shape.name) || (shape.yieldsTo !== undefined && line.given.has(shape.yieldsTo));
    const found = isSaid || shape.noEnv ? undefined : lookup(shape.name);
    if (!found) continue;
    const values = found.values.flatMap((text) => valuesOf(shape, text, found.label));
    given.set(shape.name, { values: shape.repeatable ? values : values.slice(-1), origin, label: found.label });
  }
  return { ...line, given };
}

/** The words of a command line without its flags, and what precedes the first word: how the command itself is found. */
export function wordsOf(argv: readonly string[], shapes: readonly FlagShape[]): { word: string; at: number }[] {
  return new Reader(argv, shapes, true).read();
}

/** A line that is still being typed, as far as it can be read. */
export interface UnfinishedLine extends CommandLine {
  /** The flag that the next word is the value of. */
  readonly awaited: FlagShape | undefined;
  /** Whether `--` was typed: no further word is a flag. */
  readonly isPastFlags: boolean;
}

/** As {@link readCommandLine}, but passes over what is unknown or wrong. Throws `argument` for `---x` alone. */
export function readUnfinishedLine(
  argv: readonly string[],
  shapes: readonly FlagShape[],
  env: NodeJS.ProcessEnv = {},
): UnfinishedLine {
  const reader = new Reader(argv, shapes, true);
  const words = reader.read().map(({ word }) => word);
  const { given, help, awaited, isPastFlags } = reader;
  const line = withMore({ given, words, help }, shapes, 'environment', (flag) => environmentOf(flag, env));
  return { ...line, awaited, isPastFlags };
}

export const variableOf = (flag: string): string => ENV_PREFIX + flag.toUpperCase().replaceAll('-', '_');

function environmentOf(flag: string, env: NodeJS.ProcessEnv): Elsewhere | undefined {
  const label = variableOf(flag);
  const value = env[label];
  return value === undefined ? undefined : { values: [value], label };
}

class Reader {
  readonly #argv: readonly string[];
  readonly #long: Map<string, FlagShape>;
  readonly #short: Map<string, FlagShape>;
  readonly #lenient: boolean;
  readonly given = new Map<string, Given>();
  readonly #words: { word: string; at: number }[] = [];
  #at = 0;
  help = false;
  awaited: FlagShape | undefined;
  isPastFlags = false;

  constructor(argv: readonly string[], shapes: readonly FlagShape[], lenient = false) {
    this.#argv = argv;
    this.#lenient = lenient;
    this.#long = new Map(shapes.map((s) => [s.name, s]));
    this.#short = new Map(shapes.filter((s) => s.char).map((s) => [s.char as string, s]));
  }

  read(): { word: string; at: number }[] {
    while (this.#at < this.#argv.length) {
      const at = this.#at++;
      const arg = this.#argv[at] as string;
      if (arg === '--') {
        this.isPastFlags = true;
        for (; this.#at < this.#argv.length; this.#at++)
          this.#words.push({ word: this.#argv[this.#at] as string, at: this.#at });
      } else if (arg.startsWith('--')) this.#readLong(arg);
      else if (arg.startsWith('-') && arg !== '-') this.#readShort(arg);
      else this.#words.push({ word: arg, at });
    }
    return this.#words;
  }

  #readLong(arg: string): void {
    const equals = arg.indexOf('=');
    const name = arg.slice(2, equals === -1 ? undefined : equals);
    if (name === '' || name.startsWith('-')) throw usage(`bad flag syntax: ${arg}`);
    const shape = this.#long.get(name);
    const value = equals === -1 ? undefined : arg.slice(equals + 1);
    if (shape) this.#take(shape, value, `--${name}`, `--${name}`);
    else if (name === 'help') this.help = value === undefined || parseBool(value) === true;
    else if (!this.#lenient) throw unknownFlag(name, [...this.#long.keys()]);
  }

  #readShort(arg: string): void {
    for (let rest = arg.slice(1); rest !== ''; ) {
      const char = rest[0] as string;
      const shape = this.#short.get(char);
      if (!shape) {
        if (char === 'h') this.help = true;
        else if (!this.#lenient) throw usage(`unknown shorthand flag: '${char}' in ${arg}`);
        return;
      }
      const tail = rest.slice(1);
      const takesTail = tail.startsWith('=') || (tail !== '' && shape.kind === 'value' && shape.implied === undefined);
      this.#take(
        shape,
        takesTail ? tail.replace(/^=/, '') : undefined,
        `-${char}, --${shape.name}`,
        `'${char}' in ${arg}`,
      );
      if (takesTail) return;
      rest = tail;
    }
  }

  #take(shape: FlagShape, given: string | undefined, label: string, place: string): void {
    if (given !== undefined) this.#put(shape, given, label);
    else if (shape.kind === 'boolean') this.#put(shape, 'true', label);
    else if (shape.implied !== undefined) this.#put(shape, shape.implied, label);
    else if (this.#at < this.#argv.length) this.#put(shape, this.#argv[this.#at++] as string, label);
    else if (!this.#lenient) throw new FlagError(shape.name, `flag needs an argument: ${place}`);
    else this.awaited = shape;
  }

  #put(shape: FlagShape, text: string, label: string): void {
    const values = valuesOf(shape, text, label, this.#lenient);
    const before = shape.repeatable ? (this.given.get(shape.name)?.values ?? []) : [];
    this.given.set(shape.name, { values: [...before, ...values], origin: 'flag' });
  }
}

function valuesOf(shape: FlagShape, text: string, label: string, lenient = false): string[] {
  if (shape.kind === 'value') return shape.split ? namesIn(shape, text, label, lenient) : [text];
  const truth = parseBool(text);
  if (truth === undefined && !lenient) {
    throw new FlagError(
      shape.name,
      `invalid argument "${text}" for "${label}" flag: strconv.ParseBool: parsing "${text}": invalid syntax`,
    );
  }
  return [String(truth ?? true)];
}

/**
 * The names of a list, without the blanks around its commas. An empty text is none; commas or blanks alone are a
 * mistake.
 */
function namesIn(shape: FlagShape, text: string, label: string, lenient: boolean): string[] {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (names.length === 0 && text !== '' && !lenient)
    throw new FlagError(shape.name, `invalid argument "${text}" for "${label}" flag: it names nothing`);
  return names;
}

/** Source: Go's strconv.ParseBool. */
function parseBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return undefined;
}

function unknownFlag(name: string, known: readonly string[]): InformerError {
  const [close] = nearest(name, known);
  return usage(`unknown flag: --${name}`, close && `did you mean --${close}?`);
}

function usage(message: string, hint?: string): InformerError {
  return new InformerError('argument', message, { hint });
}
