import type { Config } from '@oclif/core';
import { Command } from '@oclif/core/command';
import { InformerError, isInformerError } from '../kit/error.ts';
import { calledName } from '../package.ts';
import { type CommandLine, FlagError } from './args/argv.ts';
import type { ConfigFile } from './args/config-file.ts';
import { type Flags, type FlagValues, valuesOf } from './args/flag.ts';
import { readLine } from './args/flag-precedence.ts';
import { connectionFlags } from './args/shared-flags.ts';
import { reportError } from './terminal/error-text.ts';
import { ExitCode } from './terminal/exit-codes.ts';
import { type Io, processIo } from './terminal/io.ts';
import { logAsJson } from './terminal/logging.ts';
import { quietNodeWarnings } from './terminal/node-warnings.ts';
import { finish } from './terminal/process-end.ts';
import { abortOnSignals } from './terminal/signals.ts';

/** Every command by its words, to be loaded. */
export type Registry = Readonly<Record<string, () => Promise<CommandClass>>>;

/** The parts of its process that a command uses. */
export interface Edges {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** Steps that a second signal, which waits for nothing, must still take: it ends child processes. */
  readonly atOnce: Set<() => void>;
  /** The command's words. */
  readonly name: string;
  /** The command as it is called here, for hints: `kubectl informer watch`. */
  readonly called: string;
  /** The user's defaults and names. */
  readonly config: ConfigFile;
  readonly commands: Registry;
}

/** The runner of a command: this program, or oclif. */
export interface Host extends Pick<Edges, 'io' | 'name' | 'commands'> {
  /** Prints the command's help. */
  help(): Promise<ExitCode>;
}

/**
 * The base of all commands, a real oclif command. Where oclif leaves room, it does as kubectl does: our grammar reads
 * the command line, errors go to stderr with a hint, and the exit code is that of the contract. It is the same whether
 * our program or oclif's `execute` runs it.
 */
export abstract class BaseCommand extends Command {
  static override strict = false; // any number of words
  static override usage = '';
  static override examples: { description: string; command: string }[] = [];
  static override flags: Flags = {};

  /** The first word may be a view of the config file. */
  static takesViews = false;

  /** The commands there are, where oclif runs one of them. */
  static registry: Registry = {};

  readonly #host: Host;
  #edges: Edges | undefined;
  #line: CommandLine | undefined;
  #exitCode: ExitCode = ExitCode.ok;

  /** oclif gives no host; then the command runs on the process. */
  constructor(argv: string[], config: Config, host?: Host) {
    super(argv, config);
    this.#host = host ?? oclifHost(config, this.id ?? '');
  }

  /**
   * Runs the command on its part of the command line, to the end of the process: errors are reported, and the exit code
   * is set.
   */
  async start(): Promise<void> {
    await this._run();
  }

  /** Does the work. {@link catch} reports what it throws. */
  abstract execute(): Promise<ExitCode>;

  /** Nothing of oclif's: its own loads help and settings for a line of debug output. */
  protected override async init(): Promise<void> {
    this.#host.io.stdout.claimErrors();
  }

  /** Reads the line, then executes. Signals end it gracefully. */
  override async run(): Promise<ExitCode> {
    this.parsed = true; // by our grammar; oclif warns otherwise
    const { io, name, commands } = this.#host;
    const called = `${calledName()} ${name}`;
    if ('log-format' in this.ctor.flags && asksForJson(this.argv)) logAsJson(io);
    const { line, config } = await hinted(called, this.ctor.flags, () =>
      readLine(this.argv, this.ctor, { io, name, commands }),
    );
    if (line.help) return await this.#host.help();
    if (line.given.get('log-format')?.values.at(-1) === 'json' && !io.stderr.isJson) logAsJson(io);
    const controller = new AbortController();
    const atOnce = new Set<() => void>();
    using _ = abortOnSignals(controller, () => {
      for (const act of atOnce) act();
    });
    this.#line = line;
    this.#edges = { io, name, called, commands, config, signal: controller.signal, atOnce };
    this.#exitCode = await naming(line, () => this.execute());
    return this.#exitCode;
  }

  /** Reports the error as the contract says. Nothing is thrown further: oclif would report it a second time. */
  protected override async catch(error: unknown): Promise<void> {
    this.#exitCode = reportError(error, this.#host.io);
  }

  protected override async finally(): Promise<void> {
    await finish(this.#host.io, this.#exitCode);
  }

  protected override get ctor(): typeof BaseCommand {
    return this.constructor as typeof BaseCommand;
  }

  protected get edges(): Edges {
    if (!this.#edges) throw new InformerError('closed', 'the command is not running');
    return this.#edges;
  }

  /** The parsed command line: each flag's values and their origin, and the words. */
  protected get line(): CommandLine {
    if (!this.#line) throw new InformerError('closed', 'the command is not running');
    return this.#line;
  }

  /** The flags and words of the command line. */
  protected read<F extends Flags>(flags: F): { flags: FlagValues<F>; words: readonly string[] } {
    return { flags: valuesOf(flags, this.line.given), words: this.line.words };
  }

  /** As {@link read}, for a command that takes no words. */
  protected readFlags<F extends Flags>(flags: F): FlagValues<F> {
    const { flags: values, words } = this.read(flags);
    if (words.length === 0) return values;
    const { called } = this.edges;
    throw new InformerError(
      'argument',
      `${called.split(' ').at(-1)} takes no arguments, but there is ${JSON.stringify(words[0])}`,
      {
        hint: `see '${called} --help' for usage`,
      },
    );
  }
}

/** Whether a command line that may not be readable asks for JSON on stderr. */
function asksForJson(argv: readonly string[]): boolean {
  const at = argv.findLastIndex((word) => word.startsWith('--log-format'));
  return argv[at] === '--log-format=json' || (argv[at] === '--log-format' && argv[at + 1] === 'json');
}

/** A command that can be made; the base is abstract. */
export type CommandClass = Omit<typeof BaseCommand, never> &
  (new (
    argv: string[],
    config: Config,
    host?: Host,
  ) => BaseCommand);

/**
 * As much of oclif's Config as a command asks for when our program runs it. A whole one reads files, and takes longer
 * than most commands.
 */
export const PROGRAM_CONFIG = {
  bin: 'kubectl-informer',
  scopedEnvVarKeys: () => [],
} satisfies Partial<Config> as unknown as Config;

function oclifHost(config: Config, id: string): Host {
  const io = processIo();
  const name = id.replaceAll(':', ' '); // oclif's ids are words between colons
  quietNodeWarnings((text) => void io.stderr.write(text));
  return {
    io,
    name,
    commands: BaseCommand.registry,
    async help() {
      const { loadHelpClass } = await import('@oclif/core/help');
      const Help = await loadHelpClass(config);
      await new Help(config).showHelp(name.split(' '));
      return ExitCode.ok;
    },
  };
}

/** An error about a flag that the environment or a file sets says which one. */
async function naming<T>({ given }: CommandLine, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isInformerError(error, 'argument')) throw error;
    const [name, { label = '' } = {}] =
      [...given].find(([flag, { label }]) => label !== undefined && names(error.message, flag)) ?? [];
    if (name === undefined || error.message.includes(label)) throw error;
    const where = `--${name} is set by ${label}`;
    throw new InformerError('argument', error.message, {
      cause: error.cause,
      hint: error.hint === undefined ? where : `${where}; ${error.hint}`,
    });
  }
}

/** True if a message names this flag. A longer flag that begins with the same name does not count. */
const names = (message: string, flag: string) => new RegExp(`--${flag}(?![\\w-])`).test(message);

/**
 * An error without a hint gets the page that describes the flag: the command's own, or that of the flags that commands
 * share.
 */
async function hinted<T>(called: string, flags: Flags, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InformerError) || error.hint !== undefined) throw error;
    const isShared = error instanceof FlagError && 'context' in flags && error.flag in connectionFlags;
    const page = isShared ? `${calledName()} options` : `${called} --help`;
    throw new InformerError('argument', error.message, { hint: `see '${page}' for usage` });
  }
}
