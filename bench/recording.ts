// node bench/recording.ts [--only watch,churn,moment,sql] [--revisions N] [--pods N] [--events N] [--rate N]
// [--rounds N] [--k8sql PATH]: what recording costs, how large a recording is, and how long its questions take. Every row is whole processes of the
// built program. The watch runs with and without --record in turn. k8sql is asked on a sandbox, and the recording of that sandbox the same.
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
    only: { type: 'string', default: 'watch,churn,moment,sql' },
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

/** The watches that are recorded, and the words that make them. The last one reads whole objects without a recording, too. */
const WATCHES: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['watch pods -A', ['--no-headers']],
  ['watch pods -A -o json', ['-o', 'json']],
  ['watch pods -A -o json --show-managed-fields', ['-o', 'json', '--show-managed-fields']],
];

/** Questions about pods, as SQL over the objects of k8sql, and over those of a recording. */
const QUESTIONS: readonly (readonly [name: string, k8sql: string, own: string])[] = [
  ['pods by phase', `SELECT status->>'phase' AS phase, count(*) AS n FROM pods GROUP BY status->>'phase'`, "SELECT object ->> '$.status.phase' AS phase, count(*) AS n FROM pods GROUP BY 1"],
  ['pods by namespace', 'SELECT namespace, count(*) AS n FROM pods GROUP BY namespace', 'SELECT namespace, count(*) AS n FROM pods GROUP BY namespace'],
  ['pods with restarts', `SELECT namespace, name FROM pods WHERE json_get_int(status, 'containerStatuses', 0, 'restartCount') > 0`, "SELECT namespace, name FROM pods WHERE object ->> '$.status.containerStatuses[0].restartCount' > 0"],
]; // biome-ignore format: one line each

try {
  if (only.includes('watch')) await watchRows();
  if (only.includes('churn')) await churnRows();
  if (only.includes('moment')) await momentRows();
  if (only.includes('sql')) await sqlRows();
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

/** The same watch with and without a recording, in turns, on a server that changes objects at a rate. */
async function watchRows(): Promise<void> {
  const events = Number(values.events);
  const server = await sandbox(WATCHED, PER_SECOND);
  for (const [name, own] of WATCHES) {
    const words = ['watch', 'pods', '-A', '--limit', WATCHED + events, '--timeout', '10m', ...own];
    const pairs: { readonly plain: Usage; readonly recorded: Usage }[] = [];
    for (let round = 0; round < rounds; round++) {
      const file = path.join(folder, `watch-${pairs.length}.rec`);
      const run = (...more: string[]) => measured({ ...node(cli, ...words, ...more), env: server.env });
      const isPlainFirst = round % 2 === 0;
      const early = isPlainFirst ? await run() : undefined;
      const recorded = await run('--record', file);
      pairs.push({ plain: early ?? (await run()), recorded });
      rmSync(file, { force: true });
    }
    // a watch that fell behind was listed again: that is other work
    const kept = pairs.filter((pair) => [pair.plain, pair.recorded].every(({ stderr }) => stderr.includes('no gaps')));
    const ratio = median(kept.map(({ plain, recorded }) => (recorded.cpuMs ?? 0) / (plain.cpuMs ?? 1)));
    const title = `${name}, ${WATCHED} pods and ${events} changes`;
    row(
      title,
      kept.map(({ plain }) => plain),
    );
    const note = `${ratio.toFixed(2)} × CPU; ${kept.length} of ${rounds} rounds without gaps`;
    row(
      `${title}, --record`,
      kept.map(({ recorded }) => recorded),
      note,
    );
  }
  await ended(server);
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
}

/** The same questions on the same pods: to k8sql about a cluster, and to a recording of that cluster. */
async function sqlRows(): Promise<void> {
  const pods = Number(values.pods);
  const server = await sandbox(pods, 0);
  const asked = (command: Command): Command => ({ ...command, env: server.env });
  const live = path.join(folder, 'live.rec');
  row('watch --once --record of the cluster', [await measured(asked(node(cli, 'watch', 'pods', '-A', '--once', '-o', 'name', '--record', live)))]); // biome-ignore format: one line
  for (const [name, k8sql, own] of QUESTIONS) {
    const { k8sql: command } = values;
    await questions([
      [`k8sql: ${name} of a cluster with ${pods} pods`, command === undefined ? undefined : asked({ command, args: ['-q', k8sql, '-o', 'csv'] })], // biome-ignore format: one line
      ['--sql of a recording of it', node(cli, 'query', '--from', live, '--sql', own, '-o', 'csv')],
      ['the same by sqlite3', sqlite(live, own)],
    ]);
  }
  await questions([['query --group-by .status.phase of the cluster', asked(node(cli, 'query', 'pods', '-A', '--group-by', '.status.phase'))]]); // biome-ignore format: one line
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
