import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { endToEnd } from '../../bench/end-to-end.ts';
import { gateRows } from '../../bench/gate/gate-rows.ts';
import { generate, ObjectTexts } from '../../bench/generator.ts';
import { measure } from '../../bench/harness.ts';
import { ownCluster } from '../../bench/own-cluster.ts';
import { measureIdle, measureProcess } from '../../bench/processes.ts';
import { findPrograms, runner } from '../../bench/programs.ts';
import { ReplayServer } from '../../bench/replay.ts';
import { measureStages } from '../../bench/stages.ts';
import { startRows } from '../../bench/start-rows.ts';
import { createClient } from '../../src/client/client.ts';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { dynamicInformerFactory } from '../../src/informer/informer-factory.ts';
import type { SyncMode } from '../../src/informer/watch/list-plan.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const OBJECTS = 200;
const BYTES = 4000;
const PODS = { group: '', version: 'v1', resource: 'pods' };
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
const isBuilt = existsSync(path.resolve(import.meta.dirname, '../../dist/index.js'));
const kubectl = findKubectl();

interface Named {
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string; managedFields?: unknown };
}

describe('the generator', () => {
  it('makes as many objects as asked for, each with a name, a uid and a version of its own', () => {
    const pods = generate(OBJECTS) as Named[];
    for (const field of ['name', 'uid', 'resourceVersion'] as const) {
      expect(new Set(pods.map(({ metadata }) => metadata[field])).size).toBe(OBJECTS);
    }
  });

  it('makes deployments of the size asked for, a third of it managedFields', () => {
    const [object] = generate(1, { kind: 'deployments', bytes: 7000 }) as Named[];
    const size = JSON.stringify(object).length;
    expect(size).toBeGreaterThan(6_700);
    expect(size).toBeLessThan(7_200);
    expect(JSON.stringify(object?.metadata.managedFields).length / size).toBeCloseTo(1 / 3, 1);
  });

  it('makes pods of the mean size asked for', () => {
    const mean = JSON.stringify(generate(40, { bytes: 15_000 })).length / 40;
    expect(mean).toBeGreaterThan(14_500);
    expect(mean).toBeLessThan(15_500);
  });

  it('makes the same for the same seed, and others for another', () => {
    expect(generate(3, { seed: 5 })).toEqual(generate(3, { seed: 5 }));
    expect(generate(1, { seed: 5 })).not.toEqual(generate(1, { seed: 6 }));
  });

  it('writes into a buffer what it gives as text', () => {
    const texts = new ObjectTexts({ bytes: BYTES }).as('object');
    const buffer = Buffer.alloc(texts.maxLength + 1);
    const end = texts.write(buffer, 1, 77, 123);
    expect(buffer.toString('utf8', 1, end)).toBe(texts.text(77, 123));
    expect((JSON.parse(texts.text(77, 123)) as Named).metadata.resourceVersion).toBe('00000123');
  });
});

describe('the harness', () => {
  const bench = (handled: number) => ({ name: 'b', unit: 'u', count: 2, rows: [{ name: 'r', run: () => handled }] });

  it('gives the first row the ratio 1', async () => {
    expect(await measure(bench(2), 1)).toMatchObject([{ name: 'r', ratio: 1 }]);
  });

  it('refuses a row that left something out', async () => {
    await expect(measure(bench(1), 1)).rejects.toThrow('b, r: handled 1 of 2');
  });
});

describe('the stages', () => {
  it('each handle all they are given', async () => {
    const results = await measureStages({ count: 30, bytes: BYTES, rounds: 1 });
    expect(results.map(({ name }) => name)).toEqual([
      'decode a LIST',
      'decode a table',
      'decode a WATCH',
      'changes through the queue',
      'put into the store',
      'from the stream to the handlers',
      'print events',
      'keys through the work queue',
      'reconcile',
    ]);
    for (const { rows } of results) expect(rows.length).toBeGreaterThan(1);
  });

  it('can be asked for by name', async () => {
    const results = await measureStages({ count: 5, bytes: BYTES, rounds: 1, only: 'decode a' });
    expect(results.map(({ name }) => name)).toEqual(['decode a LIST', 'decode a table', 'decode a WATCH']);
  });
});

describe('the replay server', () => {
  it.each([
    ['whole objects', 'application/json', '', 'items'],
    ['metadata', METADATA, '', 'items'],
    ['a table with metadata', TABLE, '', 'rows'],
    ['a table with whole objects', TABLE, '?includeObject=Object', 'rows'],
  ])('lists every object once: %s', async (_, accept, query, key) => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    const list = (await get(server, `/api/v1/pods${query}`, { accept })).json() as Record<string, unknown>;
    const items = list[key] as (Named & { object: Named })[];
    const names = new Set(items.map((item) => (key === 'rows' ? item.object : item).metadata.name));
    expect(names.size).toBe(OBJECTS);
    expect(list).toHaveProperty('metadata.resourceVersion', '19999999');
  });

  it('leaves the objects out of a table when asked to', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    const list = (await get(server, '/api/v1/pods?includeObject=None', { accept: TABLE })).json() as {
      rows: { cells: unknown[]; object: null }[];
    };
    expect(list.rows).toHaveLength(OBJECTS);
    expect(list.rows.every(({ cells, object }) => cells.length === 9 && object === null)).toBe(true);
  });

  it('lists in pages that together are everything', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    const names: string[] = [];
    let token = '';
    do {
      const page = (await get(server, `/api/v1/pods?limit=90&continue=${token}`)).json() as {
        items: Named[];
        metadata: { continue?: string };
      };
      names.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.metadata.continue ?? '';
    } while (token !== '');
    expect(names).toEqual((generate(OBJECTS, { bytes: BYTES }) as Named[]).map(({ metadata }) => metadata.name));
  });

  it('lists one namespace, and nothing of one that is not there', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    const { items } = (await get(server, '/api/v1/namespaces/ns-07/pods')).json() as { items: Named[] };
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(
      Array.from({ length: OBJECTS / 20 }, () => 'ns-07'),
    );
    expect((await get(server, '/api/v1/namespaces/none/pods')).json()).toMatchObject({ items: [] });
  });

  it('sends compressed to who asks for it, and the same', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    await server.prepare('application/json', 0);
    const plain = await get(server, '/api/v1/pods');
    const packed = await get(server, '/api/v1/pods', { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.body.length).toBeLessThan(plain.body.length / 5);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
  });

  it('does not send faster than asked', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES, megabytesPerSecond: 4 });
    const from = performance.now();
    await get(server, '/api/v1/pods');
    expect(performance.now() - from).toBeGreaterThan(((OBJECTS * BYTES) / 4e6) * 1000 * 0.7);
  });

  it.each<SyncMode>(['auto', 'pages', 'list', 'stream'])('serves an informer that syncs in mode %s', async (sync) => {
    const objects = 3_000; // more than one slice, page or chunk of anything
    await using server = await ReplayServer.start({ objects, bytes: 1 });
    expect(await synced(server, { sync })).toBe(objects);
  });

  it('serves an informer of metadata, and one of deployments', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES, kind: 'deployments' });
    expect(
      await synced(
        server,
        { sync: 'auto', metadataOnly: true },
        { group: 'apps', version: 'v1', resource: 'deployments' },
      ),
    ).toBe(OBJECTS);
    expect(await synced(server, { sync: 'auto' })).toBe(0);
  });

  it('serves over TLS', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES, tls: true });
    expect(server.url).toMatch(/^https:/);
    expect(await synced(server, { sync: 'auto' })).toBe(OBJECTS);
  });

  it('sends a burst of changes, each once and in order', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    await server.plan({ kind: 'burst', events: 450 });
    expect(await versionsFollowed(server, 450)).toEqual(Array.from({ length: 450 }, (_, i) => String(20_000_000 + i)));
  });

  it('sends changes at a pace, and reports when each was written', async () => {
    await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
    await server.plan({ kind: 'rate', events: 60, perSecond: 200 });
    const written = server.written();
    expect(await versionsFollowed(server, 60)).toHaveLength(60);
    const at = await written;
    expect(at).toHaveLength(60);
    expect((at[59] as number) - (at[0] as number)).toBeGreaterThan(200);
  });

  it.skipIf('missing' in kubectl)(
    `is understood by kubectl${'missing' in kubectl ? ` (skipped: ${kubectl.missing})` : ''}`,
    async () => {
      await using server = await ReplayServer.start({ objects: OBJECTS, bytes: BYTES });
      await server.plan({ kind: 'burst', events: 30 });
      const run = (args: string[], until?: (text: string) => boolean) =>
        runKubectl(
          (kubectl as { path: string }).path,
          ['get', 'pods', '-A', '--server', server.url, ...args],
          until ? { until } : {},
        );
      const table = (await run(['--chunk-size=90'])).stdout.trim().split('\n');
      expect(table[0]).toMatch(/^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE$/);
      expect(table).toHaveLength(OBJECTS + 1);
      expect(JSON.parse((await run(['-o', 'json'])).stdout)).toMatchObject({ items: { length: OBJECTS } });
      const followed = await run(['-w', '--no-headers'], (text) => text.split('\n').length > OBJECTS + 30);
      expect(followed.stdout.trim().split('\n')).toHaveLength(OBJECTS + 30);
    },
  );
});

describe('measuring a process', () => {
  const sh = (script: string) => ({ command: 'sh', args: ['-c', script] });

  it('counts a word on its stdout wherever the output is cut', async () => {
    const word = 'nodeName';
    const usage = await measureProcess(sh(`for part in no deName-node Namenode Name; do printf %s "$part"; done`), {
      count: word,
    });
    expect(usage).toMatchObject({ counted: 3, code: 0 });
  });

  it('reports how it ended and what it printed', async () => {
    expect(await measureProcess(sh('echo a; echo b >&2; exit 3'))).toMatchObject({
      code: 3,
      stdout: 'a\n',
      stderr: 'b\n',
      counted: 1,
    });
  });

  it('runs a program as often as asked, for one measurement', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bench-times-'));
    const file = path.join(folder, 'runs');
    expect(await measureProcess(sh(`echo run >> ${file}`), { times: 3 })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('run\nrun\nrun\n');
    rmSync(folder, { recursive: true });
  });

  it('ends what never ends, once enough has been counted, or when it takes too long', async () => {
    expect((await measureProcess({ command: 'yes', args: [] }, { until: 1000 })).counted).toBeGreaterThanOrEqual(1000);
    const stuck = await measureProcess({ command: 'cat', args: ['/dev/zero'] }, { timeoutMs: 50 });
    expect([stuck.code === 0, stuck.stalled]).toEqual([false, true]);
    expect((await measureProcess(sh('echo all'), { complete: 1 })).stalled).toBe(false);
  });

  it.runIf(process.platform === 'linux')(
    'knows the CPU time, and the memory at its most and while it waits',
    async () => {
      const { cpuMs, peakRssMb } = await measureProcess(runner('bare'));
      expect(cpuMs).toBeGreaterThan(1);
      expect(peakRssMb).toBeGreaterThan(20);
      expect((await measureIdle(runner('bare', 'wait'), { settleMs: 100 })).rssMb).toBeGreaterThan(20);
    },
  );
});

describe('the rows of the gate', () => {
  it.runIf(isBuilt)('each show every object, and take a time', async () => {
    await using many = await ownCluster(OBJECTS);
    await using storm = await ownCluster(50, { plan: { kind: 'burst', events: 300 } });
    await using few = await ownCluster(3);
    const programs = findPrograms({ peers: false });
    const home = mkdtempSync(path.join(tmpdir(), 'gate-home-'));
    try {
      const rows = gateRows(programs, programs, { many, storm: { ...storm, events: 300 }, few }, home);
      expect(rows.map(({ id }) => id)).toEqual('once once-json sync filter storm storm-watch start'.split(' '));
      for (const { measure } of rows) expect(await measure('now')).toBeGreaterThan(0);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it.runIf(isBuilt)('refuse a build that leaves something out', async () => {
    await using many = await ownCluster(OBJECTS);
    const more = { ...many, pods: OBJECTS + 1 };
    const programs = findPrograms({ peers: false });
    const servers = { many: more, storm: { ...more, events: 1 }, few: more };
    const [once] = gateRows(programs, programs, servers, tmpdir());
    await expect(once?.measure('base')).rejects.toThrow(`showed ${OBJECTS} of ${OBJECTS + 1}`);
  });
});

describe('whole programs', () => {
  it('that fail or leave something out are named, and not measured', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'bench-broken-'));
    mkdirSync(path.join(root, 'dist'));
    mkdirSync(path.join(root, 'bin'));
    writeFileSync(path.join(root, 'bin/run.js'), `console.error('broken'); process.exit(3);`);
    writeFileSync(path.join(root, 'package.json'), '{"type":"module"}');
    writeFileSync(
      path.join(root, 'dist/index.js'),
      `export const createClient = () => ({});
       export const createConfig = () => ({});
       export const dynamicInformerFactory = () => ({
         forResource: () => ({ informer: {}, lister: { size: 3 } }),
         start() {},
         async waitForSync() {},
       });`,
    );
    const options = { programs: findPrograms({ root, peers: false }), sizes: [5], bytes: BYTES, rounds: 1, events: 1 };
    const library = await endToEnd({ ...options, only: 'metadata' });
    expect(library).toMatchObject({
      runs: [],
      failed: [{ id: 'metadata', objects: 5, reason: expect.stringMatching(/^showed 3 of 5: /) }],
    });
    const program = await endToEnd({ ...options, only: 'query' });
    expect(program).toMatchObject({ runs: [], failed: [{ id: 'count', reason: 'ended with 3: broken\n' }] });
    rmSync(root, { recursive: true });
  });

  it.skipIf(!isBuilt)(
    `each show everything${isBuilt ? '' : ' (skipped: nothing is built)'}`,
    async () => {
      const programs = findPrograms({ peers: false });
      const { runs, omitted, failed, idle, latency } = await endToEnd({
        programs,
        sizes: [OBJECTS],
        bytes: BYTES,
        rounds: 1,
        events: 500,
      });
      expect(failed).toEqual([]);
      expect(runs.map(({ id }) => id)).toEqual(
        'node version help first-row download parse sync metadata sync-plain block once once-json count client-node served-download served-sync null-watch burst watch client-node-burst'.split(
          ' ',
        ),
      );
      for (const { wallMs, peakRssMb } of runs)
        expect([wallMs > 0, peakRssMb === undefined || peakRssMb > 1]).toEqual([true, true]);
      expect(new Set(omitted.map(({ reason }) => reason))).toEqual(new Set(['left out as asked']));
      expect(idle.map(({ id }) => id)).toEqual(['idle-node', 'idle-watch']);
      expect(latency.map(({ id }) => id)).toEqual(['latency-reader', 'latency-watch']);
      for (const { p50Ms, p99Ms } of latency) expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
    },
    120_000,
  );
});

interface Answer {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  json(): unknown;
}

it('commands run beside others, alone and through a serve', async () => {
  const rows = await startRows(findPrograms(), { rounds: 1, namespace: 'three' });
  const works = rows.map(({ work }) => work);
  expect(works.slice(-3)).toEqual([
    'TAB after the beginning of a name, without a serve, wall',
    '`query pods` through a serve, CPU',
    'TAB after the beginning of a name, with a serve, wall',
  ]);
  for (const { measured } of rows) expect(measured).toMatch(/^[\d.]+ (×|MB|ms)$/);
}, 120_000);

function get({ url, ca }: ReplayServer, where: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const heard = (response: http.IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        resolve({ headers: response.headers, body, json: () => JSON.parse(body.toString()) as unknown });
      });
    };
    const request =
      ca === undefined ? http.get(url + where, { headers }, heard) : https.get(url + where, { headers, ca }, heard);
    request.on('error', reject);
  });
}

async function synced(
  server: ReplayServer,
  options: { sync: SyncMode; metadataOnly?: boolean },
  gvr = PODS,
): Promise<number> {
  const client = createClient(
    createConfig({ server: server.url, ...(server.ca === undefined ? {} : { tls: { ca: server.ca } }) }),
  );
  const factory = dynamicInformerFactory(client, options);
  const { lister } = factory.forResource(gvr);
  const stop = new AbortController();
  factory.start(stop.signal);
  await factory.waitForSync();
  const { length } = lister.list();
  stop.abort();
  await factory.shutdown();
  await client.close();
  return length;
}

async function versionsFollowed(server: ReplayServer, count: number): Promise<string[]> {
  const client = createClient(createConfig({ server: server.url }));
  const versions: string[] = [];
  const stop = new AbortController();
  const watch = await client.resource<Named>(PODS).watch({ resourceVersion: '1' }, { signal: stop.signal });
  for await (const batch of watch) {
    for (const { object } of batch) versions.push((object as Named).metadata.resourceVersion);
    if (versions.length >= count) break;
  }
  stop.abort();
  await client.close();
  return versions;
}
