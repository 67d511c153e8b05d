import type { ResourceVersion } from '../../model/resource-version.ts';

/** The state of one source as an earlier run of a program left it: its objects, complete at a version. */
export interface StoredState<T> {
  /** As they were in the cache: after the transform, which is not called again. */
  readonly objects: readonly T[];
  /** Every change up to this version is in `objects`. */
  readonly resourceVersion: ResourceVersion;
  /** When the state was last known to be current, wall-clock ms. */
  readonly at: number;
}

/** Whether a watch can begin at the version of a state. Version "0" is any version, and '' is none. */
export function isResumable({ resourceVersion }: Pick<StoredState<unknown>, 'resourceVersion'>): boolean {
  return resourceVersion !== '' && resourceVersion !== '0';
}
