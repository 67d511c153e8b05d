// Answers questions from the cache with its own indexes: which pods run on a node, which images are in use and how
// often.
//   node examples/index-lookup.ts
import { createClient, dynamicInformerFactory, type KubeObject, parseGvr } from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';

interface Pod extends KubeObject {
  spec: { nodeName?: string; containers: { image: string }[] };
}

const sandbox = await Sandbox.start({ scenario: 'rollout', seed: 7, socket: false });
const client = createClient(sandbox.transport());

const factory = dynamicInformerFactory(client);
const { informer, lister } = factory.forResource<Pod>(parseGvr('v1/pods'));

// An index function gives the values an object is found under: none, one or several. It must depend on the object
// alone.
informer.addIndexers({
  node: (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []),
  image: (pod) => pod.spec.containers.map(({ image }) => image),
});

const stop = new AbortController();
factory.start(stop.signal);
await factory.waitForSync();

for (const node of lister.indexValues('node').sort()) {
  console.log(node, lister.indexKeys('node', node).join(' '));
}

const images = lister.indexValues('image').map((image) => ({ image, pods: lister.indexCount('image', image) }));
for (const { image, pods } of images.sort((a, b) => b.pods - a.pods)) console.log(`${pods} × ${image}`);

// Both questions at once: ask the narrower index, then look at what it gives.
const inShop = lister.byIndex('node', 'worker-1').filter((pod) => pod.metadata.namespace === 'shop');
console.log(`worker-1 runs ${inShop.length} pods of namespace shop`);

stop.abort();
await factory.shutdown();
await sandbox.stop();
