import { InformerError } from '../../kit/error.ts';
import type { OutputFormat } from '../../output/output-format.ts';
import type { Given } from './argv.ts';
import { namesOf } from './flag.ts';
import { embeddedFlags, loginFlags } from './shared-flags.ts';

type Kind = OutputFormat['kind'];

const DATA: readonly Kind[] = ['json', 'ndjson', 'yaml', 'kyaml', 'jq'];

/**
 * The formats in which a flag shows: in any other it would be taken and do nothing. `--no-headers` and `--show-kind`
 * are not among them: what they ask for is so in the other formats by itself, and scripts give them to kubectl with
 * `-o name`.
 */
const SHOWN_IN: Readonly<Record<string, readonly Kind[]>> = {
  'show-labels': ['table', 'csv'],
  'label-columns': ['table', 'csv'],
  timestamps: ['table', 'diff', 'changes'],
  old: DATA,
  'with-changes': DATA,
  'full-values': ['diff', 'changes'],
  'show-managed-fields': [...DATA, 'jsonpath', 'custom-columns', 'custom-columns-file', 'csv'],
};

/** What to use instead, where it is not the format alone. */
const HINTS: Readonly<Record<string, string>> = {
  old: '-o json --old has the state before as oldObject; -o diff and -o changes show it by themselves',
  'with-changes': '-o json --with-changes has the values; -o diff and -o changes show them by themselves',
  timestamps: 'in -o json, yaml and jq every event has its time',
};

/** Flags on the command line: what the environment or a file sets for all commands is left alone. */
function typed(given: ReadonlyMap<string, Given>, name: string): boolean {
  const flag = given.get(name);
  return flag?.origin === 'flag' && flag.values.at(-1) !== 'false';
}

const refuse = (message: string, hint: string): never => {
  throw new InformerError('argument', message, { hint });
};

/** Refuses flags that do nothing in this output format. Throws `argument`. */
export function refuseUnshown(given: ReadonlyMap<string, Given>, { kind }: OutputFormat): void {
  for (const [name, formats] of Object.entries(SHOWN_IN)) {
    if (!typed(given, name) || formats.includes(kind)) continue;
    const format = kind === 'table' ? 'a table' : `-o ${kind}`;
    const others = formats.map((each) => (each === 'table' ? 'a table (no -o)' : `-o ${each}`)).join(', ');
    refuse(`--${name} does nothing in ${format}`, HINTS[name] ?? `leave it out, or use ${others}`);
  }
}

/** Refuses `first` beside `second`, which leaves it nothing to do. Throws `argument`. */
export function refuseBeside(
  given: ReadonlyMap<string, Given>,
  first: readonly string[],
  second: readonly string[],
  why: string,
): void {
  const useless = first.find((name) => typed(given, name));
  const beside = second.find((name) => typed(given, name));
  if (useless !== undefined && beside !== undefined) refuse(`--${useless} does nothing beside --${beside}`, why);
}

/** Refuses `first` where neither of `second` is given. Throws `argument`. */
export function refuseWithout(
  given: ReadonlyMap<string, Given>,
  first: readonly string[],
  second: readonly string[],
): void {
  const useless = first.find((name) => typed(given, name));
  if (useless === undefined || second.some((name) => given.has(name))) return;
  const needed = second.map((name) => `--${name}`).join(' or ');
  refuse(`--${useless} does nothing without ${needed}`, `add ${needed}, or leave it out`);
}

/** The connection flags that are at odds. Throws `argument`. */
export function checkConnectionFlags(given: ReadonlyMap<string, Given>): void {
  const instead = 'the sandbox is a server of its own; leave out one of them';
  refuseBeside(given, namesOf(loginFlags), ['sandbox', 'scenario'], instead);
  refuseWithout(given, namesOf(embeddedFlags), ['sandbox', 'scenario']);
}
