// A capacity watcher: how much of each node is requested by its pods, and what the unused part costs. The report is a
// ConfigMap that is written only when a figure changes, and a line for each change of it.
//   node examples/capacity-watcher.ts                          on a sandbox of its own, with a short demonstration
//   KUBECONFIG=~/.kube/config node examples/capacity-watcher.ts    on a cluster, until Ctrl-C
import {
  createClient,
  createController,
  createInformerSource,
  createManager,
  type DeepReadonly,
  dynamicInformerFactory,
  enqueueMapped,
  type KubeObject,
  loadConfig,
  parseGvr,
  parseQuantity,
  serverSideApply,
} from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';
import { eventually } from 'kubectl-informer/testing';

interface Pod extends KubeObject {
  spec: { nodeName?: string; containers: { name: string; image: string; resources?: { requests?: Amounts } }[] };
  status?: { phase?: string };
}
interface Node extends KubeObject {
  status?: { allocatable?: Amounts };
}
interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
type Amounts = Record<string, string>;

/** The price of an hour, by the type of the machine. */
const PRICES: Readonly<Record<string, number>> = { 'm5.large': 0.096, 'm5.xlarge': 0.192 };
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const REPORT = 'default/capacity-report';
const CONFIG_MAPS = parseGvr('v1/configmaps');

const sandbox = process.env.KUBECONFIG ? undefined : await Sandbox.start({ socket: false });
const client = createClient(sandbox ? sandbox.transport() : await loadConfig());
const factory = dynamicInformerFactory(client);
const nodes = factory.forResource<Node>(parseGvr('v1/nodes'));
const reports = factory.forResource<ConfigMap>(CONFIG_MAPS);
// Of a pod only what the report needs is kept, so that 100,000 pods are a small cache.
const pods = factory.forResource<Pod>(parseGvr('v1/pods'), {
  transform: ({
    apiVersion = 'v1',
    kind = 'Pod',
    metadata: { name = '', namespace = '', uid = '' },
    spec,
    status,
  }) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    spec: { nodeName: spec.nodeName ?? '', containers: spec.containers },
    status: { phase: status?.phase ?? '' },
  }),
});
pods.informer.addIndexers({ node: ({ spec }) => (spec.nodeName ? [spec.nodeName] : []) });

const isRunning = ({ status }: DeepReadonly<Pod>) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
const amountOf = (amounts: DeepReadonly<Amounts> | undefined, name: string) =>
  parseQuantity(amounts?.[name] ?? '0')?.toNumber() ?? 0;

function requestedOn(node: string, name: string): number {
  const containers = pods.lister
    .byIndex('node', node)
    .filter(isRunning)
    .flatMap(({ spec }) => spec.containers);
  return containers.reduce((total, { resources }) => total + amountOf(resources?.requests, name), 0);
}

/** One line of the report: `cpu 75% memory 50%, 0.024 $/h unused`. */
function usageOf({ metadata: { name = '', labels }, status }: DeepReadonly<Node>): string {
  const [cpu = 0, memory = 0] = ['cpu', 'memory'].map((resource) => {
    const allocatable = amountOf(status?.allocatable, resource);
    return allocatable === 0 ? 0 : requestedOn(name, resource) / allocatable;
  });
  const price = PRICES[labels?.[INSTANCE_TYPE] ?? ''];
  const waste = price === undefined ? '' : `, ${(price * (1 - Math.max(cpu, memory))).toFixed(3)} $/h unused`;
  return `cpu ${Math.round(cpu * 100)}% memory ${Math.round(memory * 100)}%${waste}`;
}

/** Writes the report. All events have one key, so a thousand changes at once lead to few runs. */
async function reconcile(): Promise<void> {
  const data = Object.fromEntries(nodes.lister.list().map((node) => [node.metadata.name ?? '', usageOf(node)]));
  const before = reports.lister.get(REPORT);
  const metadata = { name: 'capacity-report', namespace: 'default' };
  const { result } = await serverSideApply(
    client.resource<ConfigMap>(CONFIG_MAPS, { namespace: 'default' }),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { fieldManager: 'capacity-watcher', force: true, current: before },
  );
  if (result === 'unchanged') return;
  for (const [node, usage] of Object.entries(data))
    if (before?.data?.[node] !== usage) console.log(`${node}: ${usage}`);
}

const toReport = enqueueMapped(() => [REPORT]);
const manager = createManager();
manager.add(factory);
manager.add(
  createController({
    name: 'capacity',
    reconcile,
    sources: [
      createInformerSource(nodes.informer, { name: 'node', enqueue: toReport }),
      createInformerSource(pods.informer, { name: 'pod', enqueue: toReport }),
      createInformerSource(reports.informer, { name: 'report', predicate: ({ key }) => key === REPORT }),
    ],
  }),
);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const running = manager.run(stop.signal);

if (sandbox) {
  const report = () => (sandbox.get(CONFIG_MAPS, REPORT) as ConfigMap | undefined)?.data?.['node-a'] ?? '';
  const requests = (cpu: string, memory: string) => ({ requests: { cpu, memory } });
  const pod = (name: string, resources: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'nginx', resources }] },
  });
  sandbox.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-a', labels: { [INSTANCE_TYPE]: 'm5.large' } },
    status: { allocatable: { cpu: '2', memory: '8Gi' } },
  });
  sandbox.apply(pod('api', requests('500m', '1Gi')));
  await eventually(() => report().startsWith('cpu 25%'));
  sandbox.apply(pod('db', requests('1', '4Gi')));
  await eventually(() => report().startsWith('cpu 75%'));
  await client.resource(CONFIG_MAPS, { namespace: 'default' }).delete('capacity-report'); // it is written again
  await eventually(() => report() !== '');
  stop.abort();
}
await running;
await client.close();
await sandbox?.stop();
