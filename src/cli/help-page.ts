import { wrapped } from '../output/wrapped.ts';
import type { Flag, Flags } from './args/flag.ts';
import { connectionFlags } from './args/shared-flags.ts';
import type { CommandClass, Registry } from './base-command.ts';

export interface HelpOptions {
  /** The name of the program: `kubectl informer`. */
  readonly bin: string;
  /** Columns of the terminal; undefined when it is none. */
  readonly columns?: number | undefined;
}

/** No text is wider than the first, nor narrower than the second. What is not a terminal gets the third, for pagers. */
const WIDTHS = { widest: 110, narrowest: 60, unknown: 80 } as const;

const widthOf = (columns: number = WIDTHS.unknown) => Math.max(WIDTHS.narrowest, Math.min(columns, WIDTHS.widest));

/** The help of one command: what it does, its usage and examples, and its own flags in groups. */
export function commandHelp(
  { summary = '', description, usage, examples, flags }: CommandClass,
  { bin, columns }: HelpOptions,
): string {
  const width = widthOf(columns);
  const isConnecting = 'context' in flags;
  const own = isConnecting ? withoutConnection(flags) : flags;
  return pageOf([
    wrapped(`${summary}.`, width),
    ...(description ?? '').split('\n\n').map((paragraph) => wrapped(paragraph, width)),
    section('USAGE', `  $ ${bin} ${usage}`),
    section('EXAMPLES', examplesText(examples, bin, width)),
    ...flagSections(own, width),
    isConnecting ? wrapped(`Use '${bin} options' for the flags that all commands share.`, width) : '',
  ]);
}

/** The text of `options`: the flags that the help of a command leaves out. */
export function optionsHelp({ bin, columns }: HelpOptions): string {
  const width = widthOf(columns);
  return pageOf([
    wrapped('These flags may be given to every command that connects to a cluster, before or after its name.', width),
    ...flagSections(connectionFlags, width),
    wrapped(`Use '${bin} COMMAND --help' for the other flags of a command.`, width),
  ]);
}

/** The commands to type first. */
const FIRST_STEPS = [
  {
    description: 'Without a cluster: watch a shop in which a rollout goes on',
    command: '<%= config.bin %> watch pods -A --sandbox --live',
  },
  {
    description: 'See which fields of a Deployment change, and who changes them',
    command: '<%= config.bin %> watch deploy/web -o changes',
  },
  {
    description: 'Ask which images run, and in how many pods',
    command: '<%= config.bin %> query pods -A --values image',
  },
];

/** The groups of commands, as `queue list|retry|drop`: a row for each would make the page longer than a screen. */
function groupTexts(commands: Registry): string[] {
  const grouped = Object.keys(commands).filter((name) => name.includes(' '));
  const groups = Map.groupBy(grouped, (name) => name.slice(0, name.indexOf(' ')));
  return [...groups].map(([word, names]) => `${word} ${names.map((name) => name.slice(word.length + 1)).join('|')}`);
}

/** The help of the program, from which everything else can be found. */
export async function programHelp(commands: Registry, { bin, columns }: HelpOptions): Promise<string> {
  const width = widthOf(columns);
  const single = Object.entries(commands).filter(([name]) => !name.includes(' '));
  const rows = await Promise.all(single.map(async ([name, load]) => [name, (await load()).summary ?? ''] as const));
  const next = [
    [`${bin} COMMAND --help`, 'flags and examples of a command'],
    [`${bin} options`, 'flags that all commands share'],
  ] as const;
  return pageOf([
    wrapped(
      `${bin} shows what happens in a Kubernetes cluster as it happens. A watch goes on through broken connections, and reports what it may have missed.`,
      width,
    ),
    section('USAGE', `  $ ${bin} COMMAND [FLAGS]`),
    section('COMMANDS', `${listed(rows, width)}\n${wrapped(`${groupTexts(commands).join(', ')}`, width, '  ')}`),
    section('EXAMPLES', examplesText(FIRST_STEPS, bin, width)),
    section('NEXT', listed(next, width)),
  ]);
}

/** The help of commands that begin with the same word: `queue list`, `queue retry`. */
export async function groupHelp(word: string, commands: Registry, { bin, columns }: HelpOptions): Promise<string> {
  const width = widthOf(columns);
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, (await load()).summary ?? ''] as const),
  );
  return pageOf([
    section('USAGE', `  $ ${bin} ${word} COMMAND [FLAGS]`),
    section('COMMANDS', listed(rows, width)),
    section('NEXT', listed([[`${bin} ${word} COMMAND --help`, 'flags and examples of a command']], width)),
  ]);
}

function withoutConnection(flags: Flags): Flags {
  const shared: Flags = connectionFlags;
  return Object.fromEntries(Object.entries(flags).filter(([name, flag]) => shared[name] !== flag));
}

const pageOf = (parts: readonly string[]) => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

const section = (heading: string, body: string) => (body === '' ? '' : `${heading}\n${body}`);

function examplesText(examples: CommandClass['examples'], bin: string, width: number): string {
  return examples
    .map(({ description, command }) => {
      const [first, ...more] = command.replaceAll('<%= config.bin %>', bin).split('\n');
      return [wrapped(description, width, '  '), `    $ ${first}`, ...more.map((line) => `    $ ${line}`)].join('\n');
    })
    .join('\n\n');
}

/** A section for each group, in the order in which the groups begin. Their columns are in one line. */
function flagSections(flags: Flags, width: number): string[] {
  const shown = Object.entries(flags).filter(([, { hidden }]) => !hidden);
  const groups = Map.groupBy(shown, ([, { helpGroup = '' }]) => helpGroup);
  const labels = shown.map(([name, flag]) => labelOf(name, flag));
  return [...groups].map(([heading, members]) =>
    section(
      heading.endsWith('CONDITIONS') ? heading : `${heading} FLAGS`.trim(),
      listed(
        members.map(([name, flag]) => [labelOf(name, flag), flagText(flag)]),
        width,
        labels,
      ),
    ),
  );
}

function labelOf(name: string, flag: Flag<unknown>): string {
  const short = flag.char ? `-${flag.char}, ` : '    ';
  if (flag.type === 'boolean') return `${short}--${name}`;
  const value = flag.helpValue ?? 'TEXT';
  return `${short}--${name}${flag.implied === undefined ? `=${value}` : `[=${value}]`}`;
}

function flagText({ summary, ...flag }: Flag<unknown>): string {
  if (flag.type === 'boolean') return summary;
  const isRepeatable = flag.multiple && !flag.helpValue?.includes(',…');
  return `${summary}${isRepeatable ? ' (repeatable)' : ''}${flag.default === undefined ? '' : ` (default: ${flag.default})`}`;
}

/**
 * Two columns; what is too long for the first has the second below it. The first is as wide as `labels` need, up to a
 * limit.
 */
function listed(
  rows: readonly (readonly [label: string, text: string])[],
  width: number,
  labels = rows.map(([label]) => label),
): string {
  const most = width < 80 ? 14 : 34;
  const column = Math.max(...labels.map((label) => label.length).filter((length) => length <= most), 0);
  const indent = ' '.repeat(column + 4);
  return rows
    .map(([label, text]) => {
      const body = wrapped(text, width, indent);
      return label.length > column ? `  ${label}\n${body}` : `  ${label.padEnd(column)}  ${body.trimStart()}`;
    })
    .join('\n');
}
