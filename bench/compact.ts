// node bench/compact.ts [--quick] [--save]: caches with `store: compact` beside `objects` and client-go, up to a million
// pods, reads, storms, other objects, and the formula of docs/memory.md. --quick: small numbers. --save writes
// compact.json and its section in docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { type CompactOptions, measureCompact } from './compact-rows.ts';
import { type CompactResults, withCompactSection } from './compact-section.ts';
import { formulaTable, readTable, stormTable, syncTable } from './compact-tables.ts';
import { compactTargets } from './compact-targets.ts';
import { findPrograms } from './programs.ts';
import { textOf } from './text-table.ts';

const FULL: CompactOptions = {
  objects: 50_000,
  rounds: 3,
  sizes: [10_000, 100_000, 1_000_000],
  storm: { objects: 200_000, perSecond: 2000, seconds: 60, of: [200_000, 20_000] },
  further: { mixed: 50_000, widgets: 10_000, secrets: 30_000 },
  clientGo: [50_000, 100_000],
};
const QUICK: CompactOptions = {
  objects: 10_000,
  rounds: 1,
  sizes: [5_000, 10_000, 20_000],
  storm: { objects: 10_000, perSecond: 1000, seconds: 8, of: [10_000] },
  further: { mixed: 5_000, widgets: 1_000, secrets: 5_000 },
  clientGo: [10_000],
};

const words = process.argv.slice(2);
const options = words.includes('--quick') ? QUICK : FULL;
const load = loadavg()[0] ?? Number.NaN;
const measured = await measureCompact(findPrograms(), options, (sentence) => console.error(`measured: ${sentence}`));
const tables = [compactTargets, syncTable, readTable, stormTable, formulaTable].map((tableOf) => tableOf(measured));
for (const table of tables) console.log(textOf(table));
for (const row of measured.clientGo) if ('missing' in row) console.log(`\nclient-go: ${row.missing}`);
if (words.includes('--save')) save({ date: new Date().toISOString(), load, tables });

function save(results: CompactResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'compact.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withCompactSection(readFileSync(page, 'utf8'), results));
}
