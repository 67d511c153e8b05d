// node bench/shards.ts [PODS] [--save]: what a part of the pods costs beside all of them, on a server that divides and
// on one that does not, and replicas of `reconcile --shards`. --save writes shards.json and its section in
// docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { findPrograms } from './programs.ts';
import { partsOfWhole } from './shard-parts.ts';
import { sharedWork } from './shard-replicas.ts';
import { type ShardResults, shardTable, withShardSection } from './shard-section.ts';
import { textOf } from './text-table.ts';

const words = process.argv.slice(2);
const isSaved = words.includes('--save');
const [pods = 100_000] = words.filter((word) => word !== '--save').map(Number);
const load = loadavg()[0] ?? Number.NaN;
const programs = findPrograms({ peers: false });
const size = { pods, of: 4, changes: Math.min(pods, 10_000) };
const options = { keys: Math.min(pods, 4000), replicas: 4, shards: 12, workers: 8, hookMs: 20 };
const work = await sharedWork(programs, options);
const parts = [true, false].map((isSharding) => () => partsOfWhole(programs, { ...size, isSharding }));
const measured = [];
for (const measure of parts) measured.push(await measure());
const table = shardTable(size, measured, { work, options });
console.log(textOf(table));
if (isSaved) save({ date: new Date().toISOString(), load, table });

function save(results: ShardResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'shards.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withShardSection(readFileSync(page, 'utf8'), results));
}
