import type { Interfaces } from '@oclif/core';
import { InformerError } from '../kit/error.ts';
import { type CommandLine, readCommandLine } from './argv.ts';
import type { ExitCode } from './exit.ts';
import { shapesOf, valuesOf } from './flags.ts';
import type { Io } from './io.ts';
import { abortOnSignals } from './signals.ts';

/** What the program's entry hands a command beside what oclif does. */
export interface Edges {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** What a second signal, which waits for nothing, must still do: end child processes. */
  readonly atOnce: Set<() => void>;
  /** The command as it is called here, for hints: `kubectl informer watch`. */
  readonly called: string;
}

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
  static async run(this: CommandClass, argv: readonly string[], { io, called }: Pick<Edges, 'io' | 'called'>): Promise<ExitCode | 'help'> {
    // biome-ignore lint/complexity/noThisInStatic: the command that runs is the class this is called on
    const line = readLine(argv, this.flags, io, called);
    if (line.help) return 'help';
    const controller = new AbortController();
    const atOnce = new Set<() => void>();
    using _ = abortOnSignals(controller, () => {
      for (const act of atOnce) act();
    });
    return await new this(line, { io, signal: controller.signal, atOnce, called }).execute();
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

function readLine(argv: readonly string[], flags: Interfaces.FlagInput, io: Io, called: string): CommandLine {
  try {
    return readCommandLine(argv, shapesOf(flags), { env: io.env });
  } catch (error) {
    if (error instanceof InformerError && error.hint === undefined) {
      throw new InformerError('argument', error.message, { hint: `see '${called} --help' for usage` });
    }
    throw error;
  }
}
