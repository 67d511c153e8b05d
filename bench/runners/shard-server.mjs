// The sandbox as built, with a fleet of pods, in a process of its own: SANDBOX PODS IS_SHARDING KUBECONFIG. Says that it
// is ready, and answers each message of its parent: `usage` with its CPU time, `change N` after N changes of pods.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , library, pods, isSharding, kubeconfig] = process.argv;
const { Sandbox } = await import(pathToFileURL(library).href);
const sandbox = await Sandbox.start({
  seed: 1,
  scenario: 'fleet',
  scenarioOptions: { pods: Number(pods), ratePerSecond: 0 },
  featureGates: { ShardedListAndWatch: isSharding === 'true' },
});
writeFileSync(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
const POD = { apiVersion: 'v1', kind: 'Pod' };

process.on('message', async (word) => {
  const [verb, count] = String(word).split(' ');
  if (verb === 'change') await change(Number(count));
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rss: process.memoryUsage.rss() });
});
process.send('ready');

let turn = 0;
async function change(count) {
  const all = sandbox.list(POD);
  for (let i = 0; i < count; i++, turn++) {
    const { metadata, ...rest } = all[(i * 7919) % all.length];
    const { resourceVersion: _, ...kept } = metadata;
    sandbox.apply([{ ...rest, metadata: { ...kept, labels: { ...metadata.labels, turn: String(turn) } } }]);
    if (i % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
  }
}
