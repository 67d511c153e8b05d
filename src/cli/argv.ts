import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';

/** What the grammar needs to know of a flag. Made from a command's flag definitions by {@link shapesOf}. */
export interface FlagShape {
  readonly name: string;
  readonly char?: string | undefined;
  readonly kind: 'boolean' | 'value';
  /** A boolean whose "off" differs from its not being given at all. */
  readonly negatable?: boolean | undefined;
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

export interface NormalArgv {
  /** For oclif: every flag as `--name=value` or `--name` (off: left out, or `--no-name` where that differs), then `--`, then the words. */
  readonly argv: string[];
  readonly help: boolean;
}

/** Stands before a value that begins with a dash, so that oclif does not take it for a flag; argv can hold no NUL, so it is never the user's. */
export const DASH_GUARD = '\0';

export const ENV_PREFIX = 'KUBECTL_INFORMER_';

/**
 * One pass over the command line in kubectl's own flag grammar (Go's pflag), which oclif's differs from: booleans take `=true|false`, a
 * repeatable flag takes one value an occurrence and never a word, an optional value comes only after `=`, short flags may be joined
 * (`-Ao json`), the last of several wins, and words may stand between flags. Flags not given are looked up as KUBECTL_INFORMER_<FLAG>.
 *
 * Throws `argument` with kubectl's wording.
 */
export function normalizeArgv(argv: readonly string[], shapes: readonly FlagShape[], env: NodeJS.ProcessEnv = {}): NormalArgv {
  const reader = new Reader(argv, shapes);
  reader.read();
  if (!reader.help) reader.fillFrom(env);
  return { argv: reader.canonical(), help: reader.help };
}

/** The words of a command line alone, with what stands before the first of them: how the command itself is found. */
export function wordsOf(argv: readonly string[], shapes: readonly FlagShape[]): { word: string; at: number }[] {
  return new Reader(argv, shapes, true).read();
}

interface Given {
  readonly shape: FlagShape;
  readonly values: string[];
}

class Reader {
  readonly #argv: readonly string[];
  readonly #long: Map<string, FlagShape>;
  readonly #short: Map<string, FlagShape>;
  readonly #lenient: boolean;
  readonly #given = new Map<string, Given>();
  readonly #words: { word: string; at: number }[] = [];
  #at = 0;
  help = false;

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
        for (; this.#at < this.#argv.length; this.#at++) this.#words.push({ word: this.#argv[this.#at] as string, at: this.#at });
      } else if (arg.startsWith('--')) this.#readLong(arg);
      else if (arg.startsWith('-') && arg !== '-') this.#readShort(arg);
      else this.#words.push({ word: arg, at });
    }
    return this.#words;
  }

  fillFrom(env: NodeJS.ProcessEnv): void {
    for (const shape of this.#long.values()) {
      const name = ENV_PREFIX + shape.name.toUpperCase().replaceAll('-', '_');
      const value = env[name];
      const isSaid = this.#given.has(shape.name) || (shape.yieldsTo !== undefined && this.#given.has(shape.yieldsTo));
      if (value !== undefined && !isSaid && !shape.noEnv) this.#put(shape, value, name);
    }
  }

  canonical(): string[] {
    const flags = [...this.#given.values()].flatMap(({ shape, values }) =>
      shape.kind === 'boolean'
        ? booleanArgs(shape, values[0] === 'true')
        : values.map((v) => `--${shape.name}=${v.startsWith('-') ? DASH_GUARD : ''}${v}`),
    );
    return [...flags, '--', ...this.#words.map((w) => w.word)];
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
      this.#take(shape, takesTail ? tail.replace(/^=/, '') : undefined, `-${char}, --${shape.name}`, `'${char}' in ${arg}`);
      if (takesTail) return;
      rest = tail;
    }
  }

  #take(shape: FlagShape, given: string | undefined, label: string, place: string): void {
    if (given !== undefined) this.#put(shape, given, label);
    else if (shape.kind === 'boolean') this.#put(shape, 'true', label);
    else if (shape.implied !== undefined) this.#put(shape, shape.implied, label);
    else if (this.#at < this.#argv.length) this.#put(shape, this.#argv[this.#at++] as string, label);
    else if (!this.#lenient) throw usage(`flag needs an argument: ${place}`);
  }

  #put(shape: FlagShape, text: string, label: string): void {
    const values = this.#valuesOf(shape, text, label);
    const before = shape.repeatable ? (this.#given.get(shape.name)?.values ?? []) : [];
    this.#given.set(shape.name, { shape, values: [...before, ...values] });
  }

  #valuesOf(shape: FlagShape, text: string, label: string): string[] {
    if (shape.kind === 'value') return shape.split ? text.split(',').filter((part) => part !== '') : [text];
    const truth = parseBool(text);
    if (truth === undefined && !this.#lenient) {
      throw usage(`invalid argument "${text}" for "${label}" flag: strconv.ParseBool: parsing "${text}": invalid syntax`);
    }
    return [String(truth ?? true)];
  }
}

function booleanArgs({ name, negatable }: FlagShape, isOn: boolean): string[] {
  if (isOn) return [`--${name}`];
  return negatable ? [`--no-${name}`] : [];
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
