import type { ObjectKey } from '../../../model/key.ts';
import { type Actor, keyOfMeta, keyOfOwner } from './actor.ts';
import type { ScenarioEvents } from './events.ts';
import { WorkloadReconciler } from './reconciler.ts';
import { controllerReference } from './replica-sets.ts';
import { templateHash } from './template-hash.ts';
import { controllerUid, type Deployment, type PodCondition, type ReplicaSet } from './workload-types.ts';

const COMPONENT = 'deployment-controller';
const MANAGER = 'kube-controller-manager';
const HASH_LABEL = 'pod-template-hash';

/** The annotation with the number of a deployment's release. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** The annotation with the earlier revisions of a replica set, which a rollback adds. */
const HISTORY = 'deployment.kubernetes.io/revision-history';
/** Annotations of a deployment that its replica sets do not get. */
const OWN = new Set([
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  HISTORY,
]);

/** Rolls deployments out: one replica set for each template, scaled up and down within the limits of the strategy. */
export class DeploymentController {
  readonly #actor: Actor;
  readonly #events: ScenarioEvents;
  readonly #queue: WorkloadReconciler;

  constructor(actor: Actor, events: ScenarioEvents) {
    this.#actor = actor;
    this.#events = events;
    this.#queue = new WorkloadReconciler(actor, (key) => this.#reconcile(key));
    actor.onChange('Deployment', (_event, metadata) => this.#queue.enqueue(keyOfMeta(metadata)));
    actor.onChange('ReplicaSet', (_event, metadata) => {
      const owner = keyOfOwner(metadata, 'Deployment');
      if (owner !== undefined) this.#queue.enqueue(owner);
    });
  }

  #reconcile(key: ObjectKey): void {
    const deployment = this.#actor.get('Deployment', key);
    if (!deployment || deployment.metadata.deletionTimestamp) return;
    const sets = this.#setsOf(deployment);
    const hash = templateHash(deployment.spec.template);
    const current = sets.find((s) => s.metadata.labels?.[HASH_LABEL] === hash);
    if (!current) {
      this.#createSet(deployment, sets, hash);
      return;
    }
    const old = sets.filter((s) => s !== current);
    if (this.#annotate(deployment, current, old)) return; // the change causes another call
    if (!deployment.spec.paused) this.#roll(deployment, current, old);
    this.#trimHistory(deployment, old);
    this.#report(deployment, current, sets);
  }

  #setsOf({ metadata }: Deployment): ReplicaSet[] {
    return this.#actor.list('ReplicaSet', metadata.namespace).filter((s) => controllerUid(s.metadata) === metadata.uid);
  }

  #createSet(deployment: Deployment, sets: readonly ReplicaSet[], hash: string): void {
    const { desired, maxTotal } = boundsOf(deployment);
    const running = sets.reduce((sum, s) => sum + s.spec.replicas, 0);
    const replicas = sets.length === 0 ? desired : Math.max(0, Math.min(desired, maxTotal - running));
    const set = replicaSetOf(deployment, hash, replicas, nextRevision(sets));
    if (this.#actor.create(set, MANAGER) && replicas > 0)
      this.#announce(deployment, 'up', set.metadata.name ?? '', 0, replicas);
  }

  /**
   * Gives the replica set of the present template the deployment's annotations and the newest revision, also after a
   * rollback. Returns whether it changed the set. Source: kubernetes/pkg/controller/deployment/util
   * SetNewReplicaSetAnnotations.
   */
  #annotate(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): boolean {
    const before = current.metadata.annotations ?? {};
    const newest = nextRevision(old);
    const isNewest = revisionOf(current) >= newest;
    const history = [before[HISTORY], before[REVISION]].filter((r) => r !== undefined).join(',');
    const annotations = {
      ...before,
      ...ownAnnotations(deployment),
      ...(isNewest ? {} : { [REVISION]: String(newest), [HISTORY]: history }),
    };
    if (Object.entries(annotations).every(([name, value]) => before[name] === value)) return false;
    this.#actor.update({ ...current, metadata: { ...current.metadata, annotations } } as ReplicaSet, MANAGER);
    return true;
  }

  /** Source: kubernetes/pkg/controller/deployment/rolling.go. */
  #roll(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): void {
    const { desired, maxTotal, minAvailable } = boundsOf(deployment);
    const recreate = deployment.spec.strategy?.type === 'Recreate';
    const oldTotal = old.reduce((sum, s) => sum + s.spec.replicas, 0);
    const room = recreate
      ? old.some((s) => s.status.replicas > 0)
        ? 0
        : desired
      : maxTotal - oldTotal - current.spec.replicas;
    const target =
      current.spec.replicas > desired ? desired : Math.min(desired, current.spec.replicas + Math.max(0, room));
    this.#scale(deployment, current, target);
    const unready = Math.max(0, target - (current.status.availableReplicas ?? 0));
    let spare = recreate ? oldTotal : oldTotal + target - minAvailable - unready;
    for (const set of old) {
      const less = Math.min(set.spec.replicas, Math.max(0, spare));
      spare -= less;
      this.#scale(deployment, set, set.spec.replicas - less);
    }
  }

  #scale(deployment: Deployment, set: ReplicaSet, replicas: number): void {
    const { replicas: before } = set.spec;
    if (replicas === before) return;
    this.#actor.update({ ...set, spec: { ...set.spec, replicas } } as ReplicaSet, MANAGER);
    this.#announce(deployment, replicas > before ? 'up' : 'down', set.metadata.name ?? '', before, replicas);
  }

  #announce(deployment: Deployment, way: 'up' | 'down', name: string, from: number, to: number): void {
    this.#events.record(
      deployment,
      'Normal',
      'ScalingReplicaSet',
      `Scaled ${way} replica set ${name} from ${from} to ${to}`,
      COMPONENT,
    );
  }

  #trimHistory({ spec }: Deployment, old: readonly ReplicaSet[]): void {
    const done = old
      .filter((s) => s.spec.replicas === 0 && s.status.replicas === 0)
      .sort((a, b) => revisionOf(a) - revisionOf(b));
    for (const set of done.slice(0, Math.max(0, done.length - (spec.revisionHistoryLimit ?? 10))))
      this.#actor.delete('ReplicaSet', set.metadata);
  }

  #report(deployment: Deployment, current: ReplicaSet, sets: readonly ReplicaSet[]): void {
    const fresh = this.#actor.get('Deployment', keyOfMeta(deployment.metadata));
    if (!fresh) return;
    const revision = String(revisionOf(current));
    if (fresh.metadata.annotations?.[REVISION] !== revision) {
      fresh.metadata.annotations = { ...fresh.metadata.annotations, [REVISION]: revision };
      this.#actor.update(fresh, MANAGER);
    }
    const status = statusOf(fresh, current, sets, this.#actor.timestamp);
    this.#actor.updateStatus({ ...fresh, metadata: withoutVersion(fresh), status } as Deployment, MANAGER);
  }
}

function withoutVersion({ metadata }: Deployment): Deployment['metadata'] {
  const { resourceVersion: _version, ...rest } = metadata;
  return rest;
}

function ownAnnotations({ metadata }: Deployment): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !OWN.has(name)));
}

/** The replica set of a deployment's present template. */
export function replicaSetOf(deployment: Deployment, hash: string, replicas: number, revision: number): ReplicaSet {
  const { metadata, spec } = deployment;
  const labels = { ...spec.template.metadata.labels, [HASH_LABEL]: hash };
  const { maxTotal } = boundsOf(deployment);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels,
      annotations: {
        ...ownAnnotations(deployment),
        'deployment.kubernetes.io/desired-replicas': String(spec.replicas),
        'deployment.kubernetes.io/max-replicas': String(maxTotal),
        [REVISION]: String(revision),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { metadata: { ...spec.template.metadata, labels }, spec: spec.template.spec },
    },
    status: { replicas: 0 },
  };
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

function nextRevision(sets: readonly ReplicaSet[]): number {
  return 1 + Math.max(0, ...sets.map(revisionOf));
}

function boundsOf({ spec }: Deployment): { desired: number; maxTotal: number; minAvailable: number } {
  const desired = spec.replicas;
  const { maxSurge = '25%', maxUnavailable = '25%' } = spec.strategy?.rollingUpdate ?? {};
  const surge = amount(maxSurge, desired, Math.ceil);
  const unavailable = amount(maxUnavailable, desired, Math.floor);
  return {
    desired,
    maxTotal: desired + surge,
    minAvailable: desired - (surge === 0 && unavailable === 0 ? 1 : unavailable),
  };
}

function amount(value: number | string, of: number, round: (n: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) / 100) * of);
}

/** The status of a deployment whose first rollout is complete. */
export function settledStatus(
  { name, replicas }: { name: string; replicas: number },
  since: string,
): Deployment['status'] {
  const times = { lastUpdateTime: since, lastTransitionTime: since };
  const progress = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' } as const;
  return {
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [
      { ...availableCondition(true), ...times },
      { ...progress, message: `Deployment "${name}" has successfully progressed.`, ...times },
    ],
  };
}

function statusOf(
  deployment: Deployment,
  current: ReplicaSet,
  sets: readonly ReplicaSet[],
  now: string,
): Deployment['status'] {
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas') =>
    sets.reduce((total, s) => total + (s.status[field] ?? 0), 0);
  const [replicas, ready, available] = [sum('replicas'), sum('readyReplicas'), sum('availableReplicas')];
  const { desired, minAvailable } = boundsOf(deployment);
  const counts = {
    replicas,
    updatedReplicas: current.status.replicas,
    readyReplicas: ready,
    availableReplicas: available,
  };
  const unavailable = Math.max(0, Math.max(desired, replicas) - available);
  const done = counts.updatedReplicas === desired && replicas === desired && available >= desired;
  return {
    observedGeneration: deployment.metadata.generation,
    ...Object.fromEntries(Object.entries({ ...counts, unavailableReplicas: unavailable }).filter(([, n]) => n > 0)),
    conditions: [availableCondition(available >= minAvailable), progressing(current, done)].map((c) =>
      stamped(c, deployment, now),
    ),
  };
}

function availableCondition(holds: boolean): PodCondition {
  return holds
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function progressing({ metadata }: ReplicaSet, done: boolean): PodCondition {
  return done
    ? {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "${metadata.name}" has successfully progressed.`,
      }
    : {
        type: 'Progressing',
        status: 'True',
        reason: 'ReplicaSetUpdated',
        message: `ReplicaSet "${metadata.name}" is progressing.`,
      };
}

/**
 * A condition with its times: `lastUpdateTime` changes with every change, `lastTransitionTime` only with the status.
 */
function stamped(condition: PodCondition, { status }: Deployment, now: string): PodCondition {
  const before = status.conditions?.find((c) => c.type === condition.type);
  const same =
    before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  return {
    ...condition,
    lastUpdateTime: same ? before?.lastUpdateTime : now,
    lastTransitionTime: before?.status === condition.status ? (before.lastTransitionTime ?? now) : now,
  };
}
