import type { ObjectKey } from '../../../model/key.ts';
import { type Actor, keyOfMeta } from './actor.ts';
import type { EventRecorder } from './events.ts';
import { crashedStatus, creatingStatus, pullFailedStatus, runningStatus, stoppedStatus } from './pod-status.ts';
import { isReady, type Pod, type PodStatus } from './views.ts';

/** A machine pods run on. */
export interface NodeSpec {
  readonly name: string;
  readonly ip: string;
  /** The first three parts of its pods' addresses. */
  readonly podNetwork: string;
  readonly schedulable: boolean;
}

/** An image whose tag ends like this cannot be pulled: for trying out what a broken rollout looks like. */
const BROKEN_IMAGE = /[-:]broken$/;

/** Scheduler and nodes in one: gives pods to nodes, starts them, makes them ready, restarts what crashed. */
export class Kubelet {
  readonly #actor: Actor;
  readonly #events: EventRecorder;
  readonly #nodes: readonly NodeSpec[];
  /** Pods whose end is under way, by uid. */
  readonly #stopping = new Set<string>();
  #nextAddress = 10;
  #nextNode = 0;

  constructor(actor: Actor, events: EventRecorder, nodes: readonly NodeSpec[]) {
    this.#actor = actor;
    this.#events = events;
    this.#nodes = nodes;
    actor.onChange('Pod', ({ type }, metadata) => {
      if (type === 'DELETED') this.#stopping.delete(metadata.uid ?? '');
      if (type === 'ADDED') this.#soon(metadata.uid, keyOfMeta(metadata), 40, 250, (pod) => this.#schedule(pod));
      if (type === 'MODIFIED' && metadata.deletionTimestamp) this.#stop(keyOfMeta(metadata), metadata.uid);
    });
  }

  /** Takes up pods that an earlier start left half-way. */
  resume(): void {
    for (const pod of this.#actor.list('Pod')) {
      const { metadata, spec } = pod;
      if (isReady(pod) || metadata.deletionTimestamp) continue;
      const go = (p: Pod) => (spec.nodeName ? this.#start(p) : this.#schedule(p));
      this.#soon(metadata.uid, keyOfMeta(metadata), 100, 800, go);
    }
  }

  /** The first container of a pod ends with an error and is started again, after a back-off if it had ended before. */
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

  /** A readiness probe fails for a moment. */
  flap(key: ObjectKey): void {
    const pod = this.#actor.get('Pod', key);
    if (!pod) return;
    this.#report(pod, runningStatus(pod, pod.status.podIP ?? '', this.#actor.timestamp, false));
    this.#event(pod, 'Warning', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
    this.#soon(pod.metadata.uid, key, 900, 2_500, (p) => this.#makeReady(p));
  }

  /** The status of a pod that has been running since a moment: for the state a scenario starts with. */
  settledStatus(pod: Pod, node: NodeSpec, since: string): PodStatus {
    const status = creatingStatus(pod, node, since);
    return runningStatus({ ...pod, status: { ...status, containerStatuses: [] } }, this.#address(node), since, true);
  }

  /** The nodes that take pods, in turn. */
  nextNode(): NodeSpec {
    const able = this.#nodes.filter((n) => n.schedulable && !this.#actor.get('Node', n.name)?.spec.unschedulable);
    const choice = able.length > 0 ? able : this.#nodes;
    return choice[this.#nextNode++ % choice.length] as NodeSpec;
  }

  #schedule(pod: Pod): void {
    if (pod.spec.nodeName) return;
    const node = this.nextNode();
    this.#actor.bind(pod, node.name);
    this.#event(pod, 'Normal', 'Scheduled', `Successfully assigned ${keyOfMeta(pod.metadata)} to ${node.name}`, 'default-scheduler');
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 50, 200, (bound) => this.#prepare(bound, node));
  }

  #prepare(pod: Pod, node: NodeSpec): void {
    this.#report(pod, creatingStatus(pod, node, this.#actor.timestamp));
    const broken = pod.spec.containers.find((c) => BROKEN_IMAGE.test(c.image));
    const { uid } = pod.metadata;
    const key = keyOfMeta(pod.metadata);
    if (broken) this.#soon(uid, key, 600, 1_200, (p) => this.#failPull(p, 'ErrImagePull'));
    else this.#soon(uid, key, 500, 1_800, (p) => this.#start(p));
  }

  /** The two words take turns for as long as the pod lives. */
  #failPull(pod: Pod, reason: 'ErrImagePull' | 'ImagePullBackOff'): void {
    this.#report(pod, pullFailedStatus(pod, reason));
    this.#event(pod, 'Warning', 'Failed', `Error: ${reason}`);
    const next = reason === 'ErrImagePull' ? 'ImagePullBackOff' : 'ErrImagePull';
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 3_000, 9_000, (p) => this.#failPull(p, next));
  }

  #backOff(pod: Pod): void {
    this.#report(pod, crashedStatus(pod, this.#actor.timestamp, true));
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 4_000, 9_000, (p) => this.#start(p));
  }

  #start(pod: Pod): void {
    const node = this.#nodes.find((n) => n.name === pod.spec.nodeName);
    const ip = pod.status.podIP ?? this.#address(node);
    this.#report(pod, runningStatus(pod, ip, this.#actor.timestamp, false));
    for (const { name } of pod.spec.containers) this.#event(pod, 'Normal', 'Started', `Started container ${name}`);
    this.#soon(pod.metadata.uid, keyOfMeta(pod.metadata), 600, 2_200, (p) => this.#makeReady(p));
  }

  #makeReady(pod: Pod): void {
    if (pod.status.containerStatuses?.every((c) => c.state.running)) {
      this.#report(pod, runningStatus(pod, pod.status.podIP ?? '', this.#actor.timestamp, true));
    }
  }

  #report(pod: Pod, status: PodStatus): void {
    this.#actor.updateStatus({ ...pod, status } as Pod, 'kubelet');
  }

  #event(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string, component = 'kubelet'): void {
    this.#events.record(pod, type, reason, message, component);
  }

  /** A pod was deleted: its containers end. That it goes is the reaper's work. */
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

  /** After a while between two bounds, if the pod is still there and still wanted. */
  #soon(uid: string | undefined, key: ObjectKey, low: number, high: number, run: (pod: Pod) => void): void {
    this.#actor.after(this.#actor.between(low, high), () => {
      const pod = this.#actor.get('Pod', key);
      if (pod && pod.metadata.uid === uid && !pod.metadata.deletionTimestamp) run(pod);
    });
  }

  #address(node: NodeSpec | undefined): string {
    const host = this.#nextAddress++;
    return `${node?.podNetwork ?? '10.244.0'}.${(host % 250) + 2}`;
  }
}
