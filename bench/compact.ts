// node bench/compact.ts [--quick] [--save] [--json FILE | --from FILE]: caches with `store: compact` beside `objects`
// and client-go, up to a million pods, reads, storms, other objects, and the formula of docs/memory.md. --quick: small
// numbers. --save writes compact.json and its section in docs/performance.md. --json writes all figures; --from reads
// them and measures nothing.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type CompactMeasured, type CompactOptions, measureCompact } from './compact-rows.ts';
import { type CompactResults, withCompactSection } from './compact-section.ts';
import { formulaTable, readTable, stormTable, syncTable } from './compact-tables.ts';
import { compactTargets } from './compact-targets.ts';
import { findPrograms } from './programs.ts';
import { textOf } from './text-table.ts';

const FULL: CompactOptions = {
  objects: 50_000,
  rounds: 2,
  sizes: [10_000, 100_000, 1_000_000],
  storm: { objects: 200_000, perSecond: 2000, seconds: 60, of: [200_000, 20_000] },
  further: { mixed: 50_000, widgets: 10_000, secrets: 30_000 },
  clientGo: [50_000],
};
const QUICK: CompactOptions = {
  objects: 10_000,
  rounds: 1,
  sizes: [5_000, 10_000, 20_000],
  storm: { objects: 10_000, perSecond: 1000, seconds: 8, of: [10_000] },
  further: { mixed: 5_000, widgets: 1_000, secrets: 5_000 },
  clientGo: [10_000],
};

/** All figures of one run. */
interface Figures {
  readonly date: string;
  readonly load: number;
  readonly measured: CompactMeasured;
}

const bool = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: { quick: bool, save: bool, json: { type: 'string' }, from: { type: 'string' } },
});
const { date, load, measured } = values.from ? (JSON.parse(readFileSync(values.from, 'utf8')) as Figures) : await run();
if (values.json) writeFileSync(values.json, JSON.stringify({ date, load, measured }));
const tables = [compactTargets, syncTable, readTable, stormTable, formulaTable].map((tableOf) => tableOf(measured));
for (const table of tables) console.log(textOf(table));
for (const row of measured.clientGo) if ('missing' in row) console.log(`\nclient-go: ${row.missing}`);
if (values.save) save({ date, load, tables });

async function run(): Promise<Figures> {
  const load = loadavg()[0] ?? Number.NaN;
  const say = (sentence: string) => console.error(`measured: ${sentence}`);
  const measured = await measureCompact(findPrograms(), values.quick ? QUICK : FULL, say);
  return { date: new Date().toISOString(), load, measured };
}

function save(results: CompactResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'compact.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withCompactSection(readFileSync(page, 'utf8'), results));
}
