// The library as built. LIBRARY URL MODE [EVENTS], with the mode `sync`, `plain` (with Node's own settings of memory),
// `whole` (the same, managedFields kept), `metadata` (metadata only), `compact` (objects kept compressed), `block` (with the longest block of the event
// loop) or `burst` (EVENTS changes to three handlers). The URL `kubeconfig` means the server of the kubeconfig in the
// environment. BENCH_CA names the certificate of a server over TLS; BENCH_IDENTITY=1 asks for no compression.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { done, start } from './usage.mjs';

const [, , library, url, mode, events] = process.argv;
const { createClient, dynamicInformerFactory, keepYoungGenerationSmall, createConfig, loadConfig } = await import(
  pathToFileURL(library).href
);
if (mode !== 'plain' && mode !== 'whole') keepYoungGenerationSmall?.(); // an older copy may not have it
const tls = process.env.BENCH_CA === undefined ? {} : { ca: readFileSync(process.env.BENCH_CA) };
const disableCompression = process.env.BENCH_IDENTITY === '1';
const config =
  url === 'kubeconfig' ? await loadConfig() : { ...createConfig({ server: url, tls }), disableCompression };
const client = createClient(config, { dropManagedFields: mode !== 'whole' });
const factory = dynamicInformerFactory(client, {
  sync: 'auto',
  metadataOnly: mode === 'metadata',
  store: mode === 'compact' ? 'compact' : 'objects',
});
const { informer, lister } = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
const signal = new AbortController().signal;

if (mode === 'burst') await burst();
else await sync();

async function sync() {
  const delay = mode === 'block' ? await loopDelay() : undefined;
  const from = start();
  factory.start(signal);
  await factory.waitForSync();
  const extra = delay ? { blockMs: delay.longest() } : {};
  done({ from, objects: lister.size, ...extra });
}

async function burst() {
  const wanted = Number(events);
  let from;
  let open = 3;
  for (let h = 0; h < 3; h++) {
    let seen = 0;
    informer.addHandler({
      updated() {
        if (++seen === wanted && --open === 0) done({ from, objects: seen });
      },
    });
  }
  from = start();
  factory.start(signal);
}

/** How late the event loop got to a timer at worst. */
async function loopDelay() {
  const { monitorEventLoopDelay } = await import('node:perf_hooks');
  const resolution = 1;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  await new Promise((resolve) => setTimeout(resolve, 50));
  histogram.reset();
  return { longest: () => histogram.max / 1e6 - resolution };
}
