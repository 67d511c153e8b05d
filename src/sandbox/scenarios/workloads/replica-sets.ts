import type { ObjectKey } from '../../../model/key.ts';
import { type Actor, keyOfMeta, keyOfOwner } from './actor.ts';
import type { ScenarioEvents } from './events.ts';
import { WorkloadReconciler } from './reconciler.ts';
import { controllerUid, isActive, isReady, type Pod, type ReplicaSet } from './workload-types.ts';

const COMPONENT = 'replicaset-controller';

/** Keeps the wanted number of pods of each replica set. Source of the rules: kubernetes/pkg/controller/replicaset. */
export class ReplicaSetController {
  readonly #actor: Actor;
  readonly #events: ScenarioEvents;
  readonly #queue: WorkloadReconciler;

  constructor(actor: Actor, events: ScenarioEvents) {
    this.#actor = actor;
    this.#events = events;
    this.#queue = new WorkloadReconciler(actor, (key) => this.#reconcile(key));
    actor.onChange('ReplicaSet', (_event, metadata) => this.#queue.enqueue(keyOfMeta(metadata)));
    actor.onChange('Pod', (_event, metadata) => {
      const owner = keyOfOwner(metadata, 'ReplicaSet');
      if (owner !== undefined) this.#queue.enqueue(owner);
    });
  }

  #reconcile(key: ObjectKey): void {
    const set = this.#actor.get('ReplicaSet', key);
    if (!set) return;
    const { namespace, uid } = set.metadata;
    const pods = this.#actor.list('Pod', namespace).filter((p) => controllerUid(p.metadata) === uid && isActive(p));
    if (!set.metadata.deletionTimestamp) {
      for (let missing = set.spec.replicas - pods.length; missing > 0; missing--) this.#create(set);
      for (const pod of surplus(pods, set.spec.replicas)) this.#delete(set, pod);
    }
    this.#report(set, pods);
  }

  #create(set: ReplicaSet): void {
    const { metadata, spec } = set.spec.template;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        generateName: `${set.metadata.name}-`,
        ...(set.metadata.namespace ? { namespace: set.metadata.namespace } : {}),
        ownerReferences: [controllerReference(set)],
      },
      spec,
    };
    const created = this.#actor.create(pod, 'kube-controller-manager');
    if (created)
      this.#events.record(set, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`, COMPONENT);
  }

  #delete(set: ReplicaSet, { metadata }: Pod): void {
    this.#actor.delete('Pod', metadata);
    this.#events.record(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${metadata.name}`, COMPONENT);
  }

  #report(set: ReplicaSet, pods: readonly Pod[]): void {
    const status = setStatus(pods.length, pods.filter(isReady).length, set.metadata.generation);
    this.#actor.updateStatus({ ...set, status } as ReplicaSet, 'kube-controller-manager');
  }
}

function setStatus(replicas: number, ready: number, generation: number | undefined): ReplicaSet['status'] {
  return {
    replicas,
    ...(replicas > 0 ? { fullyLabeledReplicas: replicas } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    observedGeneration: generation,
  };
}

/** The status of a replica set whose pods are all ready. */
export function settledSetStatus(replicas: number): ReplicaSet['status'] {
  return setStatus(replicas, replicas, 1);
}

/** The pods to delete: first those that are not ready, then the youngest. */
function surplus(pods: readonly Pod[], wanted: number): Pod[] {
  const rank = (pod: Pod) => `${isReady(pod) ? 1 : 0}`;
  const youngestFirst = (a: Pod, b: Pod) =>
    (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1;
  const ordered = [...pods].sort((a, b) => (rank(a) === rank(b) ? youngestFirst(a, b) : rank(a) < rank(b) ? -1 : 1));
  return ordered.slice(0, Math.max(0, pods.length - wanted));
}

/** The owner reference from an object to its controller. */
export function controllerReference({
  apiVersion,
  kind,
  metadata,
}: {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; uid?: string };
}) {
  return {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}
