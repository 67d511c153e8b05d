// npm run bench:report: measures everything and writes docs/performance.md with its plot. `--from FILE` takes the
// figures of an earlier run.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orEnd, readArguments } from './arguments.ts';
import { collect } from './collect.ts';
import limits from './limits.json' with { type: 'json' };
import { performancePage } from './page.ts';
import { plotSvg } from './plot.ts';
import { findPrograms } from './programs.ts';
import type { Results } from './results.ts';
import { targetRows } from './targets.ts';

const DOCS = path.resolve(import.meta.dirname, '../docs');
const startedAt = performance.now();
const args = orEnd(() => readArguments(process.argv.slice(2)));
const results = args.from === undefined ? await measured() : (JSON.parse(readFileSync(args.from, 'utf8')) as Results);
if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify(results, null, 1)}\n`);
writeFileSync(path.join(DOCS, 'performance.md'), performancePage(results, limits));
writeFileSync(path.join(DOCS, 'performance.svg'), plotSvg(results));
for (const { work, target, measured: value, isMet } of targetRows(results)) {
  console.log(`${isMet === undefined ? '?  ' : isMet ? 'yes' : 'NO '} ${work}: ${value ?? 'not measured'} (${target})`);
}
console.log(
  `docs/performance.md and docs/performance.svg written after ${Math.round((performance.now() - startedAt) / 1000)} s`,
);

for (const { name, objects, reason } of results.failed) console.error(`failed: ${name}, ${objects} objects: ${reason}`);
if (results.failed.length > 0) process.exitCode = 1;

function measured(): Promise<Results> {
  const isQuick = args.quick;
  const from = performance.now();
  return collect({
    programs: orEnd(() => findPrograms(args)),
    sizes: args.objects ?? (isQuick ? [1_000, 10_000] : [1_000, 10_000, 50_000, 200_000]),
    bytes: args.bytes,
    rounds: args.rounds ?? (isQuick ? 2 : 3),
    events: 20_000,
    stages: isQuick ? { count: 1_000, rounds: 3 } : { count: 10_000, rounds: 5 },
    sandboxObjects: isQuick ? 5_000 : 20_000,
    only: args.only,
    onStage: ({ name }) => console.error(`  ${seconds(from)} ${name}`),
    progress: (text) => console.error(`  ${seconds(from)} ${text}`),
  });
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(0).padStart(4)} s`;
}
