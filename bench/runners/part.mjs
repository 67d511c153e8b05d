// The library as built, with one part of the pods, or all of them: LIBRARY KUBECONFIG [INDEX OF]. Says what the initial
// list took, then, after a line on stdin, what the changes since then took. Node must be started with --expose-gc.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , library, kubeconfig, index, of] = process.argv;
const { createClient, dynamicInformerFactory, keepYoungGenerationSmall, loadConfig } = await import(
  pathToFileURL(library).href
);
const { shardingOf } = await import(new URL('./cache.js', pathToFileURL(library)).href);
keepYoungGenerationSmall();
const config = await loadConfig({ kubeconfigText: readFileSync(kubeconfig, 'utf8') });
Object.assign(config, { disableCompression: true }); // the bytes are those of JSON
const client = createClient(config, { dropManagedFields: true });
await client.version();
const shard = index === undefined ? undefined : { index: Number(index), of: Number(of), by: 'uid' };
const factory = dynamicInformerFactory(client, { sync: 'auto', shard });
const { informer, lister } = factory.forResource({ group: '', version: 'v1', resource: 'pods' });

const before = await settledMemory();
let from = process.cpuUsage();
factory.start(new AbortController().signal);
await factory.waitForSync();
await say();
from = process.cpuUsage();
await once(createInterface({ input: process.stdin }), 'line');
await say();
process.exit(0);

async function say() {
  const { user, system } = process.cpuUsage(from);
  const peakRss = process.resourceUsage().maxRSS * 1024;
  const after = await settledMemory();
  const [{ bytes, events }] = client.stats();
  const [{ dividedBy, leftOut } = {}] = shardingOf(informer);
  process.stdout.write(
    `${JSON.stringify({
      objects: lister.size,
      bytes,
      events,
      cpuMs: (user + system) / 1000,
      heap: after.heap - before.heap,
      rss: after.rss - before.rss,
      peakRss: peakRss - before.rss,
      dividedBy,
      leftOut,
    })}\n`,
  );
}

/** What is left when there is nothing more to collect. */
async function settledMemory() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}
