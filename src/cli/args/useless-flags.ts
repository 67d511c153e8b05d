import { InformerError } from '../../kit/error.ts';
import type { Given } from './argv.ts';
import { namesOf } from './flag.ts';
import { embeddedFlags, loginFlags } from './shared-flags.ts';

/** Flags on the command line: what the environment or a file sets for all commands is left alone. */
export function isTyped(given: ReadonlyMap<string, Given>, name: string): boolean {
  const flag = given.get(name);
  return flag?.origin === 'flag' && flag.values.at(-1) !== 'false';
}

const refuse = (message: string, hint: string): never => {
  throw new InformerError('argument', message, { hint });
};

/** Refuses `first` beside `second`, which leaves it nothing to do. Throws `argument`. */
export function refuseBeside(
  given: ReadonlyMap<string, Given>,
  first: readonly string[],
  second: readonly string[],
  why: string,
): void {
  const useless = first.find((name) => isTyped(given, name));
  const beside = second.find((name) => isTyped(given, name));
  if (useless !== undefined && beside !== undefined) refuse(`--${useless} does nothing beside --${beside}`, why);
}

/** Refuses `first` where neither of `second` is given. Throws `argument`. */
export function refuseWithout(
  given: ReadonlyMap<string, Given>,
  first: readonly string[],
  second: readonly string[],
): void {
  const useless = first.find((name) => isTyped(given, name));
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
