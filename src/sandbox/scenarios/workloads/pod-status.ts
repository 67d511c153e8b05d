import type { Container, ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from './workload-types.ts';

/** The pod status in each state that the sandbox's nodes report. All times are RFC 3339. */

const START_ORDER = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** The conditions of a pod with some of them set. A condition whose status does not change keeps its time. */
function withConditions(
  pod: Pod,
  states: Readonly<Record<string, boolean>>,
  now: string,
  reason?: string,
  unready: readonly Container[] = pod.spec.containers,
): PodCondition[] {
  const names = unready.map(({ name }) => name).join(' ');
  const before = new Map((pod.status.conditions ?? []).map((c) => [c.type, c]));
  for (const [type, holds] of Object.entries(states)) {
    const status = holds ? 'True' : 'False';
    const present = before.get(type);
    const since = present?.status === status ? (present.lastTransitionTime ?? now) : now;
    before.set(type, {
      type,
      status,
      lastProbeTime: null,
      lastTransitionTime: since,
      ...(holds || !reason ? {} : { reason, message: `containers with unready status: [${names}]` }),
    });
  }
  return [...before.values()].sort((a, b) => START_ORDER.indexOf(a.type) - START_ORDER.indexOf(b.type));
}

/** The status of a pod that has a node, before its containers start. */
export function creatingStatus(pod: Pod, node: { ip: string }, now: string): PodStatus {
  return {
    ...pod.status,
    phase: 'Pending',
    conditions: withConditions(
      pod,
      { Initialized: true, Ready: false, ContainersReady: false, PodScheduled: true },
      now,
      'ContainersNotReady',
    ),
    hostIP: node.ip,
    hostIPs: [{ ip: node.ip }],
    startTime: now,
    containerStatuses: pod.spec.containers.map((c) => containerStatus(c, { waiting: { reason: 'ContainerCreating' } })),
  };
}

/** The status of a pod with images that cannot be pulled. Its other containers run, and it stays Pending. */
export function pullFailedStatus(
  pod: Pod,
  reason: 'ErrImagePull' | 'ImagePullBackOff',
  { isBroken, ip, now }: { isBroken: (container: Container) => boolean; ip: string; now: string },
): PodStatus {
  const broken = pod.spec.containers.filter(isBroken);
  const running = runningStatus(pod, ip, now, true);
  const statuses = pod.spec.containers.map((container, i) => {
    const waiting = { reason, message: pullMessage(reason, container.image) };
    return broken.includes(container) ? containerStatus(container, { waiting }) : running.containerStatuses?.[i];
  });
  const states = { PodReadyToStartContainers: true, Initialized: true, Ready: false, ContainersReady: false };
  return {
    ...running,
    phase: 'Pending',
    conditions: withConditions(pod, states, now, 'ContainersNotReady', broken),
    containerStatuses: statuses as ContainerStatus[],
  };
}

function pullMessage(reason: string, image: string): string {
  if (reason === 'ImagePullBackOff') return `Back-off pulling image "${image}"`;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": not found`;
}

/** The status of a pod whose containers all run, ready or not. */
export function runningStatus(pod: Pod, ip: string, now: string, ready: boolean): PodStatus {
  const before = new Map((pod.status.containerStatuses ?? []).map((c) => [c.name, c]));
  const statuses = pod.spec.containers.map((container) => {
    const present = before.get(container.name);
    const running = present?.state.running ?? { startedAt: now };
    return { ...containerStatus(container, { running }, present), ready, started: true };
  });
  const states = { PodReadyToStartContainers: true, Initialized: true, Ready: ready, ContainersReady: ready };
  return {
    ...pod.status,
    phase: 'Running',
    conditions: withConditions(pod, states, now, 'ContainersNotReady'),
    podIP: ip,
    podIPs: [{ ip }],
    containerStatuses: statuses,
  };
}

/** The status after the first container exited with an error: it waits for its restart, or it has restarted. */
export function crashedStatus(pod: Pod, now: string, waiting: boolean): PodStatus {
  const [first, ...others] = pod.status.containerStatuses ?? [];
  if (!first) return pod.status;
  const startedAt = first.state.running?.startedAt ?? first.lastState.terminated?.startedAt ?? now;
  const terminated = { exitCode: 1, reason: 'Error', startedAt, finishedAt: now };
  const backOff = {
    reason: 'CrashLoopBackOff',
    message: `back-off 10s restarting failed container=${first.name} pod=${pod.metadata.name}`,
  };
  const crashed: ContainerStatus = {
    ...first,
    ready: false,
    started: false,
    restartCount: waiting ? first.restartCount : first.restartCount + 1,
    state: waiting ? { waiting: backOff } : { terminated },
    lastState: waiting ? first.lastState : { terminated },
  };
  return {
    ...pod.status,
    conditions: withConditions(pod, { Ready: false, ContainersReady: false }, now, 'ContainersNotReady'),
    containerStatuses: [crashed, ...others],
  };
}

/** The status after the first container exited. */
export function endedStatus(pod: Pod, now: string, end: { exitCode: number; reason: string }): PodStatus {
  return withFirst(pod, now, (first) => {
    const startedAt = first.state.running?.startedAt ?? now;
    return { ...first, state: { terminated: { ...end, startedAt, finishedAt: now, ...containerIdOf(first) } } };
  });
}

/** The status while the first container waits for its restart in back-off. */
export function backOffStatus(pod: Pod, now: string, message: string): PodStatus {
  return withFirst(pod, now, (first) => ({
    ...first,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState: endOf(first),
  }));
}

/** The status after the first container restarted, not ready yet. */
export function restartedStatus(pod: Pod, now: string): PodStatus {
  return withFirst(pod, now, (first) => {
    const restarted = { ...first, restartCount: first.restartCount + 1, lastState: endOf(first) };
    const container = pod.spec.containers.find((c) => c.name === first.name);
    return container ? containerStatus(container, { running: { startedAt: now } }, restarted) : restarted;
  });
}

function endOf({ state, lastState }: ContainerStatus): ContainerState {
  return state.terminated ? { terminated: state.terminated } : lastState;
}

function containerIdOf({ containerID }: ContainerStatus): { containerID?: string } {
  return typeof containerID === 'string' ? { containerID } : {};
}

/** The pod status with a changed first container, which is not ready. */
function withFirst(pod: Pod, now: string, change: (first: ContainerStatus) => ContainerStatus): PodStatus {
  const [first, ...others] = pod.status.containerStatuses ?? [];
  if (!first) return pod.status;
  return {
    ...pod.status,
    conditions: withConditions(pod, { Ready: false, ContainersReady: false }, now, 'ContainersNotReady'),
    containerStatuses: [{ ...change(first), ready: false, started: false }, ...others],
  };
}

/** The status after all containers exited without an error. */
export function stoppedStatus(pod: Pod, now: string): PodStatus {
  const statuses = (pod.status.containerStatuses ?? []).map((container) => {
    const { startedAt } = container.state.running ?? { startedAt: now };
    const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: now };
    return { ...container, ready: false, started: false, state: { terminated } };
  });
  const conditions = withConditions(pod, { Ready: false, ContainersReady: false }, now, 'ContainersNotReady');
  return { ...pod.status, conditions, containerStatuses: statuses };
}

function containerStatus({ name, image }: Container, state: ContainerState, before?: ContainerStatus): ContainerStatus {
  return {
    name,
    state,
    lastState: before?.lastState ?? {},
    ready: false,
    restartCount: before?.restartCount ?? 0,
    image,
    imageID: state.running ? `docker.io/library/${image}@sha256:${digest(image)}` : '',
    ...(state.running ? { containerID: `containerd://${digest(`${name}${state.running.startedAt}`)}` } : {}),
    started: false,
  };
}

/** 64 hex digits that look like a digest; the same for the same text. */
function digest(text: string): string {
  let state = 0x811c9dc5;
  let digits = '';
  for (let i = 0; digits.length < 64; i++) {
    state = Math.imul(state ^ (text.charCodeAt(i % text.length) + i), 0x01000193) >>> 0;
    digits += state.toString(16).padStart(8, '0');
  }
  return digits.slice(0, 64);
}
