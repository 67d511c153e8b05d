// npm run bench:gate [-- --base COMMIT] [--server real]: today's build beside that of an earlier commit, in turns. Ends
// with 1 when a row takes more than 1.05 times the CPU time. --record makes the commit of this checkout the next base.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { countOf, orEnd, serverOf } from './arguments.ts';
import type { Built } from './cluster-rows.ts';
import { builtCommit, commitOf } from './gate/base-build.ts';
import { gateRows } from './gate/gate-rows.ts';
import { gateSection } from './gate/gate-section.ts';
import { type GateRecord, verdictTable } from './gate/record.ts';
import { type Turns, takeTurns } from './gate/turns.ts';
import { ownCluster } from './own-cluster.ts';
import { withSection } from './page-section.ts';
import { findPrograms } from './programs.ts';
import { realCluster } from './real/real-rows.ts';
import { textOf } from './text-table.ts';

const LIMIT = 1.05;
const RECORD = path.join(import.meta.dirname, 'gate.json');
const PAGE = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
const USAGE = `  --base COMMIT    what today's build is compared with (the last recorded commit)
  --server real    lists from the server of KUBECONFIG; storm and start from the bench's own server all the same
  --objects N      pods of the bench's own server (10000)
  --events N       changes of the storm (20000)
  --pairs N        pairs of runs of each row (6)
  --most N         pairs of a row that is near the limit (24)
  --minutes N      no row is measured again after this (3)
  --only ID,…      only these rows: once, once-json, sync, filter, storm, storm-watch, start
  --record         write the figures to bench/gate.json and docs/performance.md, and compare with this commit from now on`;

const options = orEnd(read, USAGE);
const result = await compared(options);
console.log(textOf(verdictTable(result)));
for (const { name, reason } of result.incomparable) console.log(`not compared: ${name}: the base says: ${reason}`);
if (options.record) record(result);
const slower = result.rows.filter((row) => row.isSlower);
if (slower.length > 0) {
  console.error(
    `slower than ${result.base.slice(0, 8)} by more than 5 %: ${slower.map(({ name }) => name).join('; ')}`,
  );
  process.exitCode = 1;
}

function record(found: GateRecord): void {
  writeFileSync(RECORD, `${JSON.stringify(found, null, 2)}\n`);
  writeFileSync(PAGE, withSection(readFileSync(PAGE, 'utf8'), gateSection(found)));
}

type Options = ReturnType<typeof read>;

function read() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      base: text(lastRecorded()),
      server: text('own'),
      objects: text('10000'),
      events: text('20000'),
      pairs: text('6'),
      most: text('24'),
      minutes: text('3'),
      only: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  const number = (flag: 'objects' | 'events' | 'pairs' | 'most' | 'minutes') => countOf(`--${flag}`, values[flag]);
  return {
    ...values,
    server: serverOf(values.server),
    only: values.only?.split(','),
    objects: number('objects'),
    events: number('events'),
    pairs: number('pairs'),
    most: number('most'),
    minutes: number('minutes'),
    programs: findPrograms({ peers: false }),
  };
}

function lastRecorded(): string {
  return (JSON.parse(readFileSync(RECORD, 'utf8')) as GateRecord).commit;
}

async function compared({ base, programs, server, ...settings }: Options): Promise<GateRecord> {
  const load = loadavg()[0] ?? Number.NaN;
  console.error(`  building ${base}, unless it is there from an earlier run`);
  const { commit: baseCommit, folder } = orEnd(() => builtCommit(base), USAGE);
  const before = { library: path.join(folder, 'dist', 'index.js'), cli: path.join(folder, 'bin', 'run.js') };
  const turns = await turnsOf({ before, programs, server, ...settings });
  return {
    commit: commitOf('HEAD'),
    changed: isChanged(),
    base: baseCommit,
    date: new Date().toISOString(),
    load,
    server,
    ...turns,
  };
}

async function turnsOf(given: Omit<Options, 'base'> & { before: Built }): Promise<Turns & { pods: number }> {
  const { before, programs, server, objects, events, only, pairs, most, minutes } = given;
  const home = mkdtempSync(path.join(tmpdir(), 'bench-gate-'));
  try {
    await using own = server === 'own' ? await ownCluster(objects) : undefined;
    const many = own ?? (await realCluster(home));
    await using storm = await ownCluster(500, { plan: { kind: 'burst', events } });
    await using few = await ownCluster(3);
    const all = gateRows(before, programs, { many, storm: { ...storm, events }, few }, home);
    const rows = all.filter(({ id }) => only === undefined || only.includes(id));
    const turns = await takeTurns(rows, {
      limit: LIMIT,
      pairs,
      most,
      budgetMs: minutes * 60_000,
      now: () => performance.now(),
      progress: (line) => console.error(`  ${line}`),
    });
    return { pods: many.pods, ...turns };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Whether the sources that were built may be others than those of the commit. */
function isChanged(): boolean {
  return execFileSync('git', ['status', '--porcelain', 'src'], { cwd: import.meta.dirname }).length > 0;
}
