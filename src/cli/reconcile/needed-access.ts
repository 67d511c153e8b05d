import type { ResourceType } from '../../model/resource-type.ts';
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
}

/** What the program needs to be allowed before it knows any action of the hook. */
export function neededAccess({ primary, others, namespaces, hasFinalizer, hasJournal }: Configured): Access[] {
  const forPrimary = [...(hasJournal ? ['get'] : []), ...READ, ...(hasFinalizer ? ['patch'] : [])];
  return [...accessTo(primary, forPrimary, namespaces), ...others.flatMap((type) => accessTo(type, READ, namespaces))];
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
