import type { FlagShape } from '../args/argv.ts';
import { shapesOf } from '../args/flag.ts';
import type { CommandClass } from '../base-command.ts';

/** The description of a flag for completion. It is JSON. */
export interface CatalogFlag extends FlagShape {
  readonly summary: string;
  readonly helpValue?: string | undefined;
  readonly words?: readonly string[] | undefined;
  readonly hidden?: boolean | undefined;
}

/** The description of a command for completion. It is JSON. */
export interface CatalogCommand {
  readonly summary: string;
  readonly flags: readonly CatalogFlag[];
}

/** The commands by their words. The build writes it to a file, so that completion loads no command. */
export type Catalog = Readonly<Record<string, CatalogCommand>>;

/** The catalog of these commands. */
export function catalogOf(commands: Readonly<Record<string, CommandClass>>): Catalog {
  return Object.fromEntries(
    Object.entries(commands).map(([name, { summary = '', flags }]) => [name, { summary, flags: flagsOf(flags) }]),
  );
}

function flagsOf(flags: CommandClass['flags']): CatalogFlag[] {
  return shapesOf(flags).map((shape) => {
    const { summary, helpValue, words, hidden } = flags[shape.name] as CommandClass['flags'][string] & {
      helpValue?: string;
    };
    return { ...shape, summary, helpValue, words, hidden };
  });
}
