import { withoutEnd } from '../kit/without-end.ts';
import type { Fields } from '../model/field-changes.ts';
import {
  conditionIn,
  containersOf,
  type EventFact,
  fieldsIn,
  isTrue,
  metadataIn,
  numberIn,
  partsIn,
  type Situation,
  specIn,
  statusIn,
  textIn,
  timeIn,
} from './situation.ts';

/** A reason of Kubernetes for which an object is not ready, and the sentence about it. */
export interface Cause {
  /** The reason, in the words of Kubernetes. */
  readonly reason: string;
  readonly text: string;
  /** Equal for causes of several objects that are one. Default: the text without its numbers. */
  readonly same?: string | undefined;
}

/** Says why an object is not ready, if its state and its Events say it. Guesses nothing. */
export type CauseRule = (situation: Situation) => Cause | undefined;

const cause = (reason: string, text: string): Cause => ({ reason, text: trimmed(text) });
const trimmed = (text: string) => withoutEnd(text.replace(/\s+/g, ' ').trim(), ':');
const withMessage = (text: string, message: unknown) => (textIn(message) === '' ? text : `${text}: ${message}`);

/** An end of a container is the cause of its present state for this long: the kubelet then resets the back-off, ms. */
const RECENT_MS = 10 * 60_000;

/**
 * The rules of a Pod, in the order in which they are tried. Each names the condition, and where Kubernetes sets it
 * (paths in kubernetes/kubernetes).
 */
export const POD_RULES: readonly CauseRule[] = [ofDeletion, ofFailedPod, ofNode, ofScheduling, ofContainers, ofGates];

/** The rules of a Pod that is being deleted: its containers end because they shall. */
export const ENDING_POD_RULES: readonly CauseRule[] = [ofDeletion, ofNode];

/** A finalizer keeps an object whose deletion was requested. Source: apiserver registry/generic/registry/store.go. */
export function ofDeletion({ object, now }: Situation): Cause | undefined {
  const { deletionTimestamp, finalizers } = metadataIn(object);
  const names = Array.isArray(finalizers) ? finalizers.map(String) : [];
  // a pod has its grace period until then
  if (!(timeIn(deletionTimestamp) <= now) || names.length === 0) return undefined;
  const own = names.filter((name) => name !== 'foregroundDeletion');
  return own.length === 0
    ? cause('foregroundDeletion', `its deletion (${deletionTimestamp}) waits until all that it owns is deleted`)
    : cause('Finalizers', `its deletion (${deletionTimestamp}) waits for the finalizer ${own.join(', ')}`);
}

/**
 * The kubelet ended or refused the pod: Evicted (pkg/kubelet/eviction/helpers.go), DeadlineExceeded
 * (pkg/kubelet/active_deadline.go), OutOfcpu, NodeAffinity … (pkg/kubelet/lifecycle/predicate.go).
 */
function ofFailedPod({ object }: Situation): Cause | undefined {
  const { phase, reason, message } = statusIn(object);
  if (phase !== 'Failed' || textIn(reason) === '') return undefined;
  const words: Readonly<Record<string, string>> = {
    Evicted: 'was evicted from its node',
    DeadlineExceeded: 'ran longer than its deadline',
  };
  return cause(textIn(reason), withMessage(words[textIn(reason)] ?? 'failed', message));
}

/**
 * The node is gone: its condition Ready is not True, or it does not exist; where nodes are not known, the Event
 * NodeNotReady about a pod whose containers were ready at last.
 * Source: pkg/controller/nodelifecycle, pkg/controller/util/node/controller_utils.go (MarkPodsNotReady).
 */
function ofNode({ object, find, events }: Situation): Cause | undefined {
  const name = textIn(specIn(object).nodeName);
  if (name === '' || isTrue(conditionIn(object, 'Ready'))) return undefined;
  if (statusIn(object).reason === 'NodeLost') return cause('NodeLost', `its node ${name} does not answer`);
  const node = find('Node', name);
  if (node === null) return cause('NodeGone', `its node ${name} does not exist`);
  if (node) return ofNodeItself(node, `its node ${name} is not ready`);
  const wereReady = containersOf(object).every((each) => each.ready === true || fieldsIn(each.state).terminated);
  const told = events.find(({ reason }) => reason === 'NodeNotReady');
  return told && wereReady ? cause('NodeNotReady', `its node ${name} is not ready`) : undefined;
}

/** The condition Ready of a node. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go. */
export function ofNodeItself({ object }: Situation, text = 'it is not ready'): Cause | undefined {
  const ready = conditionIn(object, 'Ready');
  if (isTrue(ready) || textIn(ready.type) === '') return undefined;
  return cause('NodeNotReady', withMessage(`${text} (${textIn(ready.reason)})`, ready.message));
}

/**
 * The scheduler's words: condition PodScheduled, reasons Unschedulable and SchedulingGated. What a claim waits for is
 * said by its own Events. Source: pkg/scheduler/schedule_one.go, plugins/volumebinding/volume_binding.go.
 */
function ofScheduling({ object, find }: Situation): Cause | undefined {
  const { status, reason, message } = conditionIn(object, 'PodScheduled');
  if (status !== 'False' || textIn(specIn(object).nodeName) !== '') return undefined;
  const words = textIn(message);
  if (reason === 'SchedulingGated') {
    const gates = partsIn(specIn(object).schedulingGates).map(({ name }) => textIn(name));
    return cause('SchedulingGated', `is not scheduled before its scheduling gates are removed: ${gates.join(', ')}`);
  }
  if (reason !== 'Unschedulable') return undefined;
  if (/unbound immediate PersistentVolumeClaims|persistentvolumeclaim/.test(words)) {
    for (const { persistentVolumeClaim } of partsIn(specIn(object).volumes)) {
      const name = textIn(fieldsIn(persistentVolumeClaim).claimName);
      const claim = name === '' ? undefined : find('PersistentVolumeClaim', name);
      const unbound = claim && ofClaim(claim);
      if (unbound) return cause(unbound.reason, `cannot be scheduled: the claim ${name} ${unbound.text}`);
    }
  }
  return cause('Unschedulable', `cannot be scheduled: ${words}`);
}

/**
 * A PersistentVolumeClaim that is not bound, in the words of what provisions it: Events ProvisioningFailed,
 * FailedBinding. Source: pkg/controller/volume/persistentvolume/pv_controller.go, pkg/controller/volume/events.
 */
export function ofClaim({ object, events }: Situation): Cause | undefined {
  const { phase } = statusIn(object);
  if (phase === 'Lost') return cause('ClaimLost', 'has lost its volume');
  if (phase !== 'Pending') return undefined;
  const told = events.find(({ reason }) =>
    ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch', 'ExternalProvisioning'].includes(reason),
  );
  return cause(told?.reason ?? 'ClaimPending', withMessage('is not bound', told?.message));
}

/** The first container that has a cause, those that never start before those that run. */
function ofContainers(situation: Situation): Cause | undefined {
  const { object } = situation;
  const specs = [...partsIn(specIn(object).initContainers), ...partsIn(specIn(object).containers)];
  for (const container of containersOf(object)) {
    if (container.ready === true) continue;
    const spec = specs.find(({ name }) => name === container.name) ?? {};
    for (const rule of CONTAINER_RULES) {
      const found = rule({ ...situation, container, spec, events: eventsOf(situation, container) });
      if (found) return found;
    }
  }
  return containersOf(object).length === 0 || isWaitingForStart(object) ? ofStart(situation) : undefined;
}

interface ContainerSituation extends Situation {
  readonly container: Fields;
  readonly spec: Fields;
}

type ContainerRule = (situation: ContainerSituation) => Cause | undefined;

const eventsOf = ({ events }: Situation, { name }: Fields) =>
  events.filter(({ container }) => container === '' || container === name);

const isWaitingForStart = (pod: Fields) =>
  containersOf(pod).some(({ state }) =>
    ['ContainerCreating', 'PodInitializing'].includes(textIn(fieldsIn(fieldsIn(state).waiting).reason)),
  );

const CONTAINER_RULES: readonly ContainerRule[] = [ofImage, ofConfig, ofOwnEnd, ofProbe];

/** Source: pkg/kubelet/images/types.go, image_manager.go. */
const PULL_REASONS = [
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
];

/** The image cannot be pulled; the newest Event Failed says why where the state does not. */
function ofImage({ container, spec, events }: ContainerSituation): Cause | undefined {
  const { reason, message } = fieldsIn(fieldsIn(container.state).waiting);
  if (!PULL_REASONS.includes(textIn(reason))) return undefined;
  const image = textIn(spec.image) || textIn(container.image);
  const failed = events.find((each) => each.reason === 'Failed' && each.message.startsWith('Failed to pull image'));
  const own = textIn(message).replace(/^Back-off pulling image "[^"]*"(: )?(ErrImagePull: )?/, '');
  const why = own || (failed?.message.replace(/^Failed to pull image "[^"]*": ?/, '') ?? '');
  const text = `container ${container.name} cannot pull image ${image}`;
  // containerd: "no match for platform in manifest"; docker and crane: "no matching manifest for linux/arm64"
  const isPlatform = /no match for platform|no matching manifest for/.test(why);
  const words = withMessage(isPlatform ? `${text}, which is not built for its platform` : text, why);
  return { ...cause(textIn(reason), words), same: text };
}

/**
 * The container cannot be made: CreateContainerConfigError (a ConfigMap, Secret or key is missing),
 * CreateContainerError, RunContainerError … Source: pkg/kubelet/kuberuntime/kuberuntime_container.go.
 */
function ofConfig({ container }: ContainerSituation): Cause | undefined {
  const { reason, message } = fieldsIn(fieldsIn(container.state).waiting);
  const word = textIn(reason);
  if (!/^(Create|Run|Pre|Post).*Error$|Hook/.test(word)) return undefined;
  return cause(word, withMessage(`container ${container.name} cannot be ${wordOf(word)}`, platformOf(message)));
}

const wordOf = (reason: string) => (reason.startsWith('Run') ? 'started' : 'created');

/** The kernel's word for a program of another platform. */
const platformOf = (message: unknown) =>
  textIn(message).replace(/exec format error/, 'exec format error (its program is not built for this platform)');

/**
 * The container ended: OOMKilled, a failed liveness or startup probe, StartError, an exit code; with CrashLoopBackOff
 * while it waits for its restart. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go; containerd sets OOMKilled.
 */
function ofOwnEnd(situation: ContainerSituation): Cause | undefined {
  const { container, spec, events, now } = situation;
  const { waiting, terminated, running } = fieldsIn(container.state);
  const isBackOff = fieldsIn(waiting).reason === 'CrashLoopBackOff';
  const last = fieldsIn(fieldsIn(container.lastState).terminated);
  const end = terminated ? fieldsIn(terminated) : last;
  const ended = timeIn(end.finishedAt);
  if (end.finishedAt === undefined && end.exitCode === undefined)
    return isBackOff ? cause('CrashLoopBackOff', `container ${container.name} ends again and again`) : undefined;
  if (!isBackOff && !terminated && !(running && numberIn(container.restartCount) > 0)) return undefined;
  if (!isBackOff && running && now - ended > RECENT_MS) return undefined;
  const code = numberIn(end.exitCode);
  if (code === 0 && !isBackOff) return undefined;
  const restarts = numberIn(container.restartCount);
  const tail = isBackOff || restarts > 0 ? `; ${restarts} restart${restarts === 1 ? '' : 's'}` : '';
  const who = `container ${container.name}`;
  if (end.reason === 'OOMKilled') {
    const limit = textIn(fieldsIn(fieldsIn(spec.resources).limits).memory);
    return cause('OOMKilled', `${who} used more memory than its limit${limit === '' ? '' : ` of ${limit}`}${tail}`);
  }
  const killed = killedByProbe(events, ended);
  if (killed) return cause('Unhealthy', `${who} was killed because ${probeText(killed)}${tail}`);
  if (['StartError', 'ContainerCannotRun'].includes(textIn(end.reason)))
    return cause(textIn(end.reason), withMessage(`${who} cannot be started${tail}`, platformOf(end.message)));
  const reason = ['', 'Error'].includes(textIn(end.reason)) ? '' : ` (${textIn(end.reason)})`;
  const word = isBackOff ? 'CrashLoopBackOff' : textIn(end.reason) || 'Error';
  return cause(word, withMessage(`${who} ended with exit code ${code}${reason}${tail}`, platformOf(end.message)));
}

/** A kill and its probe are reported within this time before the end, ms: the longest usual grace period. */
const KILL_MS = 90_000;

/** The Event of the probe for which a container was killed. Source: pkg/kubelet/prober/prober.go. */
function killedByProbe(events: readonly EventFact[], ended: number): EventFact | undefined {
  const isNear = ({ at }: EventFact) => Math.abs(at - ended) <= KILL_MS;
  const killing = events.find(
    (each) => each.reason === 'Killing' && / failed (liveness|startup) probe/.test(each.message) && isNear(each),
  );
  const probe = killing && / failed (\w+) probe/.exec(killing.message)?.[1];
  if (!killing || !probe) return undefined;
  const unhealthy = events.find(
    (each) => each.reason === 'Unhealthy' && each.message.toLowerCase().startsWith(`${probe} probe`),
  );
  return unhealthy ?? killing;
}

const probeText = ({ message }: EventFact) =>
  message
    .replace(/^Container .* (failed \w+ probe).*$/, 'it $1')
    .replace(/^(Readiness|Liveness|Startup) probe /, (_, probe: string) => `its ${probe.toLowerCase()} probe `);

/** A running container whose probe fails: an Event Unhealthy since its start. Source: pkg/kubelet/prober/prober.go. */
function ofProbe({ container, events }: ContainerSituation): Cause | undefined {
  const { running } = fieldsIn(container.state);
  if (!running) return undefined;
  const started = timeIn(fieldsIn(running).startedAt);
  const told = events.find(({ reason, at }) => reason === 'Unhealthy' && !(at < started));
  return told && cause('Unhealthy', `container ${container.name} runs, but ${probeText(told)}`);
}

/** Events of steps without which containers cannot be made. A later Event of a step behind it ends the doubt. */
const START_FAILURES = [
  'FailedMount',
  'FailedAttachVolume',
  'FailedMapVolume',
  'FailedCreatePodSandBox',
  'FailedPrepareDynamicResources',
  'NetworkNotReady',
  'FailedSync',
];
const START_STEPS = ['Pulling', 'Pulled', 'Created', 'Started'];

/** The pod's volumes, network or sandbox are not there. Source: pkg/kubelet/events/event.go. */
function ofStart({ events }: Situation): Cause | undefined {
  const last = events.find(({ reason }) => START_FAILURES.includes(reason) || START_STEPS.includes(reason));
  if (!last || START_STEPS.includes(last.reason)) return undefined;
  return cause(last.reason, `its containers cannot be created: ${last.message}`);
}

/** Containers are ready, the pod is not. Source: pkg/kubelet/status/generate.go. */
function ofGates({ object }: Situation): Cause | undefined {
  const { status, reason, message } = conditionIn(object, 'Ready');
  if (status !== 'False' || reason !== 'ReadinessGatesNotReady') return undefined;
  return cause('ReadinessGatesNotReady', withMessage('its readiness gates are not true', message));
}
