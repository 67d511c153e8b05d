import type { Access } from '../../hooks/access/request-access.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { LeasePlan } from './lease-plan.ts';

/** The parts of a configuration that need access to the cluster. */
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
  /** The Leases that decide which process works. */
  readonly lease?: LeasePlan | undefined;
}

/** The access that the program needs before it knows any action of the hook. */
export function neededAccess(configured: Configured): Access[] {
  const { primary, others, namespaces, hasFinalizer, hasJournal, lease } = configured;
  const forPrimary = [...(hasJournal ? ['get'] : []), ...READ, ...(hasFinalizer ? ['patch'] : [])];
  return [
    ...accessTo(primary, forPrimary, namespaces),
    ...others.flatMap((type) => accessTo(type, READ, namespaces)),
    ...(lease ? accessToLeases(lease) : []),
  ];
}

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };
/** The verbs that replicas which share the keys need for Leases, whose names are known only at run time. */
const SHARING = ['get', 'list', 'watch', 'create', 'update', 'delete'];

/** An election reads and writes one Lease. RBAC cannot allow to create objects of one name only. */
export function accessToLeases({ namespace, name, sharing }: LeasePlan): Access[] {
  if (sharing) return SHARING.map((verb) => ({ ...LEASES, verb, namespace }));
  return [
    { ...LEASES, verb: 'create', namespace },
    ...['get', 'update'].map((verb) => ({ ...LEASES, verb, namespace, name })),
  ];
}

/** An informer lists, then watches. */
const READ = ['list', 'watch'];

function accessTo(
  { gvr, namespaced }: ResourceType,
  verbs: readonly string[],
  namespaces: readonly string[],
): Access[] {
  const { group, resource } = gvr;
  const places = namespaced && !namespaces.includes('') ? namespaces : [undefined];
  return places.flatMap((namespace) =>
    verbs.map((verb) => ({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) })),
  );
}
