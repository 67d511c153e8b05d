import { isJsonMap } from '../kit/exact-json.ts';

/** How far the cluster has come with an object, by the rules of kstatus. */
export interface Kstatus {
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating';
  /** The reason, in the words of kstatus. */
  readonly message: string;
  /** Whether a failed object cannot become current unless a user changes something. */
  readonly isStuck: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Rule = (object: Fields, nowMs: number) => Kstatus;

/** How long a Pod may be unscheduled before that is a failure, ms. */
const SCHEDULE_WINDOW_MS = 15_000;

const current = (message: string): Kstatus => ({ status: 'Current', message, isStuck: false });
const inProgress = (message: string): Kstatus => ({ status: 'InProgress', message, isStuck: false });
const failed = (message: string): Kstatus => ({ status: 'Failed', message, isStuck: false });
const stuck = (message: string): Kstatus => ({ status: 'Failed', message, isStuck: true });

const mapOf = (value: unknown): Fields => (isJsonMap(value) ? value : {});
const textOf = (value: unknown, absent = ''): string => (typeof value === 'string' ? value : absent);
const intOf = (value: unknown, absent = 0): number => (Number.isSafeInteger(value) ? (value as number) : absent);
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isJsonMap) : []);
const statusOf = (object: Fields): Fields => mapOf(object.status);
const conditionsOf = (object: Fields): Fields[] => listOf(statusOf(object).conditions);
const isTrue = ({ status }: Fields): boolean => status === 'True';

/** The rules of the kinds that have their own, by group and kind. */
const RULES: Readonly<Record<string, Rule>> = {
  Service: ofService,
  Pod: ofPod,
  Secret: alwaysReady,
  ConfigMap: alwaysReady,
  'batch/CronJob': alwaysReady,
  PersistentVolumeClaim: ofClaim,
  'apps/StatefulSet': ofStatefulSet,
  'apps/DaemonSet': ofDaemonSet,
  'apps/Deployment': ofDeployment,
  'apps/ReplicaSet': ofReplicaSet,
  'policy/PodDisruptionBudget': () => current('AllowedDisruptions has been computed.'),
  'batch/Job': ofJob,
  'apiextensions.k8s.io/CustomResourceDefinition': ofDefinition,
};

/**
 * The status of an object by the rules of kstatus: its deletion, the generation that its controller has seen, the
 * conditions Reconciling and Stalled, the rules of its kind, and for other kinds the condition Ready. An object without
 * any of these is current. The object needs its apiVersion and kind. A Pod with an unknown phase is in progress. Without
 * `nowMs` nothing is late yet.
 * Source: kubernetes-sigs/cli-utils pkg/kstatus/status.
 */
export function kstatusOf(object: Fields, nowMs = 0): Kstatus {
  const rule = RULES[groupKindOf(object)];
  return ofAnyKind(object) ?? (rule ? rule(object, nowMs) : ofOtherKind(object));
}

function groupKindOf({ apiVersion, kind }: Fields): string {
  const [group = ''] = /^[^/]+(?=\/)/.exec(textOf(apiVersion)) ?? [];
  // extensions had the workloads before apps
  return group === '' ? textOf(kind) : `${group === 'extensions' ? 'apps' : group}/${textOf(kind)}`;
}

function ofAnyKind(object: Fields): Kstatus | undefined {
  const { deletionTimestamp, generation } = mapOf(object.metadata);
  if (textOf(deletionTimestamp) !== '')
    return { ...inProgress('Resource scheduled for deletion'), status: 'Terminating' };
  const { observedGeneration } = statusOf(object);
  if (Number.isInteger(generation) && Number.isInteger(observedGeneration) && generation !== observedGeneration)
    return inProgress(
      `${textOf(object.kind)} generation is ${generation}, but latest observed generation is ${observedGeneration}`,
    );
  const standard = conditionsOf(object).find(
    (each) => (each.type === 'Reconciling' || each.type === 'Stalled') && isTrue(each),
  );
  if (!standard) return undefined;
  return (standard.type === 'Stalled' ? stuck : inProgress)(textOf(standard.message));
}

function ofOtherKind(object: Fields): Kstatus {
  const ready = conditionsOf(object).find(
    ({ type, status }) => type === 'Ready' && ['True', 'False', 'Unknown'].includes(textOf(status)),
  );
  if (!ready) return current('Resource is current');
  return isTrue(ready) ? current('Resource is Ready') : inProgress(textOf(ready.message));
}

function alwaysReady(): Kstatus {
  return current('Resource is always ready');
}

function ofService({ spec }: Fields): Kstatus {
  const { type, clusterIP } = mapOf(spec);
  return type === 'LoadBalancer' && textOf(clusterIP) === ''
    ? inProgress('ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready');
}

function ofClaim(object: Fields): Kstatus {
  const phase = textOf(statusOf(object).phase, 'unknown');
  return phase === 'Bound' ? current('PVC is Bound') : inProgress(`PVC is not Bound. phase: ${phase}`);
}

function ofPod(object: Fields, nowMs: number): Kstatus {
  const { phase, containerStatuses } = statusOf(object);
  const conditions = conditionsOf(object);
  if (phase === 'Succeeded') return current('Pod has completed successfully');
  if (phase === 'Failed') return current('Pod has completed, but not successfully');
  if (phase === 'Running') {
    if (conditions.some((each) => each.type === 'Ready' && isTrue(each))) return current('Pod is Ready');
    const crashing = listOf(containerStatuses)
      .filter(({ state }) => mapOf(mapOf(state).waiting).reason === 'CrashLoopBackOff')
      .map(({ name }) => textOf(name));
    return crashing.length > 0
      ? failed(`Containers in CrashLoop state: ${crashing.join(',')}`)
      : inProgress('Pod is running but is not Ready');
  }
  if (phase !== 'Pending') return inProgress('Pod phase not available');
  const scheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (scheduled?.reason !== 'Unschedulable') return inProgress('Pod is in the Pending phase');
  const createdAt = Date.parse(textOf(mapOf(object.metadata).creationTimestamp));
  return createdAt > nowMs - SCHEDULE_WINDOW_MS
    ? inProgress('Pod has not been scheduled')
    : failed('Pod could not be scheduled');
}

/** The first count that is less than wanted, in words. */
function missing(wanted: number, counts: readonly (readonly [string, unknown])[]): Kstatus | undefined {
  const less = counts.find(([, count]) => wanted > intOf(count));
  return less && inProgress(`${less[0]}: ${intOf(less[1])}/${wanted}`);
}

function ofDeployment(object: Fields): Kstatus {
  const { replicas, progressDeadlineSeconds } = mapOf(object.spec);
  const status = statusOf(object);
  const progressing = conditionsOf(object).filter(({ type }) => type === 'Progressing');
  if (progressing.some(({ reason }) => reason === 'ProgressDeadlineExceeded'))
    return stuck('Progress deadline exceeded');
  const wanted = intOf(replicas, 1);
  const updated = intOf(status.updatedReplicas);
  const extra = intOf(status.replicas) - wanted;
  const pending =
    missing(wanted, [
      ['Replicas', status.replicas],
      ['Updated', updated],
    ]) ??
    (extra > 0 ? inProgress(`Pending termination: ${extra}`) : undefined) ??
    missing(updated, [['Available', status.availableReplicas]]) ??
    missing(wanted, [['Ready', status.readyReplicas]]);
  if (pending) return pending;
  // without a deadline the controller sets no condition
  const hasProgressed =
    intOf(progressDeadlineSeconds, NO_DEADLINE) === NO_DEADLINE ||
    progressing.some((each) => isTrue(each) && each.reason === 'NewReplicaSetAvailable');
  if (!hasProgressed) return inProgress('ReplicaSet not Available');
  if (!conditionsOf(object).some((each) => each.type === 'Available' && isTrue(each)))
    return inProgress('Deployment not Available');
  return current(`Deployment is available. Replicas: ${intOf(status.replicas)}`);
}

/** The value by which the controller of Deployments takes a deadline for none. */
const NO_DEADLINE = 2 ** 31 - 1;

function ofReplicaSet(object: Fields): Kstatus {
  const status = statusOf(object);
  if (conditionsOf(object).some((each) => each.type === 'ReplicaFailure' && isTrue(each)))
    return inProgress('Replica Failure condition. Check Pods');
  const wanted = intOf(mapOf(object.spec).replicas, 1);
  const less = missing(wanted, [
    ['Labelled', status.fullyLabeledReplicas],
    ['Available', status.availableReplicas],
    ['Ready', status.readyReplicas],
  ]);
  if (less) return less;
  const extra = intOf(status.replicas) - wanted;
  if (extra > 0) return inProgress(`Pending termination: ${extra}`);
  return current(`ReplicaSet is available. Replicas: ${intOf(status.replicas)}`);
}

function ofStatefulSet(object: Fields): Kstatus {
  const { replicas, updateStrategy } = mapOf(object.spec);
  const { type, rollingUpdate } = mapOf(updateStrategy);
  const status = statusOf(object);
  if (type === 'OnDelete') return current('StatefulSet is using the ondelete update strategy');
  const wanted = intOf(replicas, 1);
  const less = missing(wanted, [
    ['Replicas', status.replicas],
    ['Ready', status.readyReplicas],
  ]);
  if (less) return less;
  const extra = intOf(status.replicas) - wanted;
  if (extra > 0) return inProgress(`Pending termination: ${extra}`);
  const { partition } = mapOf(rollingUpdate);
  if (Number.isSafeInteger(partition)) {
    const updated = intOf(status.updatedReplicas);
    const toUpdate = wanted - intOf(partition);
    if (updated < toUpdate) return inProgress(`updated: ${updated}/${toUpdate}`);
    return current(`Partition rollout complete. updated: ${updated}`);
  }
  const old = missing(wanted, [['current', status.currentReplicas]]);
  if (old) return old;
  if (textOf(status.currentRevision) !== textOf(status.updateRevision))
    return inProgress('Waiting for updated revision to match current');
  return current(`All replicas scheduled as expected. Replicas: ${intOf(status.replicas)}`);
}

function ofDaemonSet(object: Fields): Kstatus {
  const status = statusOf(object);
  const kind = textOf(object.kind);
  if (!Number.isInteger(mapOf(object.metadata).generation)) return inProgress(`${kind} metadata.generation not found`);
  if (!Number.isInteger(status.observedGeneration)) return inProgress(`${kind} status.observedGeneration not found`);
  if (!Number.isInteger(status.desiredNumberScheduled)) return inProgress('Missing .status.desiredNumberScheduled');
  const wanted = intOf(status.desiredNumberScheduled);
  const less = missing(wanted, [
    ['Current', status.currentNumberScheduled],
    ['Updated', status.updatedNumberScheduled],
    ['Available', status.numberAvailable],
    ['Ready', status.numberReady],
  ]);
  return less ?? current(`All replicas scheduled as expected. Replicas: ${wanted}`);
}

function ofJob(object: Fields): Kstatus {
  const { parallelism, completions, suspend } = mapOf(object.spec);
  const status = statusOf(object);
  const { succeeded, active, failed: failures } = status;
  const wanted = intOf(completions, intOf(parallelism, 1));
  for (const condition of conditionsOf(object).filter(isTrue)) {
    if (condition.type === 'Complete') return current(`Job Completed. succeeded: ${intOf(succeeded)}/${wanted}`);
    if (condition.type === 'Failed') return stuck(`Job Failed. failed: ${intOf(failures)}/${wanted}`);
    if (condition.type === 'Suspended' && suspend === true) return current('Job is suspended');
  }
  if (textOf(status.startTime) === '') return inProgress('Job not started');
  return current(`Job in progress. success:${intOf(succeeded)}, active: ${intOf(active)}, failed: ${intOf(failures)}`);
}

function ofDefinition(object: Fields): Kstatus {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === 'NamesAccepted' && status === 'False') return stuck(textOf(message));
    if (type !== 'Established') continue;
    if (status === 'False' && reason !== 'Installing') return stuck(textOf(message));
    if (status === 'True') return current('CRD is established');
  }
  return inProgress('Install in progress');
}
