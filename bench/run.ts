// npm run bench [-- --quick]: each stage of the path of an event against its baseline, then whole programs beside
// floors and peers.
import { writeFileSync } from 'node:fs';
import { orEnd, readArguments } from './arguments.ts';
import { collect } from './collect.ts';
import { findPrograms } from './programs.ts';
import { resultTables, stageTable } from './tables.ts';
import { textOf } from './text-table.ts';

const args = orEnd(() => readArguments(process.argv.slice(2)));
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
