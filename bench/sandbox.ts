import { type ApiResponse, Sandbox } from '../src/sandbox/index.ts';
import { generate } from './generator.ts';

const WATCHERS = 10;
const EVENTS = 5_000;

/**
 * The sandbox under load, in-process, as lines to print: how fast objects load and what they weigh, how fast a LIST
 * streams, and what it takes to bring a second's worth of 5,000 events to ten watchers. CPU time, so that one core is
 * what is measured.
 */
export async function sandboxUnderLoad(count: number): Promise<string[]> {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const before = heap(); // what is applied is let go of again; what is left over this is the store's
  const objects = generate(count).map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod }));
  const bytes = JSON.stringify(objects).length;
  const load = await cpuMs(async () => sandbox.apply(objects));
  objects.length = 0;
  const held = heap() - before;
  const lines = [
    `load ${count} pods of ${kb(bytes / count)}: ${(load / 1000).toFixed(2)} s, ${kb(held / count)} of heap each`,
  ];
  for (const which of ['first', 'second']) {
    let size = 0;
    const ms = await cpuMs(async () => {
      size = await drained(await sandbox.handle({ method: 'GET', path: '/api/v1/pods' }));
    });
    lines.push(`${which} LIST: ${(size / 1e6).toFixed(0)} MB at ${(size / 1e3 / ms).toFixed(0)} MB/s`);
  }
  lines.push(`with their text, made by the first LIST: ${kb((heap() - before) / count)} of heap each`);
  lines.push(await followed(sandbox));
  return lines;
}

async function followed(sandbox: Sandbox): Promise<string> {
  const leave = new AbortController();
  const path = `/api/v1/pods?watch=1&resourceVersion=${sandbox.resourceVersion}`;
  let seen = 0;
  const readers = Array.from({ length: WATCHERS }, async () => {
    const { body } = await sandbox.handle({ method: 'GET', path, signal: leave.signal });
    for await (const chunk of body) seen += linesIn(chunk);
  });
  const changed = sandbox.list({ apiVersion: 'v1', kind: 'Pod' }).slice(0, EVENTS);
  const ms = await cpuMs(async () => {
    for (const [i, pod] of Array.from({ length: EVENTS }, (_, n) => [n, changed[n % changed.length]] as const)) {
      const metadata = { ...pod?.metadata, labels: { ...pod?.metadata.labels, turn: String(i) } };
      sandbox.apply({ ...pod, metadata });
      if (i % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    }
    while (seen < EVENTS * WATCHERS) await new Promise((resolve) => setImmediate(resolve));
  });
  leave.abort();
  await Promise.all(readers);
  return `${EVENTS} changes, each to ${WATCHERS} watchers: ${(ms / 1000).toFixed(2)} s, ${Math.round(EVENTS / (ms / 1000))} a second`;
}

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}

async function drained({ body }: ApiResponse): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
