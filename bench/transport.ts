// node bench/transport.ts [--quick]: HTTP/2 against pooled HTTP/1.1, as this client would use them, on one local TLS
// server that speaks both. The server is a process of its own, so the CPU time is the client's. What it decided:
// docs/decisions/http-version.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { Agent } from 'undici';

const WATCHES = 50;
const EVENT = `${JSON.stringify({ type: 'MODIFIED', object: { kind: 'Pod', filler: 'x'.repeat(3000) } })}\n`;
const LIST = Buffer.alloc(1 << 20, EVENT);
const LIST_MEGABYTES = 20;
/** A LIST that takes longer than this will not end. */
const STALLED_MS = 3000;

if (process.argv[2] === 'serve') await serve();
else await compare(process.argv.includes('--quick') ? 1 : 7);

/**
 * `/burst?n=` events as fast as they are taken; `/quiet` none; `/trickle` 20 a second; `/list` 20 MB; `/cut` hangs up;
 * anything else two bytes.
 */
async function serve(): Promise<void> {
  const pem = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  const settings = { maxConcurrentStreams: 250, initialWindowSize: 256 * 1024 }; // as kube-apiserver has them
  const server = http2.createSecureServer(
    { key: pem.private, cert: pem.cert, allowHTTP1: true, settings },
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'https://localhost');
      const write = async (chunk: string | Buffer) => response.write(chunk as string) || once(response, 'drain');
      response.on('error', () => {});
      response.writeHead(200, { 'content-type': 'application/json' });
      if (pathname === '/quiet' || pathname === '/trickle') {
        response.write(EVENT);
        const timer = pathname === '/trickle' ? setInterval(() => response.write(EVENT), 50) : undefined;
        response.on('close', () => clearInterval(timer));
        return;
      }
      if (pathname === '/cut') {
        response.write(EVENT);
        setTimeout(() => (response.stream?.session?.socket ?? request.socket).destroy(), 100);
        return;
      }
      if (pathname === '/burst') for (let n = Number(searchParams.get('n')); n > 0; n--) await write(EVENT);
      if (pathname === '/list') for (let n = 0; n < LIST_MEGABYTES; n++) await write(LIST);
      response.end('ok');
    },
  );
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

interface Sample {
  'open 50 watches, ms': number;
  '50 watches × 200 events of 3 kB, CPU ms': number;
  '… wall ms': number;
  'LIST of 20 MB beside 50 quiet watches, CPU ms': number;
  '… wall ms ': number;
  'small GET beside 50 watches × 20 events/s, median ms': number;
  '… 99th percentile ms': number;
  'LIST of 20 MB beside 3 watches without a reader, wall ms': number;
  'connections for 50 watches': number;
  'of 4 answers cut off, those that look complete': number;
}

async function compare(rounds: number): Promise<void> {
  const server = fork(import.meta.filename, ['serve'], { execArgv: [] });
  const [port] = await once(server, 'message');
  const samples: Record<'1.1' | '2', Sample[]> = { '1.1': [], '2': [] };
  for (let round = -1; round < rounds; round++) {
    for (const version of ['1.1', '2'] as const) {
      const sample = await measure(`https://127.0.0.1:${port}`, version === '2');
      if (round >= 0) samples[version].push(sample);
    }
  }
  server.kill();
  console.log(`${'median of'.padStart(57)} ${rounds}   HTTP/1.1     HTTP/2      ratio`);
  for (const name of Object.keys(samples['2'][0] ?? {}) as (keyof Sample)[]) {
    const [one, two] = (['1.1', '2'] as const).map((version) =>
      median(samples[version].map((sample) => sample[name])),
    ) as [number, number];
    console.log(
      `${name.padEnd(60)} ${one.toFixed(1).padStart(9)} ${two.toFixed(1).padStart(10)} ${(one > 0 ? `×${(two / one).toFixed(2)}` : '').padStart(10)}`,
    );
  }
}

/** HTTP/2 gets what it needs for this number of watches: without it they share 100 streams. */
function agentOf(allowH2: boolean): Agent {
  const connect = { rejectUnauthorized: false, keepAlive: true };
  return new Agent({
    connect,
    allowH2,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 30_000,
    maxConcurrentStreams: 1000,
  });
}

/** One round over connections of its own. */
async function measure(origin: string, allowH2: boolean): Promise<Sample> {
  let connections = 0;
  const agent = agentOf(allowH2);
  agent.on('connect', () => connections++);
  const aborting = new AbortController();
  const open = (path: string) => agent.request({ origin, path, method: 'GET', signal: aborting.signal });
  const watch = (path: string) => Promise.all(Array.from({ length: WATCHES }, () => open(path)));
  try {
    const opened = await timed(() => watch('/quiet'));
    for (const { body } of opened.result) body.on('error', () => {}).resume();
    const held = connections;
    const list = await timed(async () => drain((await open('/list')).body));
    if (list.result !== LIST_MEGABYTES * LIST.length + 2) throw new Error(`the LIST had ${list.result} bytes`);
    // the connections are there before the events are timed
    await Promise.all((await watch('/')).map(({ body }) => drain(body)));
    const burst = await timed(async () => Promise.all((await watch('/burst?n=200')).map(({ body }) => drain(body))));
    for (const { body } of await watch('/trickle')) body.on('error', () => {}).resume();
    const latencies: number[] = [];
    for (let i = 0; i < 300; i++) latencies.push((await timed(async () => text((await open('/')).body))).wall);
    const unread = await Promise.all(Array.from({ length: 3 }, () => open('/burst?n=10000')));
    for (const { body } of unread) body.on('error', () => {});
    const beside = await timed(async () => {
      const { body } = await open('/list');
      body.on('error', () => {});
      const given = setTimeout(() => body.destroy(), STALLED_MS);
      await drain(body).catch(() => {});
      clearTimeout(given);
    });
    return {
      'open 50 watches, ms': opened.wall,
      '50 watches × 200 events of 3 kB, CPU ms': burst.cpu,
      '… wall ms': burst.wall,
      'LIST of 20 MB beside 50 quiet watches, CPU ms': list.cpu,
      '… wall ms ': list.wall,
      'small GET beside 50 watches × 20 events/s, median ms': median(latencies),
      '… 99th percentile ms': latencies.sort((a, b) => a - b)[296] ?? 0,
      'LIST of 20 MB beside 3 watches without a reader, wall ms': beside.wall,
      'connections for 50 watches': held,
      'of 4 answers cut off, those that look complete': await lookingComplete(origin, allowH2),
    };
  } finally {
    aborting.abort();
    await agent.destroy();
  }
}

/** Of four answers that the server broke off in the middle: how many end as if nothing were missing. */
async function lookingComplete(origin: string, allowH2: boolean): Promise<number> {
  const agent = agentOf(allowH2);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => agent.request({ origin, path: '/cut', method: 'GET' })),
  );
  const ends = await Promise.allSettled(answers.map(({ body }) => drain(body)));
  await agent.destroy();
  return ends.filter(({ status }) => status === 'fulfilled').length;
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

async function timed<R>(run: () => Promise<R>): Promise<{ result: R; wall: number; cpu: number }> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const result = await run();
  const { user, system } = process.cpuUsage(cpu);
  return { result, wall: performance.now() - from, cpu: (user + system) / 1000 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
