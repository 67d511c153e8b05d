import { Command } from '@oclif/core';
import type { ExitCode } from './exit.ts';
import type { Io } from './io.ts';

/** How a command is started by the program's entry, beside what oclif hands over. */
export interface Edges {
  readonly io: Io;
  /** Aborts on SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
}

/** What every command shares: it takes words as they come, knows its edges, and answers with an exit code instead of exiting. */
export abstract class BaseCommand extends Command {
  static override strict = false;
  static override enableJsonFlag = false;
  edges!: Edges;

  abstract override run(): Promise<ExitCode>;

  /** Errors go to the entry, which words them and picks the exit code. */
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }
}
