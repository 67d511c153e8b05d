import { microTimestamp, timestamp } from '../cluster.ts';
import { randomLetters } from '../write/identity.ts';
import { APPS, type App, deploymentOf, NODES, nodeObject, serviceOf, settings } from './shop.ts';
import type { Actor, Writable } from './workloads/actor.ts';
import { REVISION, replicaSetOf, settledStatus } from './workloads/deployments.ts';
import type { Kubelet } from './workloads/kubelet.ts';
import { controllerReference, settledSetStatus } from './workloads/replica-sets.ts';
import { templateHash } from './workloads/template-hash.ts';
import type { Deployment, Pod, ReplicaSet } from './workloads/workload-types.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Creates a cluster as it is after some hours: nodes, namespaces, settings, and all apps with ready pods. */
export function createSettledCluster(actor: Actor, kubelet: Kubelet): void {
  const born = timestamp(actor.now - 12 * DAY_MS);
  const fixture = { fixture: true };
  const aged = <T extends Writable>(object: T, since = born): T => ({
    ...object,
    metadata: { ...object.metadata, creationTimestamp: since },
  });
  for (const node of NODES) {
    actor.create(aged(nodeObject(node, born)), 'kubelet', fixture);
    actor.create(aged(leaseOf(node.name, actor.now)), 'kubelet', fixture);
  }
  actor.create(aged({ kind: 'Namespace', metadata: { name: 'shop' } }), 'kubectl-create', fixture);
  for (const namespace of ['default', 'kube-system', 'shop']) {
    actor.create(
      aged({ kind: 'ServiceAccount', metadata: { name: 'default', namespace } }),
      'kube-controller-manager',
      fixture,
    );
    actor.create(aged(rootCertificateOf(namespace)), 'kube-controller-manager', fixture);
  }
  for (const object of settings()) actor.create(aged(object), 'kubectl-create', fixture);
  for (const app of APPS) {
    actor.create(aged(serviceOf(app)), 'kubectl-client-side-apply', fixture);
    createApp(actor, kubelet, app, born, timestamp(actor.now - actor.between(20, 600) * MINUTE_MS));
  }
}

/** The Lease that a node renews as its heartbeat. */
export function leaseOf(name: string, now: number): Writable & { spec: object } {
  return {
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(now) },
  };
}

function rootCertificateOf(namespace: string): Writable & { data: object } {
  const data = { 'ca.crt': 'the certificate of the sandbox\n' };
  return { kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace }, data };
}

function createApp(actor: Actor, kubelet: Kubelet, app: App, born: string, rolledOut: string): void {
  const manifest = deploymentOf(app) as unknown as Deployment;
  manifest.metadata = { ...manifest.metadata, creationTimestamp: born, annotations: { [REVISION]: '1' } };
  manifest.status = settledStatus(app, rolledOut);
  const deployment = actor.create(manifest, 'kubectl-client-side-apply', { fixture: true }) as unknown as
    | Deployment
    | undefined;
  if (!deployment) return; // it exists from an earlier start
  const hash = templateHash(deployment.spec.template);
  const set = replicaSetOf(deployment, hash, app.replicas, 1);
  set.metadata.creationTimestamp = rolledOut;
  set.status = settledSetStatus(app.replicas);
  const created = actor.create(set, 'kube-controller-manager', { fixture: true }) as unknown as ReplicaSet;
  for (let i = 0; i < app.replicas; i++) createPod(actor, kubelet, created, rolledOut);
}

function createPod(actor: Actor, kubelet: Kubelet, set: ReplicaSet, since: string): void {
  const node = kubelet.nextNode();
  const { metadata, spec } = set.spec.template;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      generateName: `${set.metadata.name}-`,
      name: `${set.metadata.name}-${randomLetters(5, actor.random)}`,
      ...(set.metadata.namespace ? { namespace: set.metadata.namespace } : {}),
      creationTimestamp: since,
      ownerReferences: [controllerReference(set)],
    },
    spec: { ...spec, nodeName: node.name },
    status: { qosClass: 'Burstable' },
  };
  actor.create({ ...pod, status: kubelet.settledStatus(pod, node, since) } as Pod, 'kube-controller-manager', {
    fixture: true,
  });
}
