// node --expose-gc bench/query.ts [PODS [ROUNDS]] [--save]: one pod of many, looked up by an index of the library, over the
// socket of a running serve, and by whole processes, beside scans, kubectl and jq on the same server. --save writes
// query.json and its section in docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { findPrograms } from './programs.ts';
import { measureQueries } from './query-rows.ts';
import { type QueryResults, withQuerySection } from './query-section.ts';
import { textOf } from './text-table.ts';

const words = process.argv.slice(2);
const isSaved = words.includes('--save');
const [pods = 100_000, rounds = 11] = words.filter((word) => word !== '--save').map(Number);
const load = loadavg()[0] ?? Number.NaN;
const table = await measureQueries({ pods, rounds, programs: findPrograms() });
console.log(textOf(table));
if (isSaved) save({ date: new Date().toISOString(), load, table });

function save(results: QueryResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'query.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withQuerySection(readFileSync(page, 'utf8'), results));
}
