// The operator of the tutorials: for each MyService it keeps a Deployment and a Service, and reports in its status.
//   node examples/myservice-operator.ts                          on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config node examples/myservice-operator.ts    on a cluster, until Ctrl-C
import { setTimeout as pause } from 'node:timers/promises';
import {
  controllerFor,
  createClient,
  createManager,
  createOrUpdate,
  type DeepReadonly,
  dynamicInformerFactory,
  EventRecorder,
  generationChanged,
  isConditionTrue,
  type KubeObject,
  loadConfig,
  parseGvr,
  retryOnConflict,
  serverSideApply,
  setCondition,
  setControllerReference,
  updateStatus,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Condition {
  type: string;
  status: string;
}
interface MyService extends KubeObject {
  spec: { image: string; port: number; replicas?: number };
  status?: { observedGeneration?: number; availableReplicas?: number; conditions?: Condition[] };
}
interface Deployment extends KubeObject {
  spec?: { replicas?: number; selector: object; template: object };
  status?: { availableReplicas?: number };
}
interface Service extends KubeObject {
  spec?: { selector?: object; ports?: object[] };
}
interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const MY_SERVICES = parseGvr<MyService>('example.com/v1/myservices');
const DEPLOYMENTS = parseGvr<Deployment>('apps/v1/deployments');
const SERVICES = parseGvr<Service>('v1/services');
const CONFIG_MAPS = parseGvr<ConfigMap>('v1/configmaps');
const CRDS = parseGvr('apiextensions.k8s.io/v1/customresourcedefinitions');
const FINALIZER = 'example.com/directory';
const fieldManager = 'myservice-operator';

const sandbox = process.env.KUBECONFIG ? undefined : await Sandbox.start({ socket: false });
const client = createClient(sandbox ? sandbox.transport() : await loadConfig());
await defineMyService();

const factory = dynamicInformerFactory(client);
const deployments = factory.forResource(DEPLOYMENTS);
const recorder = new EventRecorder(client, { component: fieldManager });

/** Brings the cluster to what one MyService asks for. It may run at any time, and again: it looks at what is there. */
async function reconcile(app: DeepReadonly<MyService>): Promise<void> {
  const { name = '', namespace = '' } = app.metadata;
  const { image, port, replicas = 1 } = app.spec;
  const labels = { app: name };
  const named = { metadata: { name, namespace } };
  const deployed = await createOrUpdate(
    client.resource(DEPLOYMENTS, { namespace }),
    { apiVersion: 'apps/v1', kind: 'Deployment', ...named },
    (deployment) => {
      setControllerReference(app, deployment); // so that it is deleted with its MyService
      const containers = [{ name: 'app', image, ports: [{ containerPort: port }] }];
      const template = { metadata: { labels }, spec: { containers } };
      deployment.spec = { ...deployment.spec, replicas, selector: { matchLabels: labels }, template };
    },
  );
  await createOrUpdate(
    client.resource(SERVICES, { namespace }),
    { apiVersion: 'v1', kind: 'Service', ...named },
    (service) => {
      setControllerReference(app, service);
      service.spec = { ...service.spec, selector: labels, ports: [{ port, targetPort: port }] };
    },
  );
  await changeDirectory((entries) => ({ ...entries, [`${namespace}.${name}`]: `${name}.${namespace}.svc:${port}` }));
  if (deployed !== 'unchanged') recorder.event(app, 'Normal', 'Deployed', `deployment ${name} was ${deployed}`);

  const availableReplicas = deployments.lister.get(`${namespace}/${name}`)?.status?.availableReplicas ?? 0;
  const isReady = availableReplicas >= replicas;
  await updateStatus(client.resource(MY_SERVICES, { namespace }), app, (draft, observedGeneration = 0) => {
    const conditions = setCondition(draft.status?.conditions, {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'AllAvailable' : 'Waiting',
      message: `${availableReplicas} of ${replicas} replicas are available`,
      observedGeneration,
    });
    draft.status = { observedGeneration, availableReplicas, conditions };
  });
}

/** Runs before a MyService is deleted, for what has no owner: its entry in the directory of all of them. */
async function cleanUp({ metadata: { name, namespace } }: DeepReadonly<MyService>): Promise<void> {
  await changeDirectory(({ [`${namespace}.${name}`]: _, ...others }) => others);
}

/** Several workers change the one directory, so a conflict is normal: read it again, and change what is there now. */
function changeDirectory(change: (entries: Record<string, string>) => Record<string, string>): Promise<unknown> {
  const metadata = { name: 'myservice-directory', namespace: 'default' };
  const resource = client.resource(CONFIG_MAPS, { namespace: 'default' });
  return retryOnConflict(() =>
    createOrUpdate(resource, { apiVersion: 'v1', kind: 'ConfigMap', metadata }, (directory) => {
      directory.data = change(directory.data ?? {});
    }),
  );
}

async function defineMyService(): Promise<void> {
  const fields = { image: { type: 'string' }, port: { type: 'integer' }, replicas: { type: 'integer', minimum: 0 } };
  const spec = { type: 'object', required: ['image', 'port'], properties: fields };
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } };
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };
  const names = { kind: 'MyService', plural: 'myservices', singular: 'myservice' };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'myservices.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  };
  const crds = client.resource<KubeObject & { status?: { conditions?: Condition[] } }>(CRDS);
  await serverSideApply(crds, definition, { fieldManager, force: true });
  const isServed = async () =>
    isConditionTrue((await crds.get(definition.metadata.name)).status?.conditions, 'Established');
  while (!(await isServed())) await pause(100);
}

const manager = createManager();
manager.add(factory);
manager.add(recorder); // it ends last, so the last Events are written, too
manager.add(
  await controllerFor(factory, MY_SERVICES, { predicate: generationChanged })
    .owns(DEPLOYMENTS)
    .owns(SERVICES)
    .finalizer(FINALIZER, cleanUp)
    .reconcile(reconcile, { workers: 4 }),
);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const running = manager.run(stop.signal);
console.log('the operator runs');

if (sandbox) {
  const shop = client.resource(MY_SERVICES, { namespace: 'default' });
  const metadata = { name: 'shop', namespace: 'default' };
  const spec = { image: 'nginx:1.27', port: 80, replicas: 2 };
  await shop.create({ apiVersion: 'example.com/v1', kind: 'MyService', metadata, spec });
  await eventually(() => sandbox.get(SERVICES, 'default/shop') !== undefined);
  await client // on a cluster, its own controllers report the replicas
    .resource(DEPLOYMENTS, { namespace: 'default' })
    .patch('shop', { status: { availableReplicas: 2 } }, { type: 'merge', subresource: 'status' });
  await eventually(async () => isConditionTrue((await shop.get('shop')).status?.conditions, 'Ready'));
  console.log('shop is ready:', (await shop.get('shop')).status?.availableReplicas, 'replicas');
  await shop.delete('shop');
  await eventually(() => sandbox.list(DEPLOYMENTS).length === 0);
  console.log('all of shop is gone; the directory:', sandbox.get(CONFIG_MAPS, 'default/myservice-directory')?.data);
  stop.abort();
}
await running;
await client.close();
await sandbox?.stop();
