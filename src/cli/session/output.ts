import { addressesInList, addressesOf } from '../../expr/jsonpath/fields-read.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { type Address, type FieldReads, isOfManagedFields } from '../../model/field-path.ts';
import { type CompiledOutput, compileOutput } from '../../output/compiled-output.ts';
import { SHOWN_FLAGS } from '../../output/format-traits.ts';
import { formatsThatShow, type OutputFormat, parseOutputFormat } from '../../output/formats.ts';
import { type ColorLevel, loadPainter, type Painter } from '../../output/painter.ts';
import type { PlaceColumn, Printer } from '../../output/printer.ts';
import { splitColumns } from '../../output/tables/column-spec.ts';
import type { Timestamps } from '../../output/timestamps.ts';
import type { PathScope } from '../../stream/changes/path-scope.ts';
import type { Given } from '../args/argv.ts';
import type { FlagValues } from '../args/flag.ts';
import type { outputFlags } from '../args/shared-flags.ts';
import { withTemplateText } from '../args/template-file.ts';
import { isTyped } from '../args/useless-flags.ts';
import type { TextSink } from '../terminal/io.ts';

export type OutputFlags = FlagValues<typeof outputFlags>;

/** Reads `-o` with its file, and compiles its expression. Throws `argument` before a request is sent to a server. */
export async function compiledOutputOf(flags: Pick<OutputFlags, 'output'>): Promise<CompiledOutput> {
  return compileOutput(parseOutputFormat(await withTemplateText(flags.output ?? '')));
}

/** The next step, where it is not another format alone. */
const HINTS: Readonly<Record<string, string>> = {
  old: '-o json --old has the state before as oldObject; -o diff and -o changes show it by themselves',
  'with-changes': '-o json --with-changes has the values; -o diff and -o changes show them by themselves',
  timestamps: 'in -o json, yaml and jq every event has its time',
};

/**
 * Refuses flags that do nothing in this output format. `--no-headers` and `--show-kind` are not among them: what they
 * ask for is so in the other formats by itself, and scripts give them to kubectl with `-o name`. Throws `argument`.
 */
export function refuseUnshown(given: ReadonlyMap<string, Given>, { traits }: OutputFormat): void {
  const name = SHOWN_FLAGS.find((flag) => isTyped(given, flag) && !traits.shows.includes(flag));
  if (name === undefined) return;
  throw new InformerError(
    'argument',
    `--${name} does nothing in ${traits.isTable ? 'a table' : `-o ${traits.called}`}`,
    {
      hint: HINTS[name] ?? `leave it out, or use ${formatsThatShow(name).join(', ')}`,
    },
  );
}

/** The fields that a format prints by paths of the user's. */
export function addressesPrinted({ traits, value }: OutputFormat): Address[] {
  switch (traits.value) {
    case 'template':
      return addressesInList(value);
    case 'columns':
      return splitColumns(value).flatMap((column) => addressesOf(column.slice(column.indexOf(':') + 1)));
    case 'column-lines':
      return (value.split(/\r?\n/)[1] ?? '').split(/\s+/).flatMap(addressesOf);
    default:
      return [];
  }
}

/** Whether a format shows managedFields by name, as kubectl does for a path to them. */
export const printsManagedFields = (format: OutputFormat): boolean =>
  format.traits.value === 'program'
    ? format.value.includes('managedFields')
    : addressesPrinted(format).some(isOfManagedFields);

/** True if a flag that selects objects or changes reads managedFields. `--ignore-changes` does not count. */
export const readsManagedFields = (reads: readonly FieldReads[]): boolean =>
  reads.some(({ flag, addresses }) => flag !== '--ignore-changes' && addresses.some(isOfManagedFields));

/** The facts that decide about colour: whether stdout is a terminal, and the environment. */
export interface ColorSurface {
  readonly stdout: Pick<TextSink, 'isTerminal'>;
  readonly env: NodeJS.ProcessEnv;
}

/** The place that output is made for: the terminal of this process, or that of one which asks it. */
export interface OutputSurface extends ColorSurface {
  readonly stdout: Pick<TextSink, 'isTerminal' | 'columns'>;
  readonly clock: Clock;
}

export interface Layout {
  /** Objects of several types come: names carry theirs. */
  readonly severalTypes: boolean;
  readonly severalNamespaces: boolean;
  /** The columns that say where an object is. Default: none, because there is one place. */
  readonly places?: readonly PlaceColumn[] | undefined;
  /** True if one object was asked for by name. */
  readonly single?: boolean;
  /** The stream ends after the initial list. */
  readonly once?: boolean;
  /** The paths whose changes are shown. Default: all. */
  readonly only?: PathScope | undefined;
}

export async function printerOf(
  output: CompiledOutput,
  flags: OutputFlags & { timestamps?: Timestamps | undefined; 'full-values'?: boolean | undefined },
  layout: Layout,
  surface: OutputSurface,
): Promise<Printer> {
  return output.createPrinter({
    ...(await rowOptionsOf(flags, layout, surface)),
    clock: surface.clock,
    single: layout.single,
    terminal: surface.stdout.isTerminal,
    timestamps: flags.timestamps,
    room: layout.once === false ? (surface.stdout.columns ?? Number.POSITIVE_INFINITY) : undefined,
    width: surface.stdout.isTerminal ? () => surface.stdout.columns : undefined,
    only: layout.only,
    fullValues: flags['full-values'],
  });
}

/** How rows look, in a table that goes on and in one that is redrawn. */
export async function rowOptionsOf(flags: OutputFlags, layout: Layout, surface: ColorSurface) {
  return {
    places: layout.places ?? [],
    withNamespace: layout.severalNamespaces,
    showKind: flags['show-kind'] || layout.severalTypes,
    showLabels: flags['show-labels'],
    labelColumns: flags['label-columns'],
    noHeaders: flags['no-headers'],
    painter: await painterOf(flags, surface),
  };
}

/** Colours, where they are wanted. */
export const painterOf = (flags: Pick<OutputFlags, 'color'>, surface: ColorSurface): Promise<Painter> =>
  loadPainter(colorLevel(flags.color, surface));

/** `--color` decides; else NO_COLOR and FORCE_COLOR; else whether stdout is a terminal. */
export function colorLevel(when: OutputFlags['color'], { stdout, env }: ColorSurface): ColorLevel {
  if (when === 'never') return 0;
  if (when === 'always') return 1;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 0;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false' ? 0 : 1;
  return stdout.isTerminal && env.TERM !== 'dumb' ? 1 : 0;
}
