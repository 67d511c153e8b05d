// npm run bench [-- --quick]: each stage of the path of an event against its baseline, then whole programs beside
// floors and peers. With --server real: the initial list from the server of KUBECONFIG, and nothing else.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orEnd, readArguments } from './arguments.ts';
import { collect } from './collect.ts';
import { findPrograms } from './programs.ts';
import limits from './real/limits.json' with { type: 'json' };
import { measureReal } from './real/real.ts';
import { type RealResults, realTargets, runTable, withRealSection } from './real/real-section.ts';
import { resultTables, stageTable } from './tables.ts';
import { textOf } from './text-table.ts';

const args = orEnd(() => readArguments(process.argv.slice(2)));
if (args.server === 'real') await real();
else await own();

/** Stages, and whole programs against the bench's own server. */
async function own(): Promise<void> {
  const isQuick = args.quick;
  const results = await collect({
    programs: orEnd(() => findPrograms(args)),
    sizes: args.objects ?? [isQuick ? 1_000 : 10_000],
    bytes: args.bytes,
    rounds: args.rounds ?? (isQuick ? 2 : 5),
    events: isQuick ? 5_000 : 20_000,
    stages: isQuick ? { count: 1_000, rounds: 3 } : { count: 10_000, rounds: 7 },
    sandboxObjects: isQuick ? 5_000 : 50_000,
    only: args.only,
    onStage: (result) => console.log(textOf(stageTable(result))),
    progress: (text) => console.error(`  ${text}`),
  });
  if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify(results, null, 1)}\n`);
  for (const table of resultTables(results)) console.log(textOf(table));
  if (results.failed.length > 0) process.exitCode = 1;
  if (
    results.stages.length +
      results.runs.length +
      results.idle.length +
      results.latency.length +
      results.sandbox.length ===
    0
  ) {
    console.error(`nothing was measured${args.only === undefined ? '' : `: no name contains "${args.only}"`}`);
  }
}

/** The initial list from the server of KUBECONFIG. */
async function real(): Promise<void> {
  const { failed, ...results } = await measureReal({
    programs: orEnd(() => findPrograms({ root: args.root, peers: false })),
    rounds: args.rounds ?? 3,
    root: args.root,
    only: args.only,
    progress: (text) => console.error(`  ${text}`),
  });
  for (const table of [runTable(results), realTargets(results, {})]) console.log(textOf(table));
  for (const { name, reason } of [...results.omitted, ...failed]) console.error(`not measured: ${name}: ${reason}`);
  if (failed.length > 0) process.exitCode = 1;
  if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify(results, null, 1)}\n`);
  if (args.save) saveReal(results);
}

function saveReal(results: RealResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'real', 'real.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withRealSection(readFileSync(page, 'utf8'), results, limits));
}
