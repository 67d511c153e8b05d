import { NODES } from './shop.ts';
import { createShopCluster, type ShopCluster } from './shop-cluster.ts';
import { keyOfMeta } from './workloads/actor.ts';
import type { NodeView, Pod, PodCondition, Taint } from './workloads/workload-types.ts';
import type { World } from './world.ts';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/**
 * Maintenance of the shop's nodes, one after another, without end. A node is cordoned and its pods are evicted one by
 * one; they start on other nodes. The node becomes NotReady, then Ready, and takes pods again.
 */
export function nodeDrain(world: World): Disposable {
  const cluster = createShopCluster(world);
  new Maintenance(cluster).begin(0);
  return cluster.actor;
}

const WORKERS = NODES.filter((n) => n.schedulable).map((n) => n.name);

class Maintenance {
  readonly #cluster: ShopCluster;

  constructor(cluster: ShopCluster) {
    this.#cluster = cluster;
  }

  begin(turn: number): void {
    const name = WORKERS[turn % WORKERS.length] as string;
    this.#after(2_000, 5_000, () => {
      this.#cordon(name);
      this.#after(800, 2_000, () => this.#evict(name, turn));
    });
  }

  #cordon(name: string): void {
    this.#change(name, 'kubectl-cordon', ({ spec }) => ({
      ...spec,
      unschedulable: true,
      taints: [
        ...(spec.taints ?? []),
        { key: UNSCHEDULABLE, effect: 'NoSchedule', timeAdded: this.#cluster.actor.timestamp },
      ],
    }));
    this.#tell(name, 'NodeNotSchedulable', 'kubelet');
  }

  /** Evicts one pod at a time. Continues when no pod is left, also none that is terminating. */
  #evict(name: string, turn: number): void {
    const { actor } = this.#cluster;
    const pods = actor.list('Pod').filter((p) => p.spec.nodeName === name);
    const next = pods.find((p) => !p.metadata.deletionTimestamp);
    if (next) this.#evictOne(next);
    if (pods.length > 0) this.#after(300, 900, () => this.#evict(name, turn));
    else this.#after(800, 2_000, () => this.#leave(name, turn));
  }

  #evictOne({ metadata }: Pod): void {
    const { actor } = this.#cluster;
    const pod = actor.get('Pod', keyOfMeta(metadata));
    if (!pod) return;
    const why = {
      type: 'DisruptionTarget',
      status: 'True' as const,
      lastProbeTime: null,
      lastTransitionTime: actor.timestamp,
    };
    const conditions = [
      ...(pod.status.conditions ?? []),
      { ...why, reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    ];
    actor.updateStatus({ ...pod, status: { ...pod.status, conditions } } as Pod, 'kube-apiserver');
    actor.delete('Pod', metadata);
  }

  #leave(name: string, turn: number): void {
    const { silent, actor } = this.#cluster;
    const before = actor.get('Node', name)?.status.conditions ?? [];
    silent.add(name);
    const lost = {
      status: 'Unknown' as const,
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    };
    this.#report(
      name,
      'kube-controller-manager',
      before.map((c) => ({ ...c, ...lost, lastTransitionTime: actor.timestamp })),
    );
    this.#change(name, 'kube-controller-manager', ({ spec }) => ({
      ...spec,
      taints: [...(spec.taints ?? []), { key: UNREACHABLE, effect: 'NoSchedule', timeAdded: actor.timestamp }],
    }));
    this.#tell(name, 'NodeNotReady', 'node-controller');
    this.#after(5_000, 9_000, () => this.#comeBack(name, turn, before));
  }

  #comeBack(name: string, turn: number, before: readonly PodCondition[]): void {
    const { silent, actor } = this.#cluster;
    silent.delete(name);
    this.#report(
      name,
      'kubelet',
      before.map((c) => ({ ...c, lastHeartbeatTime: actor.timestamp, lastTransitionTime: actor.timestamp })),
    );
    this.#change(name, 'kube-controller-manager', ({ spec }) => withoutTaint(spec, UNREACHABLE));
    this.#tell(name, 'NodeReady', 'kubelet');
    this.#after(1_000, 2_500, () => {
      this.#uncordon(name);
      this.begin(turn + 1);
    });
  }

  #uncordon(name: string): void {
    this.#change(name, 'kubectl-uncordon', ({ spec }) => {
      const { unschedulable: _unschedulable, ...rest } = withoutTaint(spec, UNSCHEDULABLE);
      return rest;
    });
    this.#tell(name, 'NodeSchedulable', 'kubelet');
  }

  #change(name: string, manager: string, specOf: (node: NodeView) => NodeView['spec']): void {
    const node = this.#cluster.actor.get('Node', name);
    if (node) this.#cluster.actor.update({ ...node, spec: specOf(node) } as NodeView, manager);
  }

  #report(name: string, manager: string, conditions: readonly PodCondition[]): void {
    const node = this.#cluster.actor.get('Node', name);
    if (node)
      this.#cluster.actor.updateStatus(
        { ...node, status: { ...node.status, conditions: [...conditions] } } as NodeView,
        manager,
      );
  }

  #tell(name: string, reason: string, component: string): void {
    const node = this.#cluster.actor.get('Node', name);
    if (node) this.#cluster.events.record(node, 'Normal', reason, `Node ${name} status is now: ${reason}`, component);
  }

  #after(low: number, high: number, run: () => void): void {
    const { actor } = this.#cluster;
    actor.after(actor.between(low, high), run);
  }
}

function withoutTaint({ taints = [], ...spec }: NodeView['spec'], key: string): NodeView['spec'] {
  const left: Taint[] = taints.filter((t) => t.key !== key);
  return left.length > 0 ? { ...spec, taints: left } : spec;
}
