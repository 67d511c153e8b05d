import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure } from '../../model/status.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { forbidden, missing, refuse } from '../status/statuses.ts';
import { atRevision, type StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { fromStorage } from '../types/conversion.ts';
import { copy } from '../types/copy.ts';
import { equalJson } from '../types/equal.ts';
import { orphansByDefault } from '../types/type-strategies.ts';
import type { Gate } from './gate.ts';
import { tidyMetadata } from './identity.ts';

export interface DeleteRules {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly dryRun?: boolean | undefined;
  /** The gate was asked already, about the request that leads to the deletion. */
  readonly admitted?: boolean | undefined;
}

/** The result of a delete: the object for the answer, and whether it is gone. */
export interface Deleted {
  readonly object: StoredObject;
  readonly gone: boolean;
}

/** The finalizers for the garbage collector: it acts first, then the object is removed. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
/** The finalizer that keeps a CustomResourceDefinition until its objects are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Deletes objects. An object is only marked for deletion when it has finalizers, when it is a pod with a grace period,
 * or a namespace.
 * Source: apiserver registry/rest BeforeDelete, registry/generic/registry Delete.
 */
export class Deleter {
  readonly #cluster: Cluster;

  readonly #gate: Gate | undefined;

  /** `gate` decides about each deletion. */
  constructor(cluster: Cluster, gate?: Gate) {
    this.#cluster = cluster;
    this.#gate = gate;
  }

  delete(type: ApiType, namespace: string | undefined, name: string, options: DeleteRules): Deleted {
    const current = this.#cluster.store.get(type.storage, joinKey(namespace, name)) ?? missing(type.gvr, name);
    if (type.storage === 'namespaces' && IMMORTAL.has(name))
      forbidden(type.gvr, name, 'this namespace may not be deleted');
    checkPreconditions(type, current, options);
    if (!options.admitted) this.check(type, current);
    const marked = this.#marked(type, current, options);
    if (isHeld(marked)) return this.#mark(type, current, marked, options);
    return this.#remove(type, current, marked, options);
  }

  /** Asks the gate about a deletion. It throws to refuse it. */
  check(type: ApiType, { object }: StoredObject): void {
    if (!this.#gate) return;
    const { namespace, name = '' } = object.metadata;
    const oldObject = fromStorage(type, object);
    const attempt = { operation: 'DELETE' as const, type, subresource: undefined, namespace, name, oldObject };
    this.#gate.mutate(attempt);
    this.#gate.validate(attempt);
  }

  /** The object, marked for deletion; the same object when that changes nothing. */
  #marked(type: ApiType, { object }: StoredObject, options: DeleteRules): UnknownObject {
    const now = this.#cluster.clock.now();
    const announced =
      type.storage === 'pods' ? podTimes(object, options.gracePeriodSeconds, now) : times(type, object, now);
    const finalizers = finalizersAfter(type, object, options.propagationPolicy);
    if (!announced && equalJson(finalizers, object.metadata.finalizers ?? [])) return object;
    const after: UnknownObject = copy(object);
    after.metadata = tidyMetadata({ ...after.metadata, ...announced, finalizers });
    if (type.storage === 'namespaces') after.status = { ...(after.status as object), phase: 'Terminating' };
    if (type.storage === CRDS) after.status = withCondition(after.status, PENDING, timestamp(now));
    return after;
  }

  #mark(type: ApiType, current: StoredObject, marked: UnknownObject, { dryRun }: DeleteRules): Deleted {
    if (dryRun || marked === current.object) return { object: current, gone: false };
    return { object: this.#cluster.store.put(type.storage, current.key, marked), gone: false };
  }

  /** Removes an object. A pod is first stored with its deletion mark, so that watchers see it. */
  #remove(type: ApiType, current: StoredObject, marked: UnknownObject, { dryRun }: DeleteRules): Deleted {
    const { store } = this.#cluster;
    if (dryRun) return { object: current, gone: true };
    if (type.storage === 'pods' && marked !== current.object) store.put(type.storage, current.key, marked);
    return { object: store.remove(type.storage, current.key) ?? atRevision(current, store.revision), gone: true };
  }
}

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

const PENDING = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/**
 * A status with a condition set; it replaces the condition of the same type. Its time changes only when its `status`
 * changes.
 */
export function withCondition(status: unknown, condition: Readonly<Record<string, unknown>>, now: string): object {
  const { conditions, ...rest } = (status ?? {}) as { conditions?: Record<string, unknown>[] | null };
  const before = conditions?.find((c) => c.type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before?.lastTransitionTime : now;
  const { type, status: value, ...why } = condition;
  const set = { type, status: value, lastTransitionTime, ...why };
  return {
    ...rest,
    conditions: before ? conditions?.map((c) => (c === before ? set : c)) : [...(conditions ?? []), set],
  };
}

type Times = Pick<UnknownObject['metadata'], 'generation' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'>;

/**
 * The metadata of the deletion mark; undefined when there is one. Namespaces and definitions get no grace period and no
 * new generation.
 */
function times(type: ApiType, { metadata }: UnknownObject, now: number): Times | undefined {
  if (metadata.deletionTimestamp) return undefined;
  if (type.storage === 'namespaces' || type.storage === CRDS) return { deletionTimestamp: timestamp(now) };
  return announce(metadata, 0, now);
}

function announce({ generation }: UnknownObject['metadata'], grace: number, now: number): Times {
  return {
    ...(generation ? { generation: generation + 1 } : {}),
    deletionTimestamp: timestamp(now + grace * 1000),
    deletionGracePeriodSeconds: grace,
  };
}

/** The grace period of a pod, in seconds: 0 unless it has a node. A second delete can only shorten it. */
function podTimes(pod: UnknownObject, asked: number | undefined, now: number): Times | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds: given = 0 } = pod.metadata;
  const wanted = asked !== undefined && asked < 0 ? 1 : asked;
  if (!deletionTimestamp) return announce(pod.metadata, isStopped(pod) ? 0 : (wanted ?? graceOf(pod)), now);
  if (wanted === undefined || wanted >= given) return undefined;
  return {
    deletionTimestamp: timestamp(Date.parse(deletionTimestamp) - (given - wanted) * 1000),
    deletionGracePeriodSeconds: wanted,
  };
}

function isStopped({ spec, status }: UnknownObject): boolean {
  const { phase } = (status ?? {}) as { phase?: string };
  return !(spec as { nodeName?: string } | undefined)?.nodeName || phase === 'Succeeded' || phase === 'Failed';
}

function graceOf({ spec }: UnknownObject): number {
  return Math.max(
    0,
    (spec as { terminationGracePeriodSeconds?: number } | undefined)?.terminationGracePeriodSeconds ?? 30,
  );
}

/**
 * The finalizers for a propagation policy: that of the client, else that of an earlier delete, else the default of the
 * type.
 */
function finalizersAfter(
  type: ApiType,
  { metadata }: UnknownObject,
  policy: DeleteRules['propagationPolicy'],
): string[] {
  const { finalizers = [] } = metadata;
  if (type.storage === CRDS) return finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP];
  const wanted = finalizerOf(policy ?? askedBefore(finalizers) ?? (orphansByDefault(type) ? 'Orphan' : 'Background'));
  if (wanted && finalizers.includes(wanted)) return finalizers.filter((f) => f === wanted || !isPolicy(f));
  return [...finalizers.filter((f) => !isPolicy(f)), ...(wanted ? [wanted] : [])];
}

function isPolicy(finalizer: string): boolean {
  return finalizer === FOREGROUND || finalizer === ORPHAN;
}

/** The propagation policy of an earlier delete, which its finalizer records. */
export function askedBefore(finalizers: readonly string[]): DeleteRules['propagationPolicy'] {
  return finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : undefined;
}

function checkPreconditions(type: ApiType, { object }: StoredObject, { uid, resourceVersion }: DeleteRules): void {
  const { name = '', uid: present, resourceVersion: version } = object.metadata;
  const refuseFor = (what: string, asked: string, found: string | undefined) => {
    const message = `Operation cannot be fulfilled on ${type.kind} "${name}": the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${what === 'UID' ? 'deleted and then recreated' : 'modified'}`;
    refuse(
      failure(409, 'Conflict', message, {
        name,
        kind: type.kind,
        ...(type.gvr.group === '' ? {} : { group: type.gvr.group }),
      }),
    );
  };
  if (uid && uid !== present) refuseFor('UID', uid, present);
  if (resourceVersion && resourceVersion !== version) refuseFor('ResourceVersion', resourceVersion, version);
}

function isHeld({ metadata, spec }: UnknownObject): boolean {
  if ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return true;
  return ((spec as { finalizers?: string[] } | undefined)?.finalizers?.length ?? 0) > 0;
}

function finalizerOf(policy: DeleteRules['propagationPolicy']): string | undefined {
  return policy === 'Foreground' ? FOREGROUND : policy === 'Orphan' ? ORPHAN : undefined;
}
