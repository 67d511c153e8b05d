// node bench/common-path.ts [--rounds N] [--namespace NS] [--only exact,start,page] [--save]: what commands that end at
// once, the page of a serve and exact numbers take, beside their targets. Starts ask the server of KUBECONFIG, where the
// namespace NS has three pods, or without one the bench's own server. --save writes common-path.json and its section
// in docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type CommonPathResults, withCommonPath } from './common-path-section.ts';
import { exactRows } from './exact-rows.ts';
import { pageRows } from './page-rows.ts';
import { findPrograms } from './programs.ts';
import { startRows } from './start-rows.ts';
import { type TargetRow, targetTable } from './target-row.ts';
import { textOf } from './text-table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    namespace: { type: 'string', default: 'three' },
    only: { type: 'string', default: 'exact,start,page' },
    save: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const load = loadavg()[0] ?? Number.NaN;
const programs = findPrograms();
const only = values.only.split(',');
const rows: TargetRow[] = [];
if (only.includes('exact')) rows.push(...exactRows(rounds));
if (only.includes('start')) rows.push(...(await startRows(programs, { rounds, namespace: values.namespace })));
if (only.includes('page')) rows.push(...(await pageRows(programs, rounds)));
const table = targetTable('Starts, the page, exact numbers', rows);
console.log(textOf(table));
if (values.save) save({ date: new Date().toISOString(), load, table });

function save(results: CommonPathResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'common-path.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withCommonPath(readFileSync(page, 'utf8'), results));
}
