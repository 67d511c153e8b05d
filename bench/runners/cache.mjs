// A cache of the library as built: OPTIONS as JSON, `library`, `url`, and what is named below. It syncs, settles and
// says one line of JSON; with `reads` it then looks objects up and filters all of them with CEL; with `keeps`
// the cache was asked beforehand to keep what these filters look at. After that it says its
// memory for each line on stdin, when it has followed as many changes as the line says, until stdin ends. `handler`: it
// also has a handler, which counts changes. Needs --expose-gc. The sources of CEL, which the package does not export,
// are those of this checkout.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const {
  library,
  url,
  resource = 'pods',
  store = 'objects',
  indexes = ['node', 'uid'],
  sync = 'auto',
  reads = false,
  keeps = false,
  handler = false,
  pauseMs = 100,
} = JSON.parse(process.argv[2]);
const INDEXERS = {
  node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []),
  app: ({ metadata: { labels } }) => (labels?.app ? [labels.app] : []),
  uid: ({ metadata: { uid } }) => (uid ? [uid] : []),
};
const FILTER = 'object.status.phase == "Running" && object.spec.containers.exists(c, c.image.endsWith(":1.7"))';
const FEW = 'object.spec.nodeName == "worker-00003" && object.status.phase == "Running"';
const LOOKUPS = 2000;
const HOT = 200;

const { createClient, createConfig, dynamicInformerFactory, keepYoungGenerationSmall } = await import(
  pathToFileURL(library).href
);
keepYoungGenerationSmall();
const client = createClient(
  { ...createConfig({ server: url }), disableCompression: true },
  { dropManagedFields: true },
);
const factory = dynamicInformerFactory(client, { sync, store });
const group = resource === 'widgets' ? 'example.com' : '';
const { informer, lister } = factory.forResource({ group, version: 'v1', resource });
if (keeps) for (const { fields } of await searches()) informer.keepFields(fields);
informer.addIndexers(Object.fromEntries(indexes.map((name) => [name, INDEXERS[name]])));
let changes = 0;
if (handler) informer.addHandler({ updated: (old, current) => void (old === current || changes++) });
const delay = monitorEventLoopDelay({ resolution: 1 });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const cpuOf = ({ user, system }) => (user + system) / 1000;
const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];

const base = await settled();
delay.enable();
await pause(50);
delay.reset();
const from = { at: performance.now(), cpu: process.cpuUsage() };
factory.start(new AbortController().signal);
await factory.waitForSync();
const took = { ms: performance.now() - from.at, cpuMs: cpuOf(process.cpuUsage(from.cpu)) };
await pause(5 * pauseMs); // packing may go on while nothing else runs
const blockMs = longestBlock();
const peakRss = process.resourceUsage().maxRSS * 1024;
const after = await settled();
say({
  objects: lister.size,
  ...took,
  packedMs: performance.now() - from.at,
  blockMs,
  base,
  peakRss,
  ...after,
  memory: informer.memory,
  ...(reads ? { ...(await lookups()), ...(await scans()) } : {}),
});
delay.reset();
let last = { at: performance.now(), cpu: process.cpuUsage(), changes: 0 };
for await (const wanted of createInterface({ input: process.stdin })) {
  for (let waits = 0; handler && changes < Number(wanted) && waits < 1000; waits++) await pause(10);
  const ms = performance.now() - last.at;
  const line = {
    ms,
    cpuMs: cpuOf(process.cpuUsage(last.cpu)),
    changes: changes - last.changes,
    blockMs: longestBlock(),
  };
  say({ ...line, unsettled: process.memoryUsage.rss(), ...(await settled()), memory: informer.memory });
  delay.reset();
  last = { at: performance.now(), cpu: process.cpuUsage(), changes };
}
process.exit(0);

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** How late the event loop got to a timer at worst, ms. */
function longestBlock() {
  return Math.max(0, delay.max / 1e6 - 1);
}

/**
 * The memory when there is nothing more to collect: V8 also moves objects together, as it does by itself in a process
 * that has little to do.
 */
async function settled() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await pause(pauseMs);
  }
  globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  await pause(3 * pauseMs);
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return { rss, heap: heapUsed, heapTotal, external };
}

/** The time of reads by index of one object each: the first read of each object, ms, and further ones of some, µs. */
async function lookups() {
  const uids = lister.indexValues('uid');
  const step = Math.max(1, Math.floor(uids.length / LOOKUPS));
  const chosen = Array.from({ length: Math.min(LOOKUPS, uids.length) }, (_, i) => uids[i * step]);
  const timed = (uid) => {
    const began = performance.now();
    const [found] = lister.byIndex('uid', uid);
    if (found?.metadata.uid !== uid) throw new Error(`a wrong object under ${uid}`);
    return performance.now() - began;
  };
  const first = Math.floor(chosen.length / 10); // while the code is not compiled yet
  for (const uid of chosen.slice(0, first)) timed(uid);
  const cold = chosen.slice(first).map(timed);
  const few = chosen.slice(-HOT);
  const rounds = [];
  for (let round = 0; round < 400; round++) {
    const began = performance.now();
    for (const uid of few) lister.byIndex('uid', uid);
    rounds.push(((performance.now() - began) * 1000) / few.length);
    await pause(0); // as in a program, V8 has time between
  }
  return { coldMs: at(cold, 0.5), coldP99Ms: at(cold, 0.99), hotUs: at(rounds.slice(100), 0.5) };
}

/** The two filters as compiled, and what a search for each looks at, as `query` does it. */
async function searches() {
  const { compileCel, OBJECT_VARIABLES } = await import('../../src/expr/cel/cel.ts');
  const { requiredTexts } = await import('../../src/expr/cel/push-down.ts');
  const { fieldsSeen } = await import('../../src/expr/cel/fields-seen.ts');
  const { addressText } = await import('../../src/model/field-path.ts');
  return [FEW, FILTER].map((source) => {
    const program = compileCel(source, { flag: '--filter', wants: 'bool', variables: OBJECT_VARIABLES });
    return { program, having: requiredTexts(program), fields: fieldsSeen(program).map(addressText) };
  });
}

/**
 * The time of two filters, µs an object: few objects have the text of the first, no text decides the other. Each is
 * searched for the first time, and again.
 */
async function scans() {
  const timed = ({ program, having, fields }) => {
    const began = performance.now();
    for (const object of lister.scan({ having, fields })) if (object) program.test({ object });
    return ((performance.now() - began) * 1000) / lister.size;
  };
  const [few, usual] = await searches();
  return { fewUs: timed(few), scanUs: timed(usual), fewAgainUs: timed(few), scanAgainUs: timed(usual) };
}
