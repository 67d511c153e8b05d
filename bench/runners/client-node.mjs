// @kubernetes/client-node's informer. URL MODE OBJECTS EVENTS
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { done, start } from './usage.mjs';

const [, , server, mode, objects, events] = process.argv;
const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'c', server, skipTLSVerify: true }],
  users: [{ name: 'u' }],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
});
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
const from = start();
const wanted = Number(mode === 'burst' ? events : objects);
let open = mode === 'burst' ? 3 : 1;
for (let h = open; h > 0; h--) {
  let seen = 0;
  informer.on(mode === 'burst' ? 'update' : 'add', () => {
    if (++seen === wanted && --open === 0) done({ from, objects: seen });
  });
}
informer.on('error', (error) => {
  process.stderr.write(`${error}\n`);
  process.exit(1);
});
await informer.start();
