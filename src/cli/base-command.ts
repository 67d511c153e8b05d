import type { Interfaces } from '@oclif/core';
import { InformerError, isInformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import { neutralised } from '../output/escape.ts';
import { type CommandLine, ENV_PREFIX, readCommandLine, variableOf, withMore } from './argv.ts';
import { type ConfigFile, lookupIn, NO_CONFIG, readConfigFile, refuseUnknown } from './config-file.ts';
import type { ExitCode } from './exit.ts';
import { shapesOf, valuesOf } from './flags.ts';
import type { Io } from './io.ts';
import { abortOnSignals } from './signals.ts';
import { checkConnectionFlags } from './useless-flags.ts';

/** What the program's entry hands a command beside what oclif does. */
export interface Edges {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** What a second signal, which waits for nothing, must still do: end child processes. */
  readonly atOnce: Set<() => void>;
  /** The command's words. */
  readonly name: string;
  /** The command as it is called here, for hints: `kubectl informer watch`. */
  readonly called: string;
  /** The user's defaults and names. */
  readonly config: ConfigFile;
  /** Every command by its words, to be loaded. */
  readonly commands: Readonly<Record<string, () => Promise<CommandClass>>>;
}

/** What the entry knows before the command line is read. */
export type Outside = Pick<Edges, 'io' | 'name' | 'called' | 'commands'>;

/**
 * What every command shares: it takes words as they come, knows its edges, and answers with an exit code instead of exiting.
 * Its statics are those of an oclif command, which is how help knows it; running it needs nothing of oclif, whose loading would
 * cost more than most commands.
 */
export abstract class BaseCommand {
  static readonly summary: string = '';
  static readonly description: string | undefined = undefined;
  static readonly usage: string = '';
  static readonly examples: readonly { description: string; command: string }[] = [];
  static readonly flags: Interfaces.FlagInput = {};

  /**
   * Runs the command on its part of the command line. Gives `help` when that is what was asked for. Signals end it in good order.
   * Throws `argument` for what it cannot read, and whatever the command throws.
   */
  static async run(this: CommandClass, argv: readonly string[], edges: Outside): Promise<ExitCode | 'help'> {
    // biome-ignore lint/complexity/noThisInStatic: the command that runs is the class this is called on
    const read = await hinted(edges.called, () => readLine(argv, this.flags, edges));
    if (read === 'help') return 'help';
    const controller = new AbortController();
    const atOnce = new Set<() => void>();
    using _ = abortOnSignals(controller, () => {
      for (const act of atOnce) act();
    });
    const { line, config } = read;
    return await naming(line, () => new this(line, { ...edges, config, signal: controller.signal, atOnce }).execute());
  }

  protected readonly edges: Edges;
  readonly #line: CommandLine;

  constructor(line: CommandLine, edges: Edges) {
    this.#line = line;
    this.edges = edges;
  }

  /** Does the work. What it throws is worded, and given its exit code, by the entry. */
  abstract execute(): Promise<ExitCode>;

  /** What was given, and whence. */
  protected get line(): CommandLine {
    return this.#line;
  }

  /** The flags and words of the command line. */
  protected read<F extends Interfaces.FlagInput>(flags: F): { flags: Interfaces.InferredFlags<F>; words: readonly string[] } {
    return { flags: valuesOf(flags, this.#line.given), words: this.#line.words };
  }

  /** As {@link read}, for a command that takes no words. */
  protected readFlags<F extends Interfaces.FlagInput>(flags: F): Interfaces.InferredFlags<F> {
    const { flags: values, words } = this.read(flags);
    if (words.length === 0) return values;
    const { called } = this.edges;
    throw new InformerError('argument', `${called.split(' ').at(-1)} takes no arguments, but there is ${JSON.stringify(words[0])}`, {
      hint: `see '${called} --help' for usage`,
    });
  }
}

/** A command that can be made; the base is abstract. */
export type CommandClass = Omit<typeof BaseCommand, never> & (new (...args: ConstructorParameters<typeof BaseCommand>) => BaseCommand);

interface ReadLine {
  readonly line: CommandLine;
  readonly config: ConfigFile;
}

/** The line, then the environment, then the user's file: the first that says something of a flag wins. */
async function readLine(argv: readonly string[], flags: Interfaces.FlagInput, { io, name, commands }: Outside): Promise<ReadLine | 'help'> {
  const shapes = shapesOf(flags);
  const line = readCommandLine(argv, shapes, io.env);
  if (line.help) return 'help';
  const known = shapes.map((shape) => shape.name);
  if (known.includes('context')) checkConnectionFlags(line.given); // not of the command that is a server
  await warnOfVariables(known, io, commands);
  if (!known.includes('config')) return { line, config: NO_CONFIG };
  const config = await readConfigFile(line.given.get('config')?.values[0], io.env);
  await refuseStrays(config, known, commands);
  return { line: withMore(line, shapes, 'file', lookupIn(config, name, known)), config };
}

/** Variables that begin like ours and set nothing: named with what may have been meant. Other commands' flags are looked at only then. */
async function warnOfVariables(known: readonly string[], io: Io, commands: Outside['commands']): Promise<void> {
  const own = new Set(known.map(variableOf));
  const strays = Object.keys(io.env).filter((name) => name.startsWith(ENV_PREFIX) && !own.has(name));
  if (strays.length === 0) return;
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const variables = new Set(all.flatMap((command) => Object.keys(command.flags)).map(variableOf));
  for (const name of strays.filter((stray) => !variables.has(stray)).sort()) {
    const [near] = nearest(
      name.slice(ENV_PREFIX.length),
      [...variables].map((variable) => variable.slice(ENV_PREFIX.length)),
      1,
    );
    io.stderr.write(`Warning: ${neutralised(name)} sets no flag${near ? `; did you mean ${ENV_PREFIX}${near}?` : ''}\n`);
  }
}

/** An error about a flag that the environment or a file sets says which one. */
async function naming<T>({ given }: CommandLine, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isInformerError(error, 'argument')) throw error;
    const [name, { label = '' } = {}] = [...given].find(([flag, { label }]) => label !== undefined && names(error.message, flag)) ?? [];
    if (name === undefined || error.message.includes(label)) throw error;
    const where = `--${name} is set by ${label}`;
    throw new InformerError('argument', error.message, {
      cause: error.cause,
      hint: error.hint === undefined ? where : `${where}; ${error.hint}`,
    });
  }
}

/** Whether a message speaks of this flag, and not of one whose name begins so. */
const names = (message: string, flag: string) => new RegExp(`--${flag}(?![\\w-])`).test(message);

/** A default that this command does not have may be another's; the others are loaded only to find that out. */
async function refuseStrays({ path, defaults }: ConfigFile, known: readonly string[], commands: Outside['commands']): Promise<void> {
  const strays = Object.keys(defaults).filter((flag) => !known.includes(flag));
  if (strays.length === 0) return;
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  const flags = all.flatMap((command) => Object.keys(command.flags));
  refuseUnknown(strays, flags, `${path}: defaults has`);
}

async function hinted<T>(called: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InformerError && error.hint === undefined) {
      throw new InformerError('argument', error.message, { hint: `see '${called} --help' for usage` });
    }
    throw error;
  }
}
