import type { Access } from '../hooks/access/request-access.ts';
import type { ActionMode } from '../hooks/actions/action-client.ts';

/** The rights of a Pod, and what may be missing in them. */
export interface Rights {
  readonly access: readonly Access[];
  readonly remarks: readonly string[];
}

const READS = new Set(['get', 'list', 'watch']);

/**
 * The rights that the flags need, and those that a run was observed to need. Where the Pod sends no writes, those that
 * were observed are left out.
 */
export function rightsOf(
  needed: readonly Access[],
  observed: readonly Access[] | undefined,
  { mode, isEverywhere }: { mode: ActionMode; isEverywhere: boolean },
): Rights {
  if (mode === 'describe') {
    const reads = (observed ?? []).filter(({ verb }) => READS.has(verb));
    return {
      access: [...needed, ...reads],
      remarks: ['without --allow-write the hook writes nothing in the cluster: its actions are shown in the log'],
    };
  }
  if (observed === undefined)
    return {
      access: needed,
      remarks: [
        'the roles do not allow what the hook asks for, because it is known only at run time: its actions will be forbidden. ' +
          'Run it here once with --allow-write --observe FILE, then add --observed FILE',
      ],
    };
  const places = [...new Set(observed.flatMap(({ verb, namespace }) => (READS.has(verb) ? [] : (namespace ?? []))))];
  return {
    access: [...needed, ...observed],
    remarks:
      isEverywhere && places.length > 0
        ? [
            `writes were observed only in ${places.sort().join(', ')}: with -A those in other namespaces will be forbidden`,
          ]
        : [],
  };
}
