import { Command, type Interfaces } from '@oclif/core';
import { InformerError } from '../kit/error.ts';
import type { ExitCode } from './exit.ts';
import type { Io } from './io.ts';

/** What the program's entry hands a command beside what oclif does. */
export interface Edges {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  /** What a second signal, which waits for nothing, must still do: end child processes. */
  readonly atOnce: Set<() => void>;
}

/** What every command shares: it takes words as they come, knows its edges, and answers with an exit code instead of exiting. */
export abstract class BaseCommand extends Command {
  edges!: Edges;

  /** Does the work. What it throws is worded, and given its exit code, by the entry. */
  abstract execute(): Promise<ExitCode>;

  override run(): Promise<ExitCode> {
    return this.execute();
  }

  /** The flags and words of the command line, which has been through `normalizeArgv`. */
  protected async read<F extends Interfaces.FlagInput>(flags: F): Promise<{ flags: Interfaces.InferredFlags<F>; words: string[] }> {
    const parsed = await this.parse({ flags, args: {}, strict: false });
    return { flags: parsed.flags as Interfaces.InferredFlags<F>, words: parsed.argv as string[] };
  }

  /** As {@link read}, for a command that takes no words. */
  protected async readFlags<F extends Interfaces.FlagInput>(flags: F): Promise<Interfaces.InferredFlags<F>> {
    const { flags: values, words } = await this.read(flags);
    if (words.length === 0) return values;
    throw new InformerError('argument', `${this.id} takes no arguments, but there is ${JSON.stringify(words[0])}`, {
      hint: `see '${this.config.bin} ${this.id} --help' for usage`,
    });
  }
}
