import type { Given } from '../cli/args/argv.ts';
import { type Flags, namesOf } from '../cli/args/flag.ts';
import { embeddedFlags, loginFlags } from '../cli/args/shared-flags.ts';

/** A command line as it is given here. */
export interface GivenLine {
  readonly words: readonly string[];
  /** The flags, also those of the environment and of the config file, which a Pod does not have. */
  readonly given: ReadonlyMap<string, Given>;
}

/** The arguments of a container, and what of the command line is not in them. */
export interface PodArgs {
  readonly args: readonly string[];
  readonly remarks: readonly string[];
}

/** Flags that say which cluster this machine asks, as whom, and where it keeps files. */
const OF_THIS_MACHINE = new Set([
  ...namesOf(loginFlags),
  'cache-dir',
  'config',
  'sandbox',
  'scenario',
  ...namesOf(embeddedFlags),
]);

/**
 * The arguments of a container that runs `reconcile` with these words and `flags`. Each flag is one argument,
 * `--NAME=VALUE`. `set` has values that count instead of those given.
 */
export function podArgs(
  { words, given }: GivenLine,
  flags: Flags,
  set: Readonly<Record<string, string | undefined>>,
): PodArgs {
  const values = new Map<string, readonly string[]>();
  const left: string[] = [];
  for (const [name, { values: texts }] of given) {
    if (!(name in flags)) continue; // a flag of the manifest itself
    if (OF_THIS_MACHINE.has(name)) left.push(`--${name}`);
    else if (name !== 'observe') values.set(name, texts);
  }
  for (const [name, text] of Object.entries(set)) if (text !== undefined) values.set(name, [text]);
  const args = [...values].flatMap(([name, texts]) => argsOf(name, texts, flags[name]));
  const remarks = [
    ...(left.length > 0
      ? [`not in the Pod, which has the login of its service account: ${left.join(', ')} (used only here)`]
      : []),
    ...(given.has('observe') ? ['not in the Pod: --observe, which is for a run on this machine'] : []),
  ];
  return { args: ['reconcile', ...words, ...args].map(withoutReferences), remarks };
}

function argsOf(name: string, texts: readonly string[], flag: Flags[string] | undefined): string[] {
  if (flag?.type === 'boolean') return [texts.at(-1) === 'true' ? `--${name}` : `--${name}=false`];
  return (flag?.split ? [texts.join(',')] : texts).map((text) => `--${name}=${text}`);
}

/**
 * The text in which Kubernetes finds no `$(NAME)` to replace. Source: kubernetes third_party/forked/golang/expansion,
 * where `$$` is a `$`.
 */
function withoutReferences(text: string): string {
  return text.replaceAll(/\$(?=[$(])/g, '$$$$');
}
