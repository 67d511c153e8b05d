import { InformerError } from '../../kit/error.ts';
import { nearest } from '../../kit/nearest.ts';
import { compareText } from '../../kit/text-order.ts';
import type { Io } from '../terminal/io.ts';
import type { ConnectionFlagValues } from './load-options.ts';
import type { OwnVariables } from './stream-filters.ts';

/** The flags of a command that takes several clusters. */
export type ClusterFlagValues = ConnectionFlagValues & { readonly 'all-contexts': boolean };

/** Whether the flags ask for several clusters: by a list of contexts, or by all of the kubeconfig. */
export function asksForClusters(flags: ClusterFlagValues): boolean {
  return flags['all-contexts'] || (flags.context?.includes(',') ?? false);
}

/** The variables that expressions over events of several clusters have beside the usual ones. */
export const clusterVariables = (flags: ClusterFlagValues): OwnVariables['variables'] =>
  asksForClusters(flags) ? { cluster: 'string' } : {};

/** Flags that say where one cluster is. With them every context would lead to the same server. */
const ONE_SERVER = ['server', 'cluster', 'tls-server-name', 'certificate-authority'] as const;
/** Flags that say who one user is. Credentials of one cluster must not be sent to another. */
const ONE_USER = ['user', 'token', 'username', 'password', 'client-certificate', 'client-key'] as const;

/**
 * Refuses flags that make no sense beside several contexts. Throws `argument`. Impersonation, the limits of requests
 * and `--insecure-skip-tls-verify` hold for every cluster.
 */
export function checkClusterFlags(flags: ClusterFlagValues): void {
  const several = flags['all-contexts'] ? '--all-contexts' : '--context with several names';
  const refuse = (name: string, why: string) => {
    throw new InformerError('argument', `--${name} cannot be used with ${several}`, { hint: why });
  };
  if (flags['all-contexts'] && flags.context !== undefined)
    refuse('context', 'leave out one of them: --all-contexts takes every context of the kubeconfig');
  if (flags.sandbox || flags.scenario !== undefined)
    refuse(flags.sandbox ? 'sandbox' : 'scenario', 'the sandbox is one server of its own; leave out one of them');
  for (const name of ONE_SERVER)
    if (flags[name] !== undefined)
      refuse(name, 'it says where one cluster is, and each context has its own; name one context, or leave it out');
  for (const name of ONE_USER)
    if (flags[name] !== undefined)
      refuse(name, 'the login of one cluster is not sent to others, and each context has its own user');
}

/**
 * The names of the contexts that the flags ask for, each once, in the order of their names. Rejects with `config` for a
 * context that the kubeconfig does not have, and where there is no context at all.
 */
export async function contextsOf(flags: ClusterFlagValues, { env }: Io): Promise<string[]> {
  const { listContexts } = await import('../../client/kubeconfig.ts'); // the answer of a serve needs none of it
  const { names: known } = await listContexts({ kubeconfig: flags.kubeconfig, env });
  if (known.length === 0)
    throw new InformerError('config', 'there are no contexts in the kubeconfig', {
      hint: 'name another file with --kubeconfig or KUBECONFIG; --server URL connects to one cluster without a context',
    });
  if (flags['all-contexts']) return known.toSorted(compareText);
  const text = flags.context ?? '';
  if (known.includes(text)) return [text]; // a name may have a comma
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (names.includes(''))
    throw new InformerError('argument', `invalid argument ${JSON.stringify(text)} for "--context": a name is empty`, {
      hint: 'contexts are joined by commas without blanks: --context a,b',
    });
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw unknownContexts(unknown, known);
  return names.toSorted(compareText);
}

/** The contexts that an error lists, at most. */
const MOST_LISTED = 20;

function unknownContexts(unknown: readonly string[], known: readonly string[]): InformerError {
  const quoted = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');
  const near = unknown.flatMap((name) => nearest(name, known, 1));
  const meant = near.length > 0 ? `did you mean ${quoted([...new Set(near)])}? ` : '';
  const more = known.length > MOST_LISTED ? ` and ${known.length - MOST_LISTED} more` : '';
  const [what, verb] = unknown.length > 1 ? ['contexts', 'do'] : ['context', 'does'];
  return new InformerError('config', `${what} ${quoted(unknown)} ${verb} not exist`, {
    hint: `${meant}The contexts are ${known.slice(0, MOST_LISTED).join(', ')}${more}`,
  });
}
