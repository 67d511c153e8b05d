// Prints every change to the pods of a namespace. Then it deletes a pod and shows the result: the ReplicaSet creates
// another.
//   node examples/pod-watch.ts
// On a cluster: createClient(await loadConfig()), with the kubeconfig and credentials kubectl would use.
import { createClient, createConfig, dynamicInformerFactory, type KubeObject, parseGvr } from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';

interface Pod extends KubeObject {
  spec: { nodeName?: string };
  status?: { phase?: string };
}

const sandbox = await Sandbox.start({ scenario: 'rollout', seed: 7 });
const client = createClient(createConfig({ server: sandbox.url, token: sandbox.token, tls: { ca: sandbox.caPem } }));

const PODS = parseGvr('v1/pods');
const factory = dynamicInformerFactory(client, { namespaces: ['shop'], listOptions: { labelSelector: 'app=web' } });
const { informer, lister } = factory.forResource<Pod>(PODS);

const stop = new AbortController();
informer.addHandler({
  added: (pod, { key, cause, isInInitialList }) => {
    console.log(isInInitialList ? 'there  ' : 'added  ', key, pod.status?.phase ?? '', `(${cause})`);
  },
  updated: (before, pod, { key }) => {
    console.log(
      'updated',
      key,
      before.metadata.resourceVersion,
      '→',
      pod.metadata.resourceVersion,
      pod.spec.nodeName ?? 'on no node yet',
    );
    if (!before.spec.nodeName && pod.spec.nodeName) stop.abort();
  },
  deleted: (_pod, { key, finalStateUnknown }) =>
    console.log('deleted', key, finalStateUnknown ? '(not seen, inferred)' : ''),
});

factory.start(AbortSignal.any([stop.signal, AbortSignal.timeout(5000)]));
const sync = await factory.waitForSync(undefined, { timeoutMs: 3000 });
const late = sync.asError();
if (late) throw late;
console.log(`synced: ${lister.size} pods at version ${lister.resourceVersion}`);

const [first] = lister.list();
if (first?.metadata.name)
  await client.resource(PODS, { namespace: 'shop' }).delete(first.metadata.name, { gracePeriodSeconds: 0 });

await factory.shutdown();
await client.close();
await sandbox.stop();
