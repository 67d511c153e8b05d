import { gateSection } from './gate/gate-section.ts';
import type { GateRecord } from './gate/record.ts';
import gate from './gate.json' with { type: 'json' };
import queue from './queue.json' with { type: 'json' };
import { queueSection } from './queue-section.ts';
import realLimits from './real/limits.json' with { type: 'json' };
import real from './real/real.json' with { type: 'json' };
import { type RealResults, realSection } from './real/real-section.ts';
import type { Results } from './results.ts';
import { number, programTables, resultTables, stageTable } from './tables.ts';
import { targetRows } from './targets.ts';
import { markdownOf, type TextTable } from './text-table.ts';
import wire from './wire.json' with { type: 'json' };
import { wireSection } from './wire-section.ts';

/** What limits each target, by its id; empty where nothing is known yet. */
export type Limits = Readonly<Record<string, string>>;

const METHOD = `Every program runs in its own process, and a replay server runs in another. They use plain HTTP on the loopback address. The server makes its answers from templates, so it sends as fast as the client reads, and no program waits for it. Programs that request gzip get bytes that were compressed in advance. (The peers request it; this library does over TLS or to another machine; the floors never do.) The server sends only JSON, so client-go's typed informer runs without protobuf. This library leaves managedFields out, as the program does, and the peers keep them. [A separate section](#on-the-wire-of-an-api-server) compares them over TLS and with protobuf, in pieces as an API server sends them, with the same transform on both sides, and with the library's plain defaults.

The rows of one table run in turn, round after round. Each figure is the median of its runs. A program that takes minutes runs once. For latencies, the least disturbed round is shown. CPU is the user and system time of the process, from the kernel; memory is its peak resident set (10⁶ bytes). A check makes sure that every program showed every object. Whole processes are measured, with the start of Node; only the growth rows leave the start out. Compare figures only within one table: they differ on another machine, and are slower on a busy one.`;

/** docs/performance.md: the targets with what was measured, the plot, and every figure. */
export function performancePage(results: Results, limits: Limits): string {
  const sections = [
    '# Performance',
    'After reading this page you know how fast the program and the library are, how much memory they take, beside other clients and from small to large clusters.',
    ...realSection(real as RealResults, realLimits),
    ...gateSection(gate as GateRecord),
    '## Targets',
    `Measured ${results.date.slice(0, 10)} on ${results.machine}, ${results.versions}; load before the first run ${results.load.toFixed(1)}. The server is the bench's own. Pods of about ${number(results.bytes)} bytes as JSON, nearly half of it managedFields. This page is written by \`npm run bench:report\`.`,
    markdownOf(targetTable(results, limits)),
    '## Time and memory',
    '![Time and peak memory of an initial list against the number of pods](performance.svg)',
    ...programTables(results).flatMap(titled),
    ...restOf(results).flatMap(titled),
    '## The path of an event, stage by stage',
    'These figures are CPU time in one process, with garbage collection. The stages are those of [the architecture](ARCHITECTURE.md#the-path-of-one-event).',
    ...results.stages.map(stageTable).flatMap(titled),
    ...wireSection(wire),
    ...queueSection(queue),
    '## How it was measured',
    METHOD,
    'To measure again: `npm run build && npm run bench:report`, or `npm run bench -- --quick` for a short measurement. `--only NAME` measures only the rows with that name; `--objects` and `--bytes` set the number and the size of the objects.',
  ];
  return `${sections.join('\n\n')}\n`;
}

function targetTable(results: Results, limits: Limits): TextTable {
  const rows = targetRows(results).map(({ id, work, target, measured, isMet }) => [
    work,
    target,
    measured ?? 'not measured',
    isMet === undefined ? '' : isMet ? 'yes' : '**no**',
    limits[id] ?? '',
  ]);
  return { title: 'Targets', head: ['work', 'target', 'measured', 'met', 'what limits it'], rows };
}

/** What has a table of its own and is no program's run; the targets have one above. */
function restOf(results: Results): TextTable[] {
  const shown = new Set(['targets', ...programTables(results).map(({ title }) => title)]);
  return resultTables(results).filter(({ title }) => !shown.has(title));
}

function titled(table: TextTable): string[] {
  return [`### ${table.title.slice(0, 1).toUpperCase()}${table.title.slice(1)}`, markdownOf(table)];
}
