import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createClient, loadConfig } from '../src/index.ts';
import { SharedInformer } from '../src/informer/shared-informer.ts';
import type { ReadonlyObject, UnknownObject } from '../src/model/object.ts';
import { type Command, measureProcess, type Usage } from './processes.ts';
import { node, type Programs } from './programs.ts';
import { median } from './results.ts';
import { type Served, serveFleet } from './serve-fleet.ts';
import type { TextTable } from './text-table.ts';

export interface QueryBenchOptions {
  readonly pods: number;
  readonly rounds: number;
  readonly programs: Programs;
}

/** Point lookups in one process. */
const LOOKUPS = 20_000;

/** Lookups and scans of one pod of many, each row with the time of one. */
export async function measureQueries({ pods, rounds, programs }: QueryBenchOptions): Promise<TextTable> {
  await using fleet = await serveFleet(programs, pods);
  const library = await libraryRows(fleet);
  const socket = await socketRows(fleet);
  const processes = await processRows(fleet, programs, rounds);
  const start = processes[0]?.ms ?? Number.NaN;
  return {
    title: `One of ${pods.toLocaleString('en-US')} pods, ${rounds} rounds`,
    head: ['row', 'ms', 'a second', 'of the start'],
    rows: [...library, ...socket, ...processes].map(({ name, ms, note }) => [
      name,
      note ?? ms.toFixed(ms < 1 ? 4 : 1),
      note === undefined ? rateOf(ms) : '–',
      note === undefined && processes.some((row) => row.name === name) ? `${(ms / start).toFixed(2)}` : '–',
    ]),
  };
}

const rateOf = (ms: number) => (ms > 1000 ? (1000 / ms).toPrecision(1) : Math.round(1000 / ms).toLocaleString('en-US'));

interface Measured {
  readonly name: string;
  /** Of one lookup. */
  readonly ms: number;
  /** Instead of a time. */
  readonly note?: string | undefined;
}

async function libraryRows({ kubeconfig, names }: Served): Promise<Measured[]> {
  const ending = new AbortController();
  const client = createClient(await loadConfig({ kubeconfigText: readFileSync(kubeconfig, 'utf8') }));
  const informer = new SharedInformer<UnknownObject>(
    [{ source: client.resource<UnknownObject>({ group: '', version: 'v1', resource: 'pods' }) }],
    { name: 'pods', sync: 'auto' },
  );
  const running = informer.run(ending.signal);
  try {
    await informer.whenSynced(ending.signal);
    const perEntry = memoryOf(() => informer.addIndexers({ name: ({ metadata }) => [metadata.name ?? ''] }));
    const { lister } = informer;
    const lookup = each(LOOKUPS, (i) => lister.byIndex('name', names[i % names.length] as string).length);
    const wanted = names[0];
    const scan = each(3, () => lister.list().filter(({ metadata }: ReadonlyObject) => metadata.name === wanted).length);
    return [
      { name: 'library: byIndex', ms: lookup },
      { name: 'library: a scan of all', ms: scan },
      {
        name: 'library: memory of one entry of an index, bytes',
        ms: Number.NaN,
        note: (perEntry / lister.size).toFixed(0),
      },
    ];
  } finally {
    ending.abort();
    await running;
    await client.close();
  }
}

/** Point lookups over one connection, as fast as they are answered; and questions of `query`, one after the other. */
async function socketRows({ socket, names }: Served): Promise<Measured[]> {
  const from = performance.now();
  await streamLookups(socket, names, LOOKUPS);
  const ms = (performance.now() - from) / LOOKUPS;
  return [{ name: 'socket: a stream of lookups, one connection', ms }];
}

/** Sends lookups and reads their answers, both without waiting for the other. Each must find one object. */
function streamLookups(socket: string, names: readonly string[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath: socket, path: '/v1/lookup', method: 'POST', agent: false },
      (response) => {
        let rest = '';
        let found = 0;
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const { keys } = JSON.parse(line) as { keys?: string[] };
            if (keys?.length !== 1) reject(new Error(`a lookup gave ${line}`));
            found++;
          }
        });
        response.on('end', () => (found === count ? resolve() : reject(new Error(`${found} of ${count} answers`))));
      },
    );
    request.on('error', reject);
    const write = (i: number): void => {
      let text = '';
      for (let n = 0; n < 500 && i < count; n++, i++)
        text += `{"type":"pods","index":"name","value":${JSON.stringify(names[i % names.length])}}\n`;
      if (i >= count) request.end(text);
      else if (request.write(text)) setImmediate(write, i);
      else request.once('drain', () => write(i));
    };
    write(0);
  });
}

function memoryOf(make: () => void): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  make();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed - before;
}

/** Milliseconds of one run. Every run must find one object. */
function each(times: number, find: (i: number) => number): number {
  const from = performance.now();
  for (let i = 0; i < times; i++) {
    const found = find(i);
    if (found !== 1) throw new Error(`found ${found} instead of one`);
  }
  return (performance.now() - from) / times;
}

/** Whole processes, the start of the program first, in turn, round after round. */
async function processRows(fleet: Served, { cli, kubectl }: Programs, rounds: number): Promise<Measured[]> {
  const { kubeconfig, env, names, namespaceOf } = fleet;
  const ours = (...args: string[]): Command => ({ ...node(cli, ...args, '--kubeconfig', kubeconfig), env });
  const name = (round: number) => names[(round * 7919) % names.length] as string;
  const rows: Record<string, { rounds: number; command: (round: number) => Command }> = {
    "the program's start: version": { rounds, command: () => ({ ...node(cli, 'version'), env }) },
    'query --eq through serve': {
      rounds,
      command: (i) => ours('query', 'pods', '-A', '--eq', `name=${name(i)}`, '-o', 'name'),
    },
    'query --filter (a scan) through serve': {
      rounds: 3,
      command: (i) => ours('query', 'pods', '-A', '--filter', `object.metadata.name == '${name(i)}'`, '-o', 'name'),
    },
    'query --eq with caches of its own': {
      rounds: 1,
      command: (i) =>
        ours(
          'query',
          'pods',
          '-A',
          '--no-serve',
          '--index',
          'name=.metadata.name',
          '--eq',
          `name=${name(i)}`,
          '-o',
          'name',
        ),
    },
  };
  if ('path' in kubectl) {
    const theirs = (...args: string[]): Command => ({
      command: kubectl.path,
      args: ['--kubeconfig', kubeconfig, ...args],
      env,
    });
    rows['kubectl get NAME'] = {
      rounds,
      command: (i) => theirs('get', 'pod', name(i), '-n', namespaceOf(name(i)), '-o', 'name'),
    };
    rows['kubectl get --field-selector'] = {
      rounds: 3,
      command: (i) => theirs('get', 'pods', '-A', `--field-selector=metadata.name=${name(i)}`, '-o', 'name'),
    };
    rows['kubectl get -o json | jq'] = {
      rounds: 1,
      command: (i) => ({
        command: 'sh',
        args: [
          '-c',
          '"$0" --kubeconfig "$1" get pods -A -o json | jq -r --arg name "$2" \'.items[].metadata.name | select(. == $name)\'',
          kubectl.path,
          kubeconfig,
          name(i),
        ],
        env,
      }),
    };
  }
  const samples = new Map<string, number[]>(Object.keys(rows).map((row) => [row, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [row, { rounds: most, command }] of Object.entries(rows)) {
      const isOnce = most === 1;
      if (isOnce ? round !== rounds - 1 : round >= most) continue; // what takes minutes runs once, at the end
      const usage = await measureProcess(command(round + 1));
      check(row, usage);
      if (round >= 0) samples.get(row)?.push(usage.wallMs);
    }
  }
  return [...samples].map(([row, all]) => ({ name: row, ms: median(all) ?? Number.NaN }));
}

/** A row that finds nothing would be fast. */
function check(row: string, { code, stdout, stderr }: Usage): void {
  if (code !== 0 || stdout.trim().split('\n').length !== 1)
    throw new Error(`${row}: exit code ${code}, ${JSON.stringify(stdout.slice(0, 200))}, ${stderr.slice(0, 500)}`);
}
