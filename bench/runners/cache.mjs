// A cache of the library as built, with two indexes of its own. LIBRARY URL STORE [STORM_SECONDS]: syncs, settles, then
// reads: by index what was not read before and what was, and every object with a CEL filter. With STORM_SECONDS it then
// follows the changes of a watch for as long. Needs --expose-gc. Says one line of JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const [, , library, url, store, stormSeconds] = process.argv;
const { compileCel, OBJECT_VARIABLES } = await import('../../src/expr/cel/cel.ts');
const { createClient, createConfig, dynamicInformerFactory, keepYoungGenerationSmall } = await import(
  pathToFileURL(library).href
);
keepYoungGenerationSmall();
const client = createClient(
  { ...createConfig({ server: url }), disableCompression: true },
  { dropManagedFields: true },
);
const factory = dynamicInformerFactory(client, { sync: 'auto', ...(store === 'plain' ? {} : { store }) });
const { informer, lister } = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
informer.addIndexers({
  node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []),
  uid: (pod) => (pod.metadata.uid ? [pod.metadata.uid] : []),
});
const signal = new AbortController().signal;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const cpu = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1000;
const median = (values, part = 0.5) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];

const base = await settled();
const delay = monitorEventLoopDelay({ resolution: 1 });
await pause(50);
delay.enable();
const from = { at: performance.now(), cpu: cpu() };
factory.start(signal);
await factory.waitForSync();
const sync = { ms: performance.now() - from.at, cpuMs: cpu() - from.cpu };
await pause(200); // packing goes on while nothing else runs
delay.disable();
const peak = process.resourceUsage().maxRSS * 1024;
const after = await settled();
const objects = lister.size;
const reads = { ...lookups(), ...scan() };
const storm = stormSeconds ? await followed(Number(stormSeconds)) : {};
const { packed, textBytes, storedBytes, blocks, isCompressed } = informer.memory ?? {};
const line = {
  objects,
  ...sync,
  blockMs: Math.max(0, delay.max / 1e6 - 1),
  baseRss: base.rss,
  peakRss: peak,
  rss: after.rss,
  heap: after.heapUsed - base.heapUsed,
  external: after.external - base.external,
  ...reads,
  ...storm,
  memory: { packed, textBytes, storedBytes, blocks, isCompressed },
};
process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0));

async function settled() {
  for (let i = 0; i < 6; i++) {
    globalThis.gc();
    await pause(i < 3 ? 50 : 300);
  }
  return process.memoryUsage();
}

/** The time of reads by index of one object each, ms: first reads, and further ones. */
function lookups() {
  const uids = lister.indexValues('uid');
  const chosen = Array.from({ length: Math.min(2000, uids.length) }, (_, i) => uids[(i * 7919) % uids.length]);
  const timed = (uid) => {
    const began = performance.now();
    const [found] = lister.byIndex('uid', uid);
    if (found?.metadata.uid !== uid) throw new Error(`a wrong object under ${uid}`);
    return performance.now() - began;
  };
  for (const uid of chosen.slice(0, 200)) timed(uid);
  const cold = chosen.slice(200).map(timed);
  const few = chosen.slice(-300);
  for (let i = 0; i < 20; i++) for (const uid of few) lister.byIndex('uid', uid);
  const began = performance.now();
  for (let i = 0; i < 100; i++) for (const uid of few) lister.byIndex('uid', uid);
  const hotUs = ((performance.now() - began) * 1000) / (100 * few.length);
  return { coldMs: median(cold), coldP99Ms: median(cold, 0.99), hotUs };
}

/** The time of a CEL filter over all objects, µs for each. */
function scan() {
  const source = 'object.status.phase == "Running" && object.spec.containers.exists(c, c.image.endsWith(":1.7"))';
  const program = compileCel(source, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES });
  let found = 0;
  const began = performance.now();
  for (const object of lister.values()) if (program.test({ object }) === true) found++;
  return { scanUs: ((performance.now() - began) * 1000) / objects, found };
}

/** Follows changes: memory after a part of the time, and at the end. */
async function followed(seconds) {
  let changes = 0;
  informer.onState(() => {});
  informer.addHandler({ updated: () => void changes++ });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  await pause((seconds * 1000) / 4);
  changes = 0;
  const began = { at: performance.now(), cpu: cpu() };
  loop.enable();
  const warm = process.memoryUsage().rss;
  const warmSettled = (await settled()).rss;
  await pause((seconds * 3000) / 4);
  loop.disable();
  const took = performance.now() - began.at;
  const rate = changes / (took / 1000);
  const cpuShare = (cpu() - began.cpu) / took;
  const rss = process.memoryUsage().rss;
  const last = (await settled()).rss;
  return {
    storm: { rate, cpuShare, warmRss: warm, endRss: rss, warmSettled, endSettled: last, blockMs: loop.max / 1e6 },
  };
}
