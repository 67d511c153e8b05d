// node bench/wire.ts [OBJECTS [ROUNDS]] [--save]: the initial list of pods on the wire of a real API server: TLS,
// pieces of 2 kB, gzip made while it is sent, JSON or protobuf, no two pods alike (7.5 kB each, half of it
// managedFields). The server is a Go program in a process of its own (peers/client-go/server), so Go and client-go's
// modules have to be there; BENCH_GO=1 fetches them. What it decided: docs/decisions/compression.md and
// docs/decisions/managed-fields.md. --save writes wire.json and its section in docs/performance.md.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, measureProcess, type Usage } from './processes.ts';
import { findPrograms, runner } from './programs.ts';
import { median } from './results.ts';
import { type TextTable, textOf } from './text-table.ts';
import { type WireResults, withWireSection } from './wire-section.ts';

interface Row {
  readonly name: string;
  readonly command: Command;
}

const words = process.argv.slice(2);
const isSaved = words.includes('--save');
const [objects = 50_000, rounds = 3] = words.filter((word) => word !== '--save').map(Number);
const load = loadavg()[0] ?? Number.NaN;
const { library } = findPrograms({ peers: false });
const folder = mkdtempSync(path.join(tmpdir(), 'bench-wire-'));
try {
  build();
  const ca = path.join(folder, 'ca.pem');
  const server = spawn(path.join(folder, 'server'), [String(objects), ca], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  await compare(rowsOf(line.toString().trim(), ca));
  server.stdin.end(); // it ends with it
  await once(server, 'exit');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function build(): void {
  cpSync(path.join(import.meta.dirname, 'peers', 'client-go'), path.join(folder, 'source'), { recursive: true });
  const env = process.env.BENCH_GO === '1' ? process.env : { ...process.env, GOPROXY: 'off' };
  for (const [name, source] of [
    ['peer', '.'],
    ['server', './server'],
  ] as const) {
    execFileSync('go', ['build', '-mod=readonly', '-o', path.join(folder, name), source], {
      cwd: path.join(folder, 'source'),
      env,
      stdio: 'inherit',
    });
  }
}

function rowsOf(url: string, ca: string): Row[] {
  const curl = (...args: string[]): Command => ({
    command: 'curl',
    args: [
      '--silent',
      '--http1.1',
      '--cacert',
      ca,
      '--output',
      path.join(folder, 'null'),
      '--write-out',
      `{"objects":${objects}}\\n`,
      ...args,
      `${url}/api/v1/pods`,
    ],
  });
  const ours = (mode: string, env: Record<string, string> = {}): Command => ({
    ...runner('ours', library, url, mode),
    env: { BENCH_CA: ca, ...env },
  });
  const go = (kind: string): Command => ({ command: path.join(folder, 'peer'), args: [url, kind, '0', ca] });
  return [
    { name: 'curl, to a file, identity', command: curl() },
    { name: 'curl, to a file, gzip', command: curl('--compressed') },
    { name: 'library as the program sets it, identity', command: ours('sync', { BENCH_IDENTITY: '1' }) },
    { name: 'library as the program sets it, gzip', command: ours('sync') },
    { name: 'library, without managedFields', command: ours('plain') },
    { name: 'library, plain defaults', command: ours('whole') },
    { name: 'client-go typed, protobuf', command: go('protobuf') },
    { name: 'client-go typed, protobuf, transform drops managedFields', command: go('protobuf-trimmed') },
    { name: 'client-go dynamic, transform drops managedFields', command: go('dynamic-trimmed') },
  ];
}

async function compare(rows: readonly Row[]): Promise<void> {
  const usages = new Map<Row, Usage[]>(rows.map((row) => [row, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [row, samples] of usages) {
      const usage = await measureProcess(row.command);
      if (!usage.stdout.includes(`"objects":${objects}`))
        throw new Error(`${row.name} did not show all: ${usage.stdout} ${usage.stderr}`);
      samples.push(usage);
      console.error(`${row.name}: ${cells(usage).join(' / ')}`);
    }
  }
  const least = (samples: Usage[], of: (usage: Usage) => number | undefined) =>
    Math.min(...samples.map((each) => of(each) ?? Number.NaN));
  const table: TextTable = {
    title: `An initial list of ${objects} pods over TLS, ${rounds} rounds`,
    head: ['program', 'wall s, median', 'CPU s, median', 'CPU s, least', 'peak RSS MB'],
    rows: [...usages].map(([{ name }, samples]) => [
      name,
      seconds(median(samples.map(({ wallMs }) => wallMs))),
      seconds(median(samples.map(({ cpuMs }) => cpuMs))),
      seconds(least(samples, ({ cpuMs }) => cpuMs)),
      (median(samples.map(({ peakRssMb }) => peakRssMb)) ?? Number.NaN).toFixed(0),
    ]),
  };
  console.log(textOf(table));
  if (isSaved) save({ date: new Date().toISOString(), load, table });
}

function save(results: WireResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'wire.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withWireSection(readFileSync(page, 'utf8'), results));
}

function cells({ wallMs, cpuMs, peakRssMb }: Usage): string[] {
  return [seconds(wallMs), seconds(cpuMs), peakRssMb?.toFixed(0) ?? '–'];
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '–' : (ms / 1000).toFixed(2);
}
