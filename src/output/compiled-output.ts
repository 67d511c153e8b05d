import { InformerError } from '../kit/error.ts';
import type { CompiledFormat, CountsText, TreesText } from './format-traits.ts';
import type { OutputFormat } from './formats.ts';
import * as printers from './printers.ts';

/** A format that is ready to print. */
export interface CompiledOutput extends CompiledFormat {
  readonly format: OutputFormat;
}

/** Compiles the expression of a format, and loads what this format needs and nothing else. Throws `argument`. */
export async function compileOutput(format: OutputFormat): Promise<CompiledOutput> {
  return { format, ...(await format.traits.create(format.value, printers)) };
}

/** Prints counts, groups and sums in a format. Throws where the format prints none, which was to be refused. */
export const countsTextOf = ({ traits }: OutputFormat): CountsText => of(traits.called, traits.counts)(printers);

/** Prints trees of owners in a format. Throws as {@link countsTextOf} does. */
export const treesTextOf = ({ traits }: OutputFormat): TreesText => of(traits.called, traits.trees)(printers);

function of<T>(called: string, part: T | false): T {
  if (part === false) throw new InformerError('terminal', `-o ${called} does not print this`);
  return part;
}
