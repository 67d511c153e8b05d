import { Command, type Interfaces } from '@oclif/core';
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
}
