import { createSettledCluster, leaseOf } from './settled-cluster.ts';
import { NODES } from './shop.ts';
import { Actor } from './workloads/actor.ts';
import { DeploymentController } from './workloads/deployments.ts';
import { ScenarioEvents } from './workloads/events.ts';
import { Kubelet } from './workloads/kubelet.ts';
import { ReplicaSetController } from './workloads/replica-sets.ts';
import type { World } from './world.ts';

/** The time between two heartbeats of a node, in ms. Source: kubelet nodeLeaseDurationSeconds / 4. */
const HEARTBEAT_MS = 10_000;

/** The running demo cluster, on which scenarios act. */
export interface ShopCluster {
  readonly actor: Actor;
  readonly events: ScenarioEvents;
  readonly kubelet: Kubelet;
  /** Nodes that send no heartbeats. */
  readonly silent: Set<string>;
}

/**
 * Creates the demo cluster, a small shop on three nodes, and its controllers, so that the actions of a client (scale,
 * delete a pod, set an image) have their usual effects. Nothing else happens until a scenario acts. The controllers
 * stop when `actor` is disposed.
 */
export function createShopCluster(world: World): ShopCluster {
  const actor = new Actor(world);
  const events = new ScenarioEvents(actor);
  const kubelet = new Kubelet(actor, events, NODES);
  new DeploymentController(actor, events);
  new ReplicaSetController(actor, events);
  createSettledCluster(actor, kubelet);
  kubelet.resume();
  const silent = new Set<string>();
  for (const [i, { name }] of NODES.entries())
    actor.after(HEARTBEAT_MS * (1 + i / NODES.length), () => beat(actor, silent, name));
  return { actor, events, kubelet, silent };
}

function beat(actor: Actor, silent: ReadonlySet<string>, node: string): void {
  if (!silent.has(node)) actor.update(leaseOf(node, actor.now), 'kubelet');
  actor.after(HEARTBEAT_MS, () => beat(actor, silent, node));
}
