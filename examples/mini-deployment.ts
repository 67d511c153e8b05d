// A Deployment controller in miniature: Deployment → ReplicaSets → Pods, with a rolling update that never has fewer
// available pods than asked for. The types are of its own group, so that it does not meet the real controllers.
//   node examples/mini-deployment.ts                          on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config node examples/mini-deployment.ts    on a cluster, until Ctrl-C
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  controllerOf,
  createClient,
  createController,
  createInformerSource,
  createManager,
  createObjectReconciler,
  type DeepReadonly,
  dynamicInformerFactory,
  enqueueOwner,
  isAlreadyExists,
  isConditionTrue,
  isConflict,
  isNotFound,
  type KubeObject,
  loadConfig,
  ownerReference,
  parseGvr,
  serverSideApply,
  updateStatus,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Template {
  metadata?: { labels?: Record<string, string> };
  spec: { containers: { name: string; image: string }[] };
}
interface Workload extends KubeObject {
  spec: { replicas: number; template: Template };
  status?: { replicas?: number; readyReplicas?: number; updatedReplicas?: number };
}
interface WithConditions extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}
interface Pod extends WithConditions {
  spec: Template['spec'];
}

const DEPLOYMENTS = parseGvr('mini.example.com/v1/deployments');
const REPLICA_SETS = parseGvr('mini.example.com/v1/replicasets');
const PODS = parseGvr('v1/pods');
const apiVersion = 'mini.example.com/v1';

const sandbox = process.env.KUBECONFIG ? undefined : await Sandbox.start({ socket: false });
const client = createClient(sandbox ? sandbox.transport() : await loadConfig());
await define('Deployment', 'deployments');
await define('ReplicaSet', 'replicasets');

const factory = dynamicInformerFactory(client);
const deployments = factory.forResource<Workload>(DEPLOYMENTS);
const replicaSets = factory.forResource<Workload>(REPLICA_SETS);
const pods = factory.forResource<Pod>(PODS);
const byOwner = (object: DeepReadonly<KubeObject>) => [controllerOf(object)?.uid ?? ''];
replicaSets.informer.addIndexers({ owner: byOwner });
pods.informer.addIndexers({ owner: byOwner });

/** One step of a rolling update. Each step changes something, which leads to the next run. */
async function reconcileDeployment(deployment: DeepReadonly<Workload>): Promise<void> {
  const { name, namespace = '', uid = '' } = deployment.metadata;
  const { replicas: wanted, template } = deployment.spec;
  const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
  const sets = replicaSets.lister.byIndex('owner', uid);
  const current = sets.find(({ metadata }) => metadata.name === `${name}-${hash}`);
  const old = sets.filter((set) => set !== current);
  if (current) {
    // at most one pod more than wanted
    const room = wanted + 1 - sum(sets, ({ spec }) => spec.replicas);
    const grown = Math.min(wanted, current.spec.replicas + Math.max(0, room));
    if (grown !== current.spec.replicas) await scale(current, grown);
    // an old pod goes only when the others are enough; one that is not available may always go
    let spare = sum(sets, ({ status }) => status?.readyReplicas ?? 0) - wanted;
    for (const set of old) {
      const available = set.status?.readyReplicas ?? 0;
      const kept = Math.max(0, available - Math.max(0, spare));
      spare -= available - kept;
      if (kept < set.spec.replicas) await scale(set, kept);
      else if (set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0) await remove(REPLICA_SETS, set);
    }
  } else {
    await create<Workload>(REPLICA_SETS, {
      apiVersion,
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        ownerReferences: [ownerReference(deployment, { controller: true })],
      },
      spec: { replicas: old.length === 0 ? wanted : 0, template },
    });
  }
  await updateStatus(client.resource<Workload>(DEPLOYMENTS, { namespace }), deployment, (draft) => {
    const ready = sum(sets, ({ status }) => status?.readyReplicas ?? 0);
    draft.status = { replicas: sum(sets, ({ status }) => status?.replicas ?? 0), readyReplicas: ready };
    draft.status.updatedReplicas = current?.status?.replicas ?? 0;
  }).catch(unless(isNotFound));
}

/**
 * Pods have the numbers 0 to replicas - 1 in their names. So a cache that is behind never leads to a pod too many: the
 * server refuses the second one with the same name.
 */
async function reconcileReplicaSet(set: DeepReadonly<Workload>): Promise<void> {
  const { name, namespace = '', uid = '' } = set.metadata;
  const owned = pods.lister.byIndex('owner', uid);
  const names = Array.from({ length: set.spec.replicas }, (_, i) => `${name}-${i}`);
  for (const podName of names.filter((each) => !owned.some(({ metadata }) => metadata.name === each))) {
    const ownerReferences = [ownerReference(set, { controller: true })];
    const metadata = { ...set.spec.template.metadata, name: podName, namespace, ownerReferences };
    await create<Pod>(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec: set.spec.template.spec });
  }
  for (const pod of owned) if (!names.includes(pod.metadata.name ?? '')) await remove(PODS, pod);
  await updateStatus(client.resource<Workload>(REPLICA_SETS, { namespace }), set, (draft) => {
    draft.status = { replicas: owned.length, readyReplicas: owned.filter(isReady).length };
  }).catch(unless(isNotFound));
}

const isReady = ({ metadata, status }: DeepReadonly<Pod>) =>
  !metadata.deletionTimestamp && isConditionTrue(status?.conditions, 'Ready');
const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((total, item) => total + of(item), 0);

async function scale(
  { metadata: { name = '', namespace, resourceVersion } }: DeepReadonly<Workload>,
  replicas: number,
) {
  const patch = { metadata: { resourceVersion }, spec: { replicas } }; // a condition: it is the state that was seen
  await client.resource(REPLICA_SETS, { namespace }).patch(name, patch, { type: 'merge' }).catch(unless(isConflict));
}

async function create<T extends KubeObject>(gvr: typeof PODS, object: DeepReadonly<T>): Promise<void> {
  const { namespace } = object.metadata;
  await client.resource(gvr, { namespace }).create(object).catch(unless(isAlreadyExists));
}

async function remove(gvr: typeof PODS, { metadata: { name = '', namespace, uid = '' } }: DeepReadonly<KubeObject>) {
  await client.resource(gvr, { namespace }).delete(name, { preconditions: { uid } }).catch(unless(isNotFound));
}

/** The cache is behind the server when such an error comes. Then an event is on its way, and leads to another run. */
function unless(isExpected: (error: unknown) => boolean) {
  return (error: unknown) => {
    if (!isExpected(error)) throw error;
  };
}

async function define(kind: string, plural: string): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };
  const spec = { group: 'mini.example.com', scope: 'Namespaced', names: { kind, plural }, versions: [version] };
  const metadata = { name: `${plural}.mini.example.com` };
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  const crds = client.resource<WithConditions>(parseGvr('apiextensions.k8s.io/v1/customresourcedefinitions'));
  await serverSideApply(crds, crd, { fieldManager: 'mini-deployment', force: true });
  while (!isConditionTrue((await crds.get(metadata.name)).status?.conditions, 'Established')) await pause(100);
}

const ownedBy = (kind: string) => enqueueOwner({ group: 'mini.example.com', kind });
const manager = createManager();
manager.add(factory);
manager.add(
  createController({
    name: 'deployments',
    sources: [
      createInformerSource(deployments.informer, { name: 'deployment', isPrimary: true }),
      createInformerSource(replicaSets.informer, { name: 'replicaset', enqueue: ownedBy('Deployment') }),
    ],
    reconcile: createObjectReconciler(deployments.lister, reconcileDeployment),
  }),
);
manager.add(
  createController({
    name: 'replicasets',
    sources: [
      createInformerSource(replicaSets.informer, { name: 'replicaset', isPrimary: true }),
      createInformerSource(pods.informer, { name: 'pod', enqueue: ownedBy('ReplicaSet') }),
    ],
    reconcile: createObjectReconciler(replicaSets.lister, reconcileReplicaSet),
  }),
);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const running = manager.run(stop.signal);
console.log('the controllers run');

if (sandbox) {
  const inDefault = { namespace: 'default' };
  let fewest = Number.POSITIVE_INFINITY;
  const images = () => pods.lister.list().map(({ spec }) => spec.containers[0]?.image);
  pods.informer.addHandler({
    added({ metadata: { name = '' } }) {
      // the part of the kubelet: each pod becomes ready
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      void client.resource(PODS, inDefault).patch(name, { status }, { type: 'merge', subresource: 'status' });
    },
    deleted: () => {
      fewest = Math.min(fewest, pods.lister.list().filter(isReady).length);
    },
  });
  const web = client.resource<Workload>(DEPLOYMENTS, inDefault);
  const template = (image: string) => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image }] },
  });
  const metadata = { name: 'web', ...inDefault };
  await web.create({
    apiVersion,
    kind: 'Deployment',
    metadata,
    spec: { replicas: 3, template: template('nginx:1.27') },
  });
  await eventually(async () => (await web.get('web')).status?.readyReplicas === 3);
  console.log('created:', ...images());
  await web.patch('web', { spec: { template: template('nginx:1.28') } }, { type: 'merge' });
  await eventually(() => images().length === 3 && images().every((image) => image === 'nginx:1.28'));
  console.log('updated:', ...images(), '- never fewer than', fewest, 'were ready');
  stop.abort();
}
await running;
await client.close();
await sandbox?.stop();
