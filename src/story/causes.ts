import {
  type Cause,
  type CauseRule,
  ENDING_POD_RULES,
  ofClaim,
  ofDeletion,
  ofNodeItself,
  POD_RULES,
} from './pod-causes.ts';
import {
  conditionIn,
  isTrue,
  metadataIn,
  numberIn,
  partsIn,
  type Situation,
  specIn,
  statusIn,
  textIn,
} from './situation.ts';

/**
 * The rules by kind, in the order in which they are tried. Paths in kubernetes/kubernetes are the sources of the
 * conditions and reasons.
 */
const RULES: Readonly<Record<string, readonly CauseRule[]>> = {
  Pod: POD_RULES,
  ReplicaSet: [ofDeletion, ofRefusedPods],
  ReplicationController: [ofDeletion, ofRefusedPods],
  StatefulSet: [ofDeletion, ofRefusedPods],
  DaemonSet: [ofDeletion, ofRefusedPods],
  Job: [ofDeletion, ofFailedJob, ofRefusedPods],
  Deployment: [ofDeletion, ofRefusedPods, ofRollout],
  PersistentVolumeClaim: [ofDeletion, ofClaim],
  Node: [ofDeletion, ofNodeItself],
  Namespace: [ofNamespace, ofDeletion],
};

/** Why an object is not ready, by the first rule that matches; undefined if none does. */
export function causeOf(situation: Situation): Cause | undefined {
  const kind = textIn(situation.object.kind);
  const isEnding = kind === 'Pod' && textIn(metadataIn(situation.object).deletionTimestamp) !== '';
  for (const rule of isEnding ? ENDING_POD_RULES : (RULES[kind] ?? [ofDeletion])) {
    const found = rule(situation);
    if (found) return found;
  }
  return undefined;
}

/** The reasons that follow from others: a deeper cause is named before them. */
export const SYMPTOMS: ReadonlySet<string> = new Set([
  'ProgressDeadlineExceeded',
  'BackoffLimitExceeded',
  'foregroundDeletion',
]);

/**
 * Its pods are not created: the condition ReplicaFailure, or the Event FailedCreate as the last word.
 * Source: pkg/controller/controller_utils.go, replicaset/replica_set_utils.go, statefulset/stateful_pod_control.go.
 */
function ofRefusedPods({ object, events }: Situation): Cause | undefined {
  const { replicas, currentReplicas } = statusIn(object);
  const wanted = numberIn(specIn(object).replicas, 1);
  const failure = conditionIn(object, 'ReplicaFailure');
  if (isTrue(failure) && failure.reason === 'FailedCreate') return refusal(textIn(failure.message));
  if (object.kind === 'Deployment' || isFull()) return undefined;
  const last = events.find(({ reason }) => reason === 'FailedCreate' || reason === 'SuccessfulCreate');
  return last?.reason === 'FailedCreate' ? refusal(last.message) : undefined;

  function isFull(): boolean {
    const { desiredNumberScheduled, currentNumberScheduled, active, succeeded } = statusIn(object);
    if (object.kind === 'DaemonSet') return numberIn(currentNumberScheduled) >= numberIn(desiredNumberScheduled);
    if (object.kind === 'Job') return numberIn(active) + numberIn(succeeded) > 0;
    return numberIn(replicas, numberIn(currentReplicas)) >= wanted;
  }
}

/**
 * The words of the API server about a refused pod. Source: apiserver admission/plugin/resourcequota/controller.go,
 * admission/plugin/webhook/errors/statuserror.go, util/webhook/error.go, plugin/pkg/admission/serviceaccount.
 */
const REFUSALS: readonly (readonly [pattern: RegExp, reason: string, text: string])[] = [
  [/exceeded quota: .*/, 'QuotaExceeded', 'its pods are refused by a quota'],
  [/failed quota: .*/, 'QuotaExceeded', 'its pods are refused by a quota'],
  [/admission webhook .* denied the request.*/, 'WebhookDenied', 'its pods are refused by a webhook'],
  [/failed calling webhook .*/, 'WebhookFailed', 'its pods are refused because a webhook cannot be asked'],
  [/violates PodSecurity .*/, 'PodSecurity', 'its pods are refused by the rules of the namespace'],
  [/error looking up service account .*/, 'FailedCreate', 'its pods cannot be created'],
];

function refusal(message: string): Cause {
  for (const [pattern, reason, text] of REFUSALS) {
    const [words] = pattern.exec(message) ?? [];
    if (words !== undefined) return { reason, text: `${text}: ${words}` };
  }
  return { reason: 'FailedCreate', text: `its pods cannot be created: ${message.replace(/^Error creating: /, '')}` };
}

/** The conditions of a Job that failed. Source: pkg/controller/job/job_controller.go. */
function ofFailedJob({ object }: Situation): Cause | undefined {
  const failed = ['Failed', 'FailureTarget'].map((type) => conditionIn(object, type)).find(isTrue);
  if (!failed) return undefined;
  return { reason: textIn(failed.reason) || 'Failed', text: `has failed: ${textIn(failed.message)}` };
}

/**
 * A rollout that goes on no more: it is paused, or has passed its progress deadline.
 * Source: pkg/controller/deployment/progress.go, util/deployment_util.go.
 */
function ofRollout({ object }: Situation): Cause | undefined {
  const { reason, message } = conditionIn(object, 'Progressing');
  if (reason === 'ProgressDeadlineExceeded')
    return { reason, text: `its rollout has passed its progress deadline: ${textIn(message)}` };
  const { paused, replicas } = specIn(object);
  if (paused !== true || numberIn(statusIn(object).updatedReplicas) >= numberIn(replicas, 1)) return undefined;
  return { reason: 'DeploymentPaused', text: 'its rollout is paused' };
}

/** A namespace that is not deleted yet. Source: pkg/controller/namespace/deletion/status_condition_utils.go. */
function ofNamespace({ object }: Situation): Cause | undefined {
  const { phase, conditions } = statusIn(object);
  if (phase !== 'Terminating') return undefined;
  const told = partsIn(conditions)
    .filter((each) => isTrue(each))
    .map(({ message }) => textIn(message));
  if (told.length === 0) return undefined;
  return { reason: 'NamespaceTerminating', text: `its deletion is not complete: ${told.join('; ')}` };
}

/** One cause has several reasons in turns while the kubelet tries again. */
const TURNS: Readonly<Record<string, string>> = {
  ErrImagePull: 'ImagePullBackOff',
  Error: 'CrashLoopBackOff',
};

/** The reason by which causes are one, also while the kubelet goes from one reason to the other. */
export const lastingReason = (reason: string): string => TURNS[reason] ?? reason;
