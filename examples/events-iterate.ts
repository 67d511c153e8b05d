// Reads an informer's changes with `for await`. The reader sets the pace: while it is busy, the informer stops reading
// from the server. So a slow reader uses no more memory, and misses no change.
//   node examples/events-iterate.ts
import { createClient, dynamicInformerFactory, type KubeObject, parseGvr } from 'kubectl-informer';
import { Sandbox } from 'kubectl-informer/sandbox';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const CHANGES = 3000;
const counter = (count: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'counter', namespace: 'shop' },
  data: { count: String(count) },
});

const sandbox = await Sandbox.start({ socket: false });
sandbox.apply(counter(0));
const client = createClient(sandbox.transport());

const factory = dynamicInformerFactory(client, { namespaces: ['shop'] });
const { informer, lister } = factory.forResource<ConfigMap>(parseGvr('v1/configmaps'));
const stop = new AbortController();
factory.start(stop.signal);

const behind = () => Number(sandbox.resourceVersion) - Number(lister.resourceVersion);
let seen = 0;

for await (const event of informer.events({ signal: stop.signal, limit: 100 })) {
  if (event.kind === 'synced') {
    console.log('synced; now', CHANGES, 'changes at once');
    for (let count = 1; count <= CHANGES; count++) sandbox.apply(counter(count));
    continue;
  }
  if (event.kind !== 'updated') continue;
  seen++;
  if (seen % 1000 === 1) {
    await new Promise((resolve) => setTimeout(resolve, 50)); // busy
    console.log(`read ${seen}; the cache has not read ${behind()} more versions`);
  }
  if (event.object.data?.count === String(CHANGES)) break; // leaving the loop lets go of the subscription
}

console.log(`read all ${seen} changes, in order; ${behind()} behind`);
stop.abort();
await factory.shutdown();
await sandbox.stop();
