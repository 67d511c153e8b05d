import { readFile } from 'node:fs/promises';
import type { Interfaces } from '@oclif/core';
import type { Representation } from '../client/resource-api.ts';
import { type Clock, systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { createPrinter } from '../output/create-printer.ts';
import { type OutputFormat, parseOutputFormat, withFileText } from '../output/output-format.ts';
import { type ColorLevel, loadPainter } from '../output/painter.ts';
import type { Printer } from '../output/printer.ts';
import type { Timestamps } from '../output/timestamps.ts';
import type { outputFlags } from './flags.ts';
import type { Io } from './io.ts';

export type OutputFlags = Interfaces.InferredFlags<typeof outputFlags>;

/** Reads `-o`, its file and its expression too. Throws `argument` before anything is asked of a server. */
export async function outputFormatOf(flags: Pick<OutputFlags, 'output'>): Promise<OutputFormat> {
  const format = await formatWithText(parseOutputFormat(flags.output ?? ''));
  if (format.kind !== 'table') await createPrinter(format, { clock: systemClock }); // it reads its expression, or refuses it
  return format;
}

async function formatWithText(format: OutputFormat): Promise<OutputFormat> {
  if (format.kind !== 'file') return format;
  try {
    return withFileText(format, await readFile(format.path, 'utf8'));
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${format.path} of -o ${format.of}-file: ${messageOf(cause)}`, { cause });
  }
}

/** As little of the objects as the format needs. */
export function representationOf(format: OutputFormat): Representation {
  if (format.kind === 'table') return { table: 'Metadata' };
  return format.kind === 'name' ? 'metadata' : 'object';
}

export interface Layout {
  /** Objects of several types come: names carry theirs. */
  readonly severalTypes: boolean;
  readonly severalNamespaces: boolean;
  /** One object was asked for by name. */
  readonly single?: boolean;
}

export async function printerOf(
  format: OutputFormat,
  flags: OutputFlags & { timestamps?: Timestamps | undefined },
  layout: Layout,
  { io, clock }: { io: Io; clock: Clock },
): Promise<Printer> {
  return createPrinter(format, { ...(await rowOptionsOf(flags, layout, io)), clock, single: layout.single, timestamps: flags.timestamps });
}

/** How rows look, in a table that goes on and in one that is redrawn. */
export async function rowOptionsOf(flags: OutputFlags, layout: Layout, io: Io) {
  return {
    withNamespace: layout.severalNamespaces,
    showKind: flags['show-kind'] || layout.severalTypes,
    showLabels: flags['show-labels'],
    labelColumns: flags['label-columns'],
    noHeaders: flags['no-headers'],
    painter: await loadPainter(colorLevel(flags.color, io)),
  };
}

/** `--color` decides; else NO_COLOR and FORCE_COLOR; else whether stdout is a terminal. */
function colorLevel(when: OutputFlags['color'], { stdout, env }: Io): ColorLevel {
  if (when === 'never') return 0;
  if (when === 'always') return 1;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 0;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false' ? 0 : 1;
  return stdout.isTerminal && env.TERM !== 'dumb' ? 1 : 0;
}
