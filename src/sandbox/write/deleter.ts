import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { ApiType } from '../discovery/api-type.ts';
import { forbidden, missing, refuse } from '../http/statuses.ts';
import { atRevision, type StoredObject } from '../store/stored-object.ts';
import { copy } from './copy.ts';
import { tidyMetadata } from './identity.ts';

export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What a delete did: the object as the answer shows it, and whether it is gone. */
export interface Deleted {
  readonly object: StoredObject;
  readonly gone: boolean;
}

/** Finalizers by which a client asks the garbage collector to act before the object goes. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
/** Holds a CustomResourceDefinition until its objects are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/**
 * Deletes objects: at once, or marked when finalizers hold them, a pod must wind down, or a namespace must be emptied.
 * Source: apiserver registry/rest BeforeDelete, registry/generic/registry Delete.
 */
export class Deleter {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  delete(type: ApiType, namespace: string | undefined, name: string, options: DeleteOptions): Deleted {
    const current = this.#cluster.store.get(type.storage, joinKey(namespace, name)) ?? missing(type.gvr, name);
    checkPreconditions(type, current, options);
    if (type.storage === 'namespaces' && IMMORTAL.has(name)) forbidden(type.gvr, name, 'this namespace may not be deleted');
    const marked = this.#marked(type, current, options);
    if (isHeld(marked)) return this.#mark(type, current, marked, options);
    return this.#remove(type, current, marked, options);
  }

  /** The object with its deletion announced. */
  #marked(type: ApiType, { object }: StoredObject, options: DeleteOptions): UnknownObject {
    const grace = type.storage === 'pods' ? podGrace(object, options.gracePeriodSeconds) : 0;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
    if (deletionTimestamp && grace >= deletionGracePeriodSeconds) return object;
    const { generation, finalizers = [] } = object.metadata;
    const wanted = type.kind === 'CustomResourceDefinition' ? CLEANUP : finalizerOf(options.propagationPolicy);
    const after: UnknownObject = copy(object);
    after.metadata = tidyMetadata({
      ...after.metadata,
      ...(generation ? { generation: generation + (deletionTimestamp ? 0 : 1) } : {}),
      deletionTimestamp: timestamp(this.#cluster.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
      ...(wanted && !finalizers.includes(wanted) ? { finalizers: [...finalizers, wanted] } : {}),
    });
    if (type.storage === 'namespaces') after.status = { ...(after.status as object), phase: 'Terminating' };
    return after;
  }

  #mark(type: ApiType, current: StoredObject, marked: UnknownObject, { dryRun }: DeleteOptions): Deleted {
    if (dryRun || marked === current.object) return { object: current, gone: false };
    return { object: this.#cluster.store.put(type.storage, current.key, marked), gone: false };
  }

  /** A pod shows its deletion before it goes; everything else just goes. */
  #remove(type: ApiType, current: StoredObject, marked: UnknownObject, { dryRun }: DeleteOptions): Deleted {
    const { store } = this.#cluster;
    if (dryRun) return { object: current, gone: true };
    if (type.storage === 'pods' && marked !== current.object) store.put(type.storage, current.key, marked);
    return { object: store.remove(type.storage, current.key) ?? atRevision(current, store.revision), gone: true };
  }
}

function checkPreconditions(type: ApiType, { object }: StoredObject, { uid, resourceVersion }: DeleteOptions): void {
  const { name = '', uid: present, resourceVersion: version } = object.metadata;
  const refuseFor = (what: string, asked: string, found: string | undefined) => {
    const message = `Operation cannot be fulfilled on ${type.kind} "${name}": the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${what === 'UID' ? 'deleted and then recreated' : 'modified'}`;
    refuse(failure(409, 'Conflict', message, { name, kind: type.kind, ...(type.gvr.group === '' ? {} : { group: type.gvr.group }) }));
  };
  if (uid && uid !== present) refuseFor('UID', uid, present);
  if (resourceVersion && resourceVersion !== version) refuseFor('ResourceVersion', resourceVersion, version);
}

function isHeld({ metadata, spec }: UnknownObject): boolean {
  if ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return true;
  return ((spec as { finalizers?: string[] } | undefined)?.finalizers?.length ?? 0) > 0;
}

/** Seconds a pod gets to wind down: none unless a node runs it. */
function podGrace({ spec, status }: UnknownObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 30 } = (spec ?? {}) as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const { phase } = (status ?? {}) as { phase?: string };
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return Math.max(0, asked ?? terminationGracePeriodSeconds);
}

function finalizerOf(policy: DeleteOptions['propagationPolicy']): string | undefined {
  return policy === 'Foreground' ? FOREGROUND : policy === 'Orphan' ? ORPHAN : undefined;
}
