// node bench/recording.ts [--only watch,churn,moment] [--revisions N] [--pods N] [--events N] [--rate N]
// [--rounds N] [--k8sql PATH]: what recording costs, how large a recording is, and how long its questions take. Every row is whole processes of the
// built program. The watch runs with and without --record in turn. k8sql is asked on a sandbox with the recorded pods.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Command, type MeasureOptions, measureProcess, type Usage } from './processes.ts';
import { findPrograms, node } from './programs.ts';
import { recordChurn } from './recorded-pods.ts';
import { textOf } from './text-table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'watch,churn,moment' },
    revisions: { type: 'string', default: '1000000' },
    pods: { type: 'string', default: '50000' },
    events: { type: 'string', default: '60000' },
    rate: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
    k8sql: { type: 'string' },
  },
});
const only = values.only.split(',');
const rounds = Number(values.rounds);
const { cli } = findPrograms({ peers: false });
const folder = mkdtempSync(path.join(tmpdir(), 'bench-recording-'));
const rows: string[][] = [];

/** The pods of the watch, and how often one of them changes. */
const WATCHED = 5_000;
const PER_SECOND = Number(values.rate);

try {
  if (only.includes('watch')) await watchRows();
  if (only.includes('churn')) await churnRows();
  if (only.includes('moment')) await momentRows();
  console.log(
    textOf({ title: 'recordings: medians of whole processes', head: ['work', 'CPU ms', 'wall ms', 'note'], rows }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A sandbox in a process of its own, and the environment that leads to it. */
async function sandbox(pods: number, perSecond: number): Promise<{ child: ChildProcess; env: Record<string, string> }> {
  const kubeconfig = path.join(folder, `kubeconfig-${pods}`);
  const words = ['sandbox', '--scenario', 'fleet', '--pods', pods, '--rate', `${perSecond}/s`, '--kubeconfig', kubeconfig]; // biome-ignore format: one line
  const { command, args } = node(cli, ...words);
  const child = spawn(command, [...args], { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, HOME: folder } }); // biome-ignore format: one line
  for (let waited = 0; !existsSync(kubeconfig); waited += 100) {
    if (waited > 120_000) throw new Error('the sandbox does not start');
    await pause(100);
  }
  return { child, env: { KUBECONFIG: kubeconfig } };
}

async function ended({ child }: { child: ChildProcess }): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The same watch with and without a recording, on a server that changes objects at a rate. */
async function watchRows(): Promise<void> {
  const events = Number(values.events);
  const server = await sandbox(WATCHED, PER_SECOND);
  for (const format of ['table', 'json']) {
    const words = ['watch', 'pods', '-A', '--limit', WATCHED + events, '--timeout', '10m', ...(format === 'json' ? ['-o', 'json'] : ['--no-headers'])]; // biome-ignore format: one line
    const runs: Record<'plain' | 'recorded', Usage[]> = { plain: [], recorded: [] };
    for (let round = 0; round < rounds; round++) {
      const file = path.join(folder, `watch-${format}-${round}.rec`);
      const kinds = round % 2 === 0 ? (['plain', 'recorded'] as const) : (['recorded', 'plain'] as const);
      for (const kind of kinds) {
        const own = kind === 'recorded' ? ['--record', file] : [];
        runs[kind].push(await measured({ ...node(cli, ...words, ...own), env: server.env }));
      }
    }
    const ratio = median(runs.recorded.map((each, i) => (each.cpuMs ?? 0) / (runs.plain[i]?.cpuMs ?? 1)));
    const rate = (events * 1000) / median(runs.recorded.map(({ wallMs }) => wallMs));
    const title = `watch pods -A${format === 'json' ? ' -o json' : ''}, ${WATCHED} pods and ${events} changes`;
    row(title, runs.plain, gapsOf(runs.plain));
    row(
      `${title}, --record`,
      runs.recorded,
      `${ratio.toFixed(2)} × CPU; ${rate.toFixed(0)} changes/s; ${gapsOf(runs.recorded)}`,
    );
  }
  await ended(server);
}

/** The last line of each run says whether it kept up. */
function gapsOf(runs: readonly Usage[]): string {
  return [...new Set(runs.map(({ stderr }) => /no gaps|\d+ gaps?/.exec(stderr)?.[0]))].join(', ');
}

/** A recording of many changes: its size, and the history of one of its objects. */
async function churnRows(): Promise<void> {
  const file = path.join(folder, 'churn.rec');
  const revisions = Number(values.revisions);
  const name = recordChurn(file, { revisions, pods: WATCHED, perSecond: PER_SECOND });
  rows.push([`${revisions} revisions of pods that begin and end`, '', '', `${(statSync(file).size / 1e6).toFixed(1)} MB`]); // biome-ignore format: one line
  const [namespace = '', pod = ''] = name.split('/');
  await questions([
    ['version (a start of the program)', node(cli, 'version')],
    [`history of one pod among ${revisions} revisions`, node(cli, 'history', `pod/${pod}`, '-n', namespace, '--from', file)], // biome-ignore format: one line
    ['the same by --sql', node(cli, 'query', '--from', file, '--sql', `SELECT time, event, path, who FROM changes WHERE name = '${pod}'`)], // biome-ignore format: one line
    ['the same by sqlite3', sqlite(file, `SELECT time, event, path, who FROM changes WHERE name = '${pod}'`)],
    [`count of ${revisions} changes by event, --sql`, node(cli, 'query', '--from', file, '--sql', 'SELECT event, count(*) FROM revisions GROUP BY event', '-o', 'csv')], // biome-ignore format: one line
    ['the same by sqlite3', sqlite(file, 'SELECT event, count(*) FROM revisions GROUP BY event')],
  ]);
}

/** A moment with many objects, and SQL over it. */
async function momentRows(): Promise<void> {
  const file = path.join(folder, 'moment.rec');
  const pods = Number(values.pods);
  recordChurn(file, { revisions: pods * 3, pods, perSecond: PER_SECOND });
  const at = ['--at', `${Math.round(pods / PER_SECOND / 2)}s`];
  const sql = 'SELECT STATUS, count(*) AS n FROM pods GROUP BY STATUS';
  const ask = ['query', '--from', file];
  await questions([
    [`query pods -A --at T --count, ${pods} pods`, node(cli, ...ask, 'pods', '-A', ...at, '--count')],
    [`query pods -A --at T -o name, ${pods} pods`, node(cli, ...ask, 'pods', '-A', ...at, '-o', 'name')],
    [`query pods -A --at T, ${pods} pods`, node(cli, ...ask, 'pods', '-A', ...at)],
    [`pods by STATUS, --sql, ${pods} pods`, node(cli, ...ask, '--sql', sql)],
    ['the same by sqlite3', sqlite(file, sql)],
    ['the same by --sql --at T', node(cli, ...ask, '--sql', sql, ...at)],
    ['SELECT of namespace, name, STATUS and NODE, --sql', node(cli, ...ask, '--sql', 'SELECT namespace, name, STATUS, NODE FROM pods', '-o', 'csv')], // biome-ignore format: one line
    ['the same by sqlite3', sqlite(file, 'SELECT namespace, name, STATUS, NODE FROM pods')],
  ]);
  if (values.k8sql === undefined) return;
  const server = await sandbox(pods, 0);
  const asked = (command: Command): Command => ({ ...command, env: server.env });
  const phases = `SELECT status->>'phase' AS phase, count(*) AS n FROM pods GROUP BY status->>'phase'`;
  const live = path.join(folder, 'live.rec');
  await measured(asked(node(cli, 'watch', 'pods', '-A', '--once', '-o', 'name', '--record', live)));
  await questions([
    [`k8sql: ${pods} pods of a cluster by phase`, asked({ command: values.k8sql, args: ['-q', phases, '-o', 'csv'] })],
    ['query --group-by of the same cluster', asked(node(cli, 'query', 'pods', '-A', '--group-by', '.status.phase'))],
    ['--sql of a recording of it', node(cli, 'query', '--from', live, '--sql', "SELECT object ->> '$.status.phase' AS phase, count(*) FROM pods GROUP BY 1")], // biome-ignore format: one line
  ]);
  await ended(server);
}

function sqlite(file: string, sql: string): Command | undefined {
  if (spawnSync('sqlite3', ['--version']).status !== 0) return undefined;
  return { command: 'sqlite3', args: ['-readonly', '-csv', file, sql] };
}

async function questions(asked: readonly (readonly [name: string, command: Command | undefined])[]): Promise<void> {
  for (const [name, command] of asked) {
    if (!command) continue;
    const runs: Usage[] = [];
    for (let round = 0; round <= rounds; round++) runs.push(await measured(command));
    row(name, runs.slice(1), `${runs[0]?.counted} lines`);
  }
}

async function measured(command: Command, options: MeasureOptions = {}): Promise<Usage> {
  const usage = await measureProcess({ ...command, env: { HOME: folder, ...command.env } }, options);
  if (usage.code !== 0) throw new Error(`${command.args.join(' ')} ended with ${usage.code}: ${usage.stderr}`);
  return usage;
}

function row(name: string, runs: readonly Usage[], note = ''): void {
  const figure = (of: (usage: Usage) => number) => median(runs.map(of)).toFixed(0);
  rows.push([name, figure(({ cpuMs = 0 }) => cpuMs), figure(({ wallMs }) => wallMs), note]);
  console.error(rows.at(-1)?.join('  '));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
