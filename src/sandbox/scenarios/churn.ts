import type { ScenarioOptions } from './scenario.ts';
import { NODES, nodeObject } from './shop.ts';
import { Actor } from './workloads/actor.ts';
import { ScenarioEvents } from './workloads/events.ts';
import { pace } from './workloads/pace.ts';
import { creatingStatus, runningStatus, stoppedStatus } from './workloads/pod-status.ts';
import type { Pod } from './workloads/workload-types.ts';
import type { World } from './world.ts';

const NAMESPACE = 'churn';
const WORKERS = NODES.filter((n) => n.schedulable);

/**
 * Creates, changes and deletes pods and config maps without end, with events about them, at the given number of changes
 * per second.
 */
export function churn(world: World, { pods = 30, ratePerSecond = 20 }: ScenarioOptions): Disposable {
  const actor = new Actor(world);
  for (const node of NODES) actor.create(nodeObject(node, actor.timestamp), 'kubelet', { fixture: true });
  actor.create({ kind: 'Namespace', metadata: { name: NAMESPACE } }, 'kubectl-create', { fixture: true });
  const mill = new Mill(actor, pods);
  pace(actor, ratePerSecond, () => mill.turn());
  return actor;
}

/** Makes one change at each call. Objects live for a few changes, and their numbers stay near the wanted ones. */
class Mill {
  readonly #actor: Actor;
  readonly #events: ScenarioEvents;
  readonly #wanted: number;
  #pods: string[] = [];
  #maps: string[] = [];
  #made = 0;

  constructor(actor: Actor, wanted: number) {
    this.#actor = actor;
    this.#events = new ScenarioEvents(actor);
    this.#wanted = wanted;
  }

  turn(): void {
    const chance = this.#actor.random();
    if (chance < 0.6) this.#turnPod();
    else if (chance < 0.9) this.#turnMap();
    else this.#tell();
  }

  #turnPod(): void {
    const name = this.#drawn(this.#pods, this.#wanted);
    const pod = name === undefined ? undefined : this.#actor.get('Pod', `${NAMESPACE}/${name}`);
    if (pod && !pod.metadata.deletionTimestamp) this.#advance(pod);
    else if (name === undefined) this.#createPod();
    else this.#pods = this.#pods.filter((n) => n !== name);
  }

  /** A random existing name, or undefined when a new object should be created. */
  #drawn(names: readonly string[], wanted: number): string | undefined {
    const isDue = this.#actor.random() * 2 * wanted > names.length;
    return isDue && this.#actor.random() < 0.5 ? undefined : this.#actor.pick(names);
  }

  #createPod(): void {
    if (this.#wanted === 0) return;
    const name = `job-${++this.#made}`;
    const node = WORKERS[this.#made % WORKERS.length];
    const spec = {
      nodeName: node?.name,
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: `registry.example.com/job:${this.#made % 7}` }],
    };
    this.#pods.push(name);
    const pod = { kind: 'Pod', metadata: { name, namespace: NAMESPACE, labels: { app: 'job' } }, spec };
    this.#actor.create(pod, 'kube-controller-manager');
  }

  /** Moves a pod to its next state: Pending, ContainerCreating, Running, Completed, deleted. */
  #advance(pod: Pod): void {
    const { name = '' } = pod.metadata;
    const node = NODES.find((n) => n.name === pod.spec.nodeName);
    const now = this.#actor.timestamp;
    const main = pod.status.containerStatuses?.[0]?.state;
    if (main?.terminated) {
      this.#actor.delete('Pod', pod.metadata);
      this.#pods = this.#pods.filter((n) => n !== name);
    } else if (main?.running) this.#report(pod, { ...stoppedStatus(pod, now), phase: 'Succeeded' });
    else if (main) this.#report(pod, runningStatus(pod, `${node?.podNetwork}.${2 + (this.#made % 250)}`, now, true));
    else this.#report(pod, creatingStatus(pod, node ?? { ip: '' }, now));
  }

  #report(pod: Pod, status: Pod['status']): void {
    this.#actor.updateStatus({ ...pod, status } as Pod, 'kubelet');
  }

  #turnMap(): void {
    const name = this.#drawn(this.#maps, 20);
    const metadata = { name: name ?? `settings-${++this.#made}`, namespace: NAMESPACE };
    const map = { kind: 'ConfigMap', metadata, data: { version: String(Math.floor(this.#actor.random() * 1e6)) } };
    if (name === undefined) {
      this.#maps.push(metadata.name);
      this.#actor.create(map, 'kubectl-create');
    } else if (this.#actor.random() < 0.7) this.#actor.update(map, 'kubectl-edit');
    else {
      this.#maps = this.#maps.filter((n) => n !== name);
      this.#actor.delete('ConfigMap', metadata);
    }
  }

  #tell(): void {
    const pod = this.#actor.get('Pod', `${NAMESPACE}/${this.#actor.pick(this.#pods) ?? ''}`);
    if (pod)
      this.#events.record(
        pod,
        'Normal',
        'Pulled',
        `Container image "${pod.spec.containers[0]?.image}" already present on machine`,
        'kubelet',
      );
  }
}
