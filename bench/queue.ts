// node --expose-gc bench/queue.ts [KEYS [ROUNDS]] [--save]: keys through the work queue and through 16 workers, beside
// client-go's work queue (peers/client-go/queue), if Go and its modules are there; BENCH_GO=1 downloads them. --save
// writes queue.json and its section in docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { buildClientGo } from './programs.ts';
import { measureQueue } from './queue-rows.ts';
import { type QueueResults, withQueueSection } from './queue-section.ts';
import { textOf } from './text-table.ts';

const words = process.argv.slice(2);
const isSaved = words.includes('--save');
const [keys = 100_000, rounds = 3] = words.filter((word) => word !== '--save').map(Number);
const load = loadavg()[0] ?? Number.NaN;
const peer = buildClientGo('./queue');
if ('missing' in peer) console.error(`without client-go: ${peer.missing}`);
const table = await measureQueue({ keys, rounds, peer: 'missing' in peer ? undefined : peer.path });
console.log(textOf(table));
if (isSaved) save({ date: new Date().toISOString(), load, table });

function save(results: QueueResults): void {
  const page = path.join(import.meta.dirname, '..', 'docs', 'performance.md');
  writeFileSync(path.join(import.meta.dirname, 'queue.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(page, withQueueSection(readFileSync(page, 'utf8'), results));
}
