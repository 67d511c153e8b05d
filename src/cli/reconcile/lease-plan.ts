import { checkNamespaces } from '../../client/name-check.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { formatGroupResource, type GroupVersionResource } from '../../model/gvr.ts';
import type { ShardedKey } from '../../model/shard.ts';
import type { ElectionFlags, SharingFlags } from '../args/reconcile-flags.ts';

/** The lease of `--leader-elect`, or those of `--shards`. */
export interface LeasePlan {
  readonly name: string;
  readonly namespace: string;
  readonly leaseDurationMs: number | undefined;
  readonly renewDeadlineMs: number | undefined;
  readonly retryPeriodMs: number | undefined;
  /** How the keys are shared; undefined with `--leader-elect`. */
  readonly sharing: { readonly of: number; readonly by: ShardedKey } | undefined;
}

/** A lease is renewed until the work has ended, which has a limit of its own, ms. */
export const LEASE_DRAIN_MS = 600_000;

/** The default name and namespace of a lease. */
export interface LeaseDefaults {
  readonly hook: string;
  readonly gvr: GroupVersionResource;
  readonly isNamespaced: boolean;
  readonly namespaces: readonly string[];
  readonly current: string;
}

type LeaseFlags = ElectionFlags & SharingFlags & { readonly journal?: string | undefined };

/** The lease of the flags; undefined without `--leader-elect` and `--shards`. Throws `argument` for what cannot work. */
export function leasePlanOf(flags: LeaseFlags, defaults: LeaseDefaults): LeasePlan | undefined {
  const { 'leader-elect': isElected, shards, 'shard-by': by, ...others } = flags;
  const useless = Object.entries(others).find(
    ([name, value]) => name.startsWith('leader-elect-') && value !== undefined,
  );
  const isShared = shards !== undefined;
  if (isElected && isShared) {
    throw new InformerError('argument', '--leader-elect and --shards cannot be used together', {
      hint: 'with --shards all replicas work, each on its part: leave out --leader-elect',
    });
  }
  if (flags.journal !== undefined && isShared) {
    throw new InformerError('argument', '--journal and --shards cannot be used together', {
      hint: 'a journal is on one machine, and a key may go to a replica on another one: leave out --journal',
    });
  }
  if (by !== undefined && !isShared) {
    throw new InformerError('argument', '--shard-by does nothing without --shards', {
      hint: 'add --shards N, or leave it out',
    });
  }
  if (!isElected && !isShared && useless) {
    throw new InformerError('argument', `--${useless[0]} does nothing without --leader-elect or --shards`, {
      hint: 'add --leader-elect, or leave it out',
    });
  }
  if (!isElected && !isShared) return undefined;
  const namespace = flags['leader-elect-namespace'] ?? namespaceOf(defaults);
  checkNamespaces([namespace]);
  if (by === 'namespace') checkByNamespace(defaults);
  return {
    name: flags['leader-elect-lease-name'] ?? leaseNameOf(defaults),
    namespace,
    leaseDurationMs: flags['leader-elect-lease-duration'],
    renewDeadlineMs: flags['leader-elect-renew-deadline'],
    retryPeriodMs: flags['leader-elect-retry-period'],
    sharing: isShared ? { of: shards, by: by ?? 'uid' } : undefined,
  };
}

/** Throws `argument` where all objects would be in one shard. */
function checkByNamespace({ gvr, isNamespaced, namespaces }: LeaseDefaults): void {
  const why = !isNamespaced
    ? `${formatGroupResource(gvr)} have no namespace`
    : namespaces.length === 1 && namespaces[0] !== ''
      ? `all objects are in the namespace ${namespaces[0]}`
      : undefined;
  if (why === undefined) return;
  throw new InformerError('argument', `--shard-by namespace would give everything to one replica: ${why}`, {
    hint: 'leave out --shard-by: then the uid of an object decides',
  });
}

/** The only namespace of the objects, else that of the context. */
function namespaceOf({ namespaces: [only = '', ...more], current }: LeaseDefaults): string {
  return more.length === 0 && only !== '' ? only : current;
}

/** `reconcile-label.ts-deployments.apps`: the same for each process with this hook and this type. */
function leaseNameOf({ hook, gvr: { group, resource } }: LeaseDefaults): string {
  const text = ['reconcile', hook, group === '' ? resource : `${resource}.${group}`].join('-').toLowerCase();
  return text
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/-*\.[-.]*/g, '.')
    .slice(-200)
    .replaceAll(/^[-.]+|[-.]+$/g, '');
}

const FLAG_OF: Readonly<Record<string, string>> = {
  leaseDurationMs: '--leader-elect-lease-duration',
  renewDeadlineMs: '--leader-elect-renew-deadline',
  retryPeriodMs: '--leader-elect-retry-period',
  namespace: '--leader-elect-namespace',
  name: '--leader-elect-lease-name',
};

/** Names flags where an error of the library names options. */
export function inFlags<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!isInformerError(error, 'argument')) throw error;
    const text = error.message
      .replace(/^(LeaderElector|ShardElector|shard): /, '')
      .replace(/^of must/, '--shards must')
      .replaceAll(/\((\d+)\)/g, (_, ms) => `(${ms}ms)`);
    const message = text.replaceAll(/\b\w+\b/g, (word) => FLAG_OF[word] ?? word);
    throw new InformerError('argument', message, { cause: error.cause });
  }
}
