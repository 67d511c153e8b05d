import type { ResourceType } from '../../model/resource-type.ts';
import type { LeasePlan } from './lease-plan.ts';
import type { Access } from './request-access.ts';

/** What of a configuration needs access to the cluster. */
export interface Configured {
  readonly primary: ResourceType;
  /** The types of --owns, --watches and --with. */
  readonly others: readonly ResourceType[];
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** Whether a finalizer is added and removed. */
  readonly hasFinalizer: boolean;
  /** Whether there is a journal, which reads the reconciled objects at the start. */
  readonly hasJournal: boolean;
  /** The Leases of --leader-elect or --shards. */
  readonly lease?: Pick<LeasePlan, 'namespace' | 'shards'> | undefined;
}

/** What the program needs to be allowed before it knows any action of the hook. */
export function neededAccess(configured: Configured): Access[] {
  const { primary, others, namespaces, hasFinalizer, hasJournal, lease } = configured;
  const forPrimary = [...(hasJournal ? ['get'] : []), ...READ, ...(hasFinalizer ? ['patch'] : [])];
  return [
    ...accessTo(primary, forPrimary, namespaces),
    ...others.flatMap((type) => accessTo(type, READ, namespaces)),
    ...(lease ? accessTo(LEASES, lease.shards ? SHARING : ELECTION, [lease.namespace]) : []),
  ];
}

/** What a leader election does with Leases. */
const ELECTION = ['get', 'create', 'update'];
/** What replicas that share shards do with Leases. */
const SHARING = [...ELECTION, 'list', 'watch', 'delete'];
const LEASES = { gvr: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' }, namespaced: true };

/** An informer lists, then watches. */
const READ = ['list', 'watch'];

function accessTo(
  { gvr, namespaced }: Pick<ResourceType, 'gvr' | 'namespaced'>,
  verbs: readonly string[],
  namespaces: readonly string[],
): Access[] {
  const { group, resource } = gvr;
  const places = namespaced && !namespaces.includes('') ? namespaces : [undefined];
  return places.flatMap((namespace) =>
    verbs.map((verb) => ({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) })),
  );
}
