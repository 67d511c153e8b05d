import { newUid, randomLetters } from '../write/identity.ts';
import type { ScenarioOptions } from './scenario.ts';
import { APPS, type App, deploymentOf, nodeObject } from './shop.ts';
import { Actor, keyOfMeta } from './workloads/actor.ts';
import type { NodeSpec } from './workloads/kubelet.ts';
import { pace } from './workloads/pace.ts';
import { creatingStatus, runningStatus } from './workloads/pod-status.ts';
import { isReady, type Pod, type PodTemplate } from './workloads/workload-types.ts';
import type { World } from './world.ts';

const PODS_PER_NODE = 100;
const PODS_PER_NAMESPACE = 1_000;
const KINDS = APPS.filter((a) => a.lively);

/**
 * Many running pods on many nodes, in many namespaces. Then the readiness of random pods changes, at the given rate per
 * second. Only one pod for each app and namespace goes through the write path. The others are copies, so that 50,000
 * pods exist within seconds.
 */
export function fleet(world: World, { pods = 1_000, ratePerSecond = 50 }: ScenarioOptions): Disposable {
  const actor = new Actor(world);
  const nodes = Array.from({ length: Math.max(1, Math.ceil(pods / PODS_PER_NODE)) }, (_, i) => nodeAt(i));
  for (const node of nodes) actor.create(nodeObject(node, actor.timestamp), 'kubelet', { fixture: true });
  const keys: string[] = [];
  for (let first = 0; first === 0 || first < pods; first += PODS_PER_NAMESPACE) {
    const namespace = `fleet-${String(first / PODS_PER_NAMESPACE).padStart(2, '0')}`;
    actor.create({ kind: 'Namespace', metadata: { name: namespace } }, 'kubectl-create', { fixture: true });
    const models = new Map<App, Pod>();
    for (let i = first; i < Math.min(pods, first + PODS_PER_NAMESPACE); i++) {
      keys.push(createPod(actor, models, namespace, i, nodes[i % nodes.length] as NodeSpec));
    }
  }
  pace(actor, ratePerSecond, () => stir(actor, keys));
  return actor;
}

function nodeAt(i: number): NodeSpec {
  const [high, low] = [i >> 8, i & 255];
  const name = `node-${String(i).padStart(4, '0')}`;
  return { name, ip: `172.${18 + high}.0.${low}`, podNetwork: `10.${high + 1}.${low}`, schedulable: true };
}

/** Creates a pod and returns its key. */
function createPod(actor: Actor, models: Map<App, Pod>, namespace: string, i: number, node: NodeSpec): string {
  const app = KINDS[i % KINDS.length] as App;
  const metadata = { namespace, name: `${app.name}-${i.toString(36)}-${randomLetters(5, actor.random)}` };
  const ip = `${node.podNetwork}.${2 + (Math.floor(i / PODS_PER_NODE) % 250)}`;
  const model = models.get(app);
  if (model) actor.store(stamped(model, { ...metadata, uid: newUid(actor.random) }, node, ip));
  else
    models.set(
      app,
      actor.create(firstPod(actor, app, metadata, node, ip), 'kubelet', { fixture: true }) as unknown as Pod,
    );
  return keyOfMeta(metadata);
}

/** Creates a pod as a controller does, but in the state Running. */
function firstPod(
  actor: Actor,
  app: App,
  metadata: { namespace: string; name: string },
  node: NodeSpec,
  ip: string,
): Pod {
  const { template } = deploymentOf(app).spec as { template: PodTemplate };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, ...metadata },
    spec: { ...template.spec, nodeName: node.name },
    status: { qosClass: 'Burstable' },
  };
  const status = creatingStatus(pod, node, actor.timestamp);
  return { ...pod, status: runningStatus({ ...pod, status }, ip, actor.timestamp, true) };
}

function stamped(
  model: Pod,
  metadata: { namespace: string; name: string; uid: string },
  node: NodeSpec,
  ip: string,
): Pod {
  const addresses = { hostIP: node.ip, hostIPs: [{ ip: node.ip }], podIP: ip, podIPs: [{ ip }] };
  return {
    ...model,
    metadata: { ...model.metadata, ...metadata },
    spec: { ...model.spec, nodeName: node.name },
    status: { ...model.status, ...addresses },
  };
}

/** Changes the readiness of one pod that exists and is not being deleted. */
function stir(actor: Actor, keys: readonly string[]): void {
  const key = actor.pick(keys);
  const pod = key === undefined ? undefined : actor.peek('Pod', key);
  if (!pod || pod.metadata.deletionTimestamp) return;
  const now = actor.timestamp;
  const managedFields = pod.metadata.managedFields?.map((m) => (m.manager === 'kubelet' ? { ...m, time: now } : m));
  const metadata = { ...pod.metadata, ...(managedFields ? { managedFields } : {}) };
  actor.store({ ...pod, metadata, status: runningStatus(pod, pod.status.podIP ?? '', now, !isReady(pod)) });
}
