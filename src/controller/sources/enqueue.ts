import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { parseGroupVersion } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import { joinKey } from '../../model/key.ts';
import type { DeepReadonly, KubeObject, OwnerReference, UnknownObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import { LOW_PRIORITY } from '../../workqueue/work-queue.ts';
import type { CachedObject, ResourceEvent } from '../resource-event.ts';
import { isResync } from '../resource-event.ts';

/** Maps an event to the keys to queue, each at most once. Source: controller-runtime pkg/handler. */
export type Enqueuer<T = UnknownObject> = (event: ResourceEvent<T>) => Iterable<ObjectKey>;

/** Queues the object itself. It needs only the key, so it works for a deletion whose last state is not known. */
export function enqueueSelf<T = KubeObject>(): Enqueuer<T> {
  return ({ key }) => [key];
}

/** The type of the owners to queue. */
export interface OwnerType {
  /** The API group, '' for the core group. References in every version match. */
  group: string;
  kind: string;
  /**
   * Whether the type is namespaced. The key of a cluster-scoped owner has no namespace. It counts only where the source
   * cannot ask the server. Default true.
   */
  namespaced?: boolean | undefined;
  /** Whether only the owner that is the controller counts. Default false. */
  onlyController?: boolean | undefined;
}

const KNOWN_OWNER_TYPE = {
  group: 'text',
  kind: 'text',
  namespaced: 'boolean',
  onlyController: 'boolean',
} satisfies KnownOptionsOf<OwnerType>;

/** The types of the enqueuers of owners. */
const ownerTypes = new WeakMap<object, OwnerType>();

/** The type whose owners an enqueuer queues; undefined for one that {@link enqueueOwner} did not make. */
export function ownerTypeOf(enqueue: object | undefined): OwnerType | undefined {
  return enqueue && ownerTypes.get(enqueue);
}

/**
 * Queues the owners of the given type. For an update these are the owners in the old and in the new state. A source
 * over an informer of a client asks the server for the type: a kind that is not served is named, and delays its start.
 */
export function enqueueOwner(type: OwnerType): Enqueuer<KubeObject> {
  checkOptions('enqueueOwner', type, KNOWN_OWNER_TYPE);
  const { group, kind, namespaced = true, onlyController = false } = type;
  checkArgument('enqueueOwner', 'group', group, 'text');
  checkArgument('enqueueOwner', 'kind', kind, 'text');
  const isOwner = (ref: DeepReadonly<OwnerReference>) =>
    ref.kind === kind && ownerGroupOf(ref.apiVersion) === group && (!onlyController || ref.controller === true);
  const enqueue: Enqueuer<KubeObject> = (event) => {
    const keys = new Set<ObjectKey>();
    for (const object of statesOf(event)) {
      for (const ref of ownerReferencesOf(object)) {
        if (isOwner(ref)) keys.add(joinKey(namespaced ? object.metadata.namespace : undefined, ref.name));
      }
    }
    return keys;
  };
  ownerTypes.set(enqueue, { ...type });
  return enqueue;
}

/**
 * Queues the keys that a function returns for the object. For an update it is called with the old and with the new
 * state. An error that it throws reaches the source.
 */
export function enqueueMapped<T = UnknownObject>(
  map: (object: CachedObject<T>, event: ResourceEvent<T>) => Iterable<ObjectKey>,
): Enqueuer<T> {
  checkArgument('enqueueMapped', 'map', map, 'function');
  return (event) => {
    const keys = new Set<ObjectKey>();
    for (const object of statesOf(event)) for (const key of map(object, event)) keys.add(key);
    return keys;
  };
}

/**
 * The priority of an event: low for initial and resync events. Source: controller-runtime pkg/handler/eventhandler.go.
 */
export function priorityOf(event: ResourceEvent): number {
  if (event.type === 'added' && event.cause === 'initial') return LOW_PRIORITY;
  return isResync(event) ? LOW_PRIORITY : 0;
}

function statesOf<T>({ oldObject, object }: ResourceEvent<T>): CachedObject<T>[] {
  return [oldObject, object].filter((state) => state !== undefined);
}

/** The group of an apiVersion; undefined for an invalid one, which then matches nothing. */
export function ownerGroupOf(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? undefined : parseGroupVersion(apiVersion).group;
}
