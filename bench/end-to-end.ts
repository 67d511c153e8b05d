import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Found, isRunnable, measureRows, withHome } from './measure-rows.ts';
import { type Command, lineTimes, measureIdle, measureProcess } from './processes.ts';
import { node, type Programs, runner } from './programs.ts';
import { ReplayServer } from './replay.ts';
import { type IdleResult, type LatencyResult, median, type Omission, quantile, type RunResult } from './results.ts';
import { burstRows, firstRows, type ProcessRow, servedRows, startRows, syncRows, warmUps } from './rows.ts';

/** What is to be measured, and how often. */
export interface EndToEndOptions {
  readonly programs: Programs;
  /** Sizes of the collections that are synced. */
  readonly sizes: readonly number[];
  /** Bytes of one object. */
  readonly bytes: number;
  readonly rounds: number;
  /** Changes in the burst. */
  readonly events: number;
  /** Only rows whose id or name contains this. */
  readonly only?: string | undefined;
  readonly progress?: ((text: string) => void) | undefined;
}

export interface EndToEnd {
  readonly runs: readonly RunResult[];
  readonly omitted: readonly Omission[];
  readonly failed: readonly Omission[];
  readonly idle: readonly IdleResult[];
  readonly latency: readonly LatencyResult[];
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const KUBECTL_PAGE = 500;
const BURST_OBJECTS = 500;
const SERVED_OBJECTS = 50_000;
/** MB a second at which a kube-apiserver 1.36 on two cores answered an unpaged LIST of 50,000 pods. */
const SERVED_RATE = 95;
const FEW = 10;
const WARM_UP_MS = 20_000;
const EVENTS_PER_SECOND = 500;
const LATENCY_EVENTS = 2500;
/** The first events meet cold code; they are a second's worth. */
const LATENCY_WARM_UP = 500;

/**
 * Measures programs as a user runs them, each in a process of its own. One that fails, or shows other than all there
 * is, is named in `failed`.
 */
export async function endToEnd(options: EndToEndOptions): Promise<EndToEnd> {
  const { programs, sizes, rounds, events, only } = options;
  const chosen = (rows: ProcessRow[]) =>
    rows.filter(({ id, name }) => only === undefined || id.includes(only) || name.includes(only));
  const found: Found = { runs: [], omitted: [], failed: [] };
  await using home = temporaryHome();
  const start = { ...options, events: undefined, found, home: home.path };
  await scenario({ ...start, objects: FEW, rounds: rounds * 2 + 1 }, chosen(startRows(programs, rounds < 3 ? 3 : 10)));
  await scenario({ ...start, objects: FEW, rounds: rounds * 3 }, chosen(firstRows(programs)));
  for (const objects of sizes) await scenario({ ...start, objects }, chosen(syncRows(programs)));
  const served = sizes.filter((objects) => objects <= SERVED_OBJECTS).at(-1);
  if (served !== undefined)
    await scenario({ ...start, objects: served, megabytesPerSecond: SERVED_RATE }, chosen(servedRows(programs)));
  await scenario({ ...start, objects: BURST_OBJECTS, events }, chosen(burstRows(programs, events)));
  const isAsked = (name: string) => only === undefined || name.includes(only);
  return {
    ...found,
    idle: isAsked('idle') ? await idle(start) : [],
    latency: isAsked('latency') ? await latency(start) : [],
  };
}

/** What everything here shares. */
interface Setting extends Omit<EndToEndOptions, 'events' | 'sizes'> {
  readonly found: Found;
  readonly home: string;
}

interface Scenario extends Setting {
  readonly objects: number;
  readonly events?: number | undefined;
  readonly megabytesPerSecond?: number | undefined;
}

async function scenario(options: Scenario, rows: readonly ProcessRow[]): Promise<void> {
  const { objects, bytes, megabytesPerSecond, events, programs, found, home } = options;
  if (rows.length === 0) return;
  await using server = await ReplayServer.start({ objects, bytes, megabytesPerSecond });
  const runnable = rows.filter((row) => isRunnable(row, server.url, objects, found));
  if (runnable.some(({ id }) => id.startsWith('kubectl'))) {
    await server.prepare(TABLE, KUBECTL_PAGE);
    if (runnable.some(({ id }) => id === 'kubectl-json')) await server.prepare('application/json', KUBECTL_PAGE);
  }
  if (runnable.some(({ id }) => id === 'client-node')) await server.prepare('application/json', 0);
  for (const command of warmUps(programs, server.url))
    await measureProcess(withHome(command, home), { timeoutMs: WARM_UP_MS });
  if (events !== undefined) await server.plan({ kind: 'burst', events });
  await measureRows(runnable, { ...options, url: server.url });
}

async function idle({ programs, bytes, rounds, progress, found, home }: Setting): Promise<IdleResult[]> {
  await using server = await ReplayServer.start({ objects: FEW, bytes });
  const rows = [
    { id: 'idle-node', name: 'node, waiting', command: runner('bare', 'wait'), lines: 0 },
    {
      id: 'idle-watch',
      name: `watch of ${FEW} pods, waiting`,
      command: node(programs.cli, 'watch', 'pods', '-A', '--server', server.url),
      lines: FEW + 1,
    },
  ];
  const results: IdleResult[] = [];
  for (const { id, name, command, lines } of rows) {
    const samples: (number | undefined)[] = [];
    for (let round = 0; round < Math.min(rounds, 3); round++)
      samples.push((await measureIdle(withHome(command, home), { lines })).rssMb);
    if (samples.includes(undefined)) found.failed.push({ id, name, objects: FEW, reason: 'ended, or said nothing' });
    results.push({ id, name, rssMb: median(samples) });
    progress?.(`${name}: ${median(samples)?.toFixed(0)} MB`);
  }
  return results;
}

/** Of several rounds the least disturbed: a tail is where whatever else the machine does shows first. */
async function latency({ programs, bytes, rounds, progress, found, home }: Setting): Promise<LatencyResult[]> {
  const events = rounds < 3 ? LATENCY_EVENTS / 2 : LATENCY_EVENTS;
  await using server = await ReplayServer.start({ objects: events, bytes });
  await server.plan({ kind: 'rate', events, perSecond: EVENTS_PER_SECOND });
  const rows = [
    { id: 'latency-reader', name: 'a bare line reader', command: runner('line-reader', server.url) },
    {
      id: 'latency-watch',
      name: 'watch',
      command: node(programs.cli, 'watch', 'pods', '-A', '--watch-only', '--no-headers', '--server', server.url),
    },
  ];
  const samples = rows.map((row) => ({ ...row, p50s: [] as number[], p99s: [] as number[] }));
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (const { id, name, command, p50s, p99s } of samples) {
      const late = await lateness(server, withHome(command, home), events);
      if (late.length < events) {
        found.failed.push({ id, name, objects: events, reason: `printed ${late.length} of ${events} events` });
        continue;
      }
      p50s.push(quantile(late.slice(LATENCY_WARM_UP), 0.5));
      p99s.push(quantile(late.slice(LATENCY_WARM_UP), 0.99));
      progress?.(`latency of ${name}: p50 ${p50s.at(-1)?.toFixed(2)} ms, p99 ${p99s.at(-1)?.toFixed(2)} ms`);
    }
  }
  return samples
    .filter(({ p50s }) => p50s.length > 0)
    .map(({ id, name, p50s, p99s }) => {
      return { id, name, perSecond: EVENTS_PER_SECOND, events, p50Ms: Math.min(...p50s), p99Ms: Math.min(...p99s) };
    });
}

/** How long each event took from its write by the server to its line on stdout, ms. */
async function lateness(server: ReplayServer, command: Command, events: number): Promise<number[]> {
  const written = server.written();
  const read = await lineTimes(command, events, 60_000);
  if (read.length < events) return read;
  const writtenAt = await written;
  return read.slice(0, events).map((ms, i) => ms - (writtenAt[i] as number));
}

function temporaryHome(): AsyncDisposable & { path: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-home-'));
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
