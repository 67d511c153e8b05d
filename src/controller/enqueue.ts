import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { parseGroupVersion } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import { joinKey } from '../model/key.ts';
import type { DeepReadonly, OwnerReference } from '../model/object.ts';
import { LOW_PRIORITY } from '../workqueue/work-queue.ts';
import type { CachedObject, ResourceEvent } from './resource-event.ts';
import { isResync } from './resource-event.ts';

/** Which keys an event concerns. Each at most once. Source: controller-runtime pkg/handler. */
export type Enqueuer = (event: ResourceEvent) => Iterable<ObjectKey>;

/** The object itself; of a deletion whose last state is not known, the key alone is enough. */
export function enqueueSelf(): Enqueuer {
  return ({ key }) => [key];
}

export interface OwnerType {
  /** '' for the core group. The version does not matter: an owner may be referred to by any. */
  group: string;
  kind: string;
  /** Default true. A cluster-scoped owner's key has no namespace. */
  namespaced?: boolean | undefined;
  /** Only the owner marked as the controller. Default false. */
  onlyController?: boolean | undefined;
}

const KNOWN_OWNER_TYPE = {
  group: 'text',
  kind: 'text',
  namespaced: 'boolean',
  onlyController: 'boolean',
} satisfies KnownOptionsOf<OwnerType>;

/** The owners of the given type; of an update, those of the old and of the new state. */
export function enqueueOwner(type: OwnerType): Enqueuer {
  checkOptions('enqueueOwner', type, KNOWN_OWNER_TYPE);
  const { group, kind, namespaced = true, onlyController = false } = type;
  const isOwner = (ref: DeepReadonly<OwnerReference>) =>
    ref.kind === kind && groupOf(ref.apiVersion) === group && (!onlyController || ref.controller === true);
  return (event) => {
    const keys = new Set<ObjectKey>();
    for (const object of statesOf(event)) {
      for (const ref of object.metadata.ownerReferences ?? []) {
        if (isOwner(ref)) keys.add(joinKey(namespaced ? object.metadata.namespace : undefined, ref.name));
      }
    }
    return keys;
  };
}

/** What a function says of the object; of an update, what it says of the old and of the new state. What it throws reaches the source. */
export function enqueueMapped(map: (object: CachedObject, event: ResourceEvent) => Iterable<ObjectKey>): Enqueuer {
  return (event) => {
    const keys = new Set<ObjectKey>();
    for (const object of statesOf(event)) for (const key of map(object, event)) keys.add(key);
    return keys;
  };
}

/** Initial and resync events give way to changes. Source: controller-runtime pkg/handler/eventhandler.go. */
export function priorityOf(event: ResourceEvent): number {
  if (event.type === 'added' && event.cause === 'initial') return LOW_PRIORITY;
  return isResync(event) ? LOW_PRIORITY : 0;
}

function statesOf({ oldObject, object }: ResourceEvent): CachedObject[] {
  return [oldObject, object].filter((state) => state !== undefined);
}

/** The group of an apiVersion; undefined for one that cannot be read, which then matches nothing. */
function groupOf(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? undefined : parseGroupVersion(apiVersion).group;
}
