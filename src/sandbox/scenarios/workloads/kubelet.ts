import type { ObjectKey } from '../../../model/key.ts';
import { type Actor, keyOfMeta } from './actor.ts';
import type { ScenarioEvents } from './events.ts';
import { crashedStatus, creatingStatus, pullFailedStatus, runningStatus, stoppedStatus } from './pod-status.ts';
import { type Container, isReady, type Pod, type PodStatus } from './workload-types.ts';

/** A node that runs pods. */
export interface NodeSpec {
  readonly name: string;
  readonly ip: string;
  /** The first three numbers of the addresses of its pods. */
  readonly podNetwork: string;
  readonly schedulable: boolean;
}

/** An image whose tag ends in this way cannot be pulled, to show a broken rollout. */
const BROKEN_IMAGE = /[-:]broken$/;
const isBroken = ({ image }: Container) => BROKEN_IMAGE.test(image);

/**
 * The scheduler and all nodes: assigns pods to nodes, starts them, makes them ready, and restarts crashed containers.
 */
export class Kubelet {
  readonly #actor: Actor;
  readonly #events: ScenarioEvents;
  readonly #nodes: readonly NodeSpec[];
  /** The uids of the pods that are being stopped. */
  readonly #stopping = new Set<string>();
  #nextAddress = 10;
  #nextNode = 0;

  constructor(actor: Actor, events: ScenarioEvents, nodes: readonly NodeSpec[]) {
    this.#actor = actor;
    this.#events = events;
    this.#nodes = nodes;
    actor.onChange('Pod', ({ type }, metadata) => {
      if (type === 'DELETED') this.#stopping.delete(metadata.uid ?? '');
      if (type === 'ADDED') this.#soon(metadata.uid, keyOfMeta(metadata), 40, 250, (pod) => this.#schedule(pod));
      if (type === 'MODIFIED' && metadata.deletionTimestamp) this.#stop(keyOfMeta(metadata), metadata.uid);
    });
  }

  /** Continues with the pods that an earlier run left unfinished. */
  resume(): void {
    for (const pod of this.#actor.list('Pod')) {
      const { metadata, spec } = pod;
      if (isReady(pod) || metadata.deletionTimestamp) continue;
      const go = (p: Pod) => (spec.nodeName ? this.#start(p) : this.#schedule(p));
      this.#soon(metadata.uid, keyOfMeta(metadata), 100, 800, go);
    }
  }

  /** Makes the first container of a pod exit with an error. It starts again, after a back-off when it exited before. */
  crash(key: ObjectKey): void {
    const pod = this.#actor.get('Pod', key);
    if (!pod) return;
    const again = (pod.status.containerStatuses?.[0]?.restartCount ?? 0) > 0;
    this.#report(pod, crashedStatus(pod, this.#actor.timestamp, false));
    this.#event(pod, 'Warning', 'BackOff', `Back-off restarting failed container ${pod.spec.containers[0]?.name}`);
    const { uid } = pod.metadata;
    if (again) this.#soon(uid, key, 500, 900, (p) => this.#backOff(p));
    else this.#soon(uid, key, 700, 1_500, (p) => this.#start(p));
  }

  /** Makes a readiness probe fail for a short time. */
  flap(key: ObjectKey): void {
    const pod = this.#actor.get('Pod', key);
    if (!pod) return;
    this.#report(pod, runningStatus(pod, pod.status.podIP ?? '', this.#actor.timestamp, false));
    this.#event(pod, 'Warning', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    this.#soon(pod.metadata.uid, key, 900, 2_500, (p) => this.#makeReady(p));
  }

  /** The status of a pod that runs since a time, for the initial state of a scenario. */
  settledStatus(pod: Pod, node: NodeSpec, since: string): PodStatus {
    const status = creatingStatus(pod, node, since);
    return runningStatus({ ...pod, status: { ...status, containerStatuses: [] } }, this.#address(node), since, true);
  }

  /** The next node that takes pods, in rotation. */
  nextNode(): NodeSpec {
    const able = this.#nodes.filter((n) => n.schedulable && !this.#actor.get('Node', n.name)?.spec.unschedulable);
    const choice = able.length > 0 ? able : this.#nodes;
    return choice[this.#nextNode++ % choice.length] as NodeSpec;
  }

  #schedule(pod: Pod): void {
    if (pod.spec.nodeName) return;
    const node = this.nextNode();
    this.#actor.bind(pod, node.name);
    this.#event(
      pod,
      'Normal',
      'Scheduled',
      `Successfully assigned ${keyOfMeta(pod.metadata)} to ${node.name}`,
      'default-scheduler',
    );
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 50, 200, (bound) => this.#prepare(bound, node));
  }

  #prepare(pod: Pod, node: NodeSpec): void {
    this.#report(pod, creatingStatus(pod, node, this.#actor.timestamp));
    const { uid } = pod.metadata;
    const key = keyOfMeta(pod.metadata);
    if (pod.spec.containers.some(isBroken)) this.#soon(uid, key, 600, 1_200, (p) => this.#failPull(p, 'ErrImagePull'));
    else this.#soon(uid, key, 500, 1_800, (p) => this.#start(p));
  }

  /** Alternates between the two reasons as long as the pod exists. */
  #failPull(pod: Pod, reason: 'ErrImagePull' | 'ImagePullBackOff'): void {
    const ip = this.#addressOf(pod);
    if (!pod.status.podIP) for (const each of pod.spec.containers) if (!isBroken(each)) this.#started(pod, each);
    this.#report(pod, pullFailedStatus(pod, reason, { isBroken, ip, now: this.#actor.timestamp }));
    this.#event(pod, 'Warning', 'Failed', `Error: ${reason}`);
    const next = reason === 'ErrImagePull' ? 'ImagePullBackOff' : 'ErrImagePull';
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 3_000, 9_000, (p) => this.#failPull(p, next));
  }

  #backOff(pod: Pod): void {
    this.#report(pod, crashedStatus(pod, this.#actor.timestamp, true));
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 4_000, 9_000, (p) => this.#start(p));
  }

  #start(pod: Pod): void {
    this.#report(pod, runningStatus(pod, this.#addressOf(pod), this.#actor.timestamp, false));
    for (const container of pod.spec.containers) this.#started(pod, container);
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 600, 2_200, (p) => this.#makeReady(p));
  }

  #makeReady(pod: Pod): void {
    if (pod.status.containerStatuses?.every((c) => c.state.running)) {
      this.#report(pod, runningStatus(pod, pod.status.podIP ?? '', this.#actor.timestamp, true));
    }
  }

  #started(pod: Pod, { name }: Container): void {
    this.#event(pod, 'Normal', 'Started', `Started container ${name}`);
  }

  #report(pod: Pod, status: PodStatus): void {
    this.#actor.updateStatus({ ...pod, status } as Pod, 'kubelet');
  }

  #event(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string, component = 'kubelet'): void {
    this.#events.record(pod, type, reason, message, component);
  }

  /** Stops the containers of a deleted pod. The reaper removes the pod. */
  #stop(key: ObjectKey, uid: string | undefined): void {
    if (!uid || this.#stopping.has(uid)) return;
    this.#stopping.add(uid);
    this.#actor.after(this.#actor.between(150, 500), () => {
      const pod = this.#actor.get('Pod', key);
      if (pod?.metadata.uid !== uid || !pod.spec.nodeName) return;
      for (const { name } of pod.spec.containers) this.#event(pod, 'Normal', 'Killing', `Stopping container ${name}`);
      this.#report(pod, stoppedStatus(pod, this.#actor.timestamp));
    });
  }

  /** Calls `run` after a random time in [low, high) ms, if the pod still exists and is not being deleted. */
  #soon(uid: string | undefined, key: ObjectKey, low: number, high: number, run: (pod: Pod) => void): void {
    this.#actor.after(this.#actor.between(low, high), () => {
      const pod = this.#actor.get('Pod', key);
      if (pod && pod.metadata.uid === uid && !pod.metadata.deletionTimestamp) run(pod);
    });
  }

  #addressOf({ status, spec }: Pod): string {
    return status.podIP ?? this.#address(this.#nodes.find(({ name }) => name === spec.nodeName));
  }

  #address(node: NodeSpec | undefined): string {
    const host = this.#nextAddress++;
    return `${node?.podNetwork ?? '10.244.0'}.${(host % 250) + 2}`;
  }
}
