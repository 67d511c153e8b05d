import type { Results } from './results.ts';
import { number, programTables, resultTables, stageTable } from './tables.ts';
import { targetRows } from './targets.ts';
import { markdownOf, type TextTable } from './text-table.ts';
import wire from './wire.json' with { type: 'json' };
import { wireSection } from './wire-section.ts';

/** What limits a target, by its id; empty where there is nothing to say yet. */
export type Limits = Readonly<Record<string, string>>;

const METHOD = `Every program runs in a process of its own against a replay server in another, over plain HTTP on the loopback address. The server makes its answers out of templates, so it sends as fast as they are taken and nobody waits for it; to programs that ask for gzip (the peers do; ours over TLS or to another machine, the floors never) it sends bytes it compressed beforehand, as an API server does. It speaks JSON only, so client-go's typed informer runs without protobuf. Ours leaves managedFields out, as the program does, and the peers keep them: the same over TLS and with protobuf, in pieces as an API server sends them, with the same transform on both sides and with the library's plain defaults, is in [its own section](#on-the-wire-of-an-api-server).

Rows of one table run in turn, round after round, and each figure is the median of its runs; a program that takes minutes runs once; of the latencies, the least disturbed round is shown. CPU is user and system time of the process, from the kernel; memory is its peak resident set (10⁶ bytes). Every program is checked to have shown every object. Whole processes are measured, the start of Node included; the growth rows alone leave it out. Compare figures within one table only: another machine has others, a busy one slower ones.`;

/** docs/performance.md: the targets with what was measured, the plot, and every figure. */
export function performancePage(results: Results, limits: Limits): string {
  const sections = [
    '# Performance',
    `Measured ${results.date.slice(0, 10)} on ${results.machine}, ${results.versions}; load before the first run ${results.load.toFixed(1)}. Pods of ${number(results.bytes)} bytes as JSON, a third of it managedFields. This page is written by \`npm run bench:report\`.`,
    '## Targets',
    markdownOf(targetTable(results, limits)),
    '## Time and memory',
    '![Time and peak memory of a first state against the number of pods](performance.svg)',
    ...programTables(results).flatMap(titled),
    ...restOf(results).flatMap(titled),
    '## The path of an event, stage by stage',
    'In one process, CPU time, garbage collection included. The stages are those of [the architecture](ARCHITECTURE.md#the-path-of-one-event).',
    ...results.stages.map(stageTable).flatMap(titled),
    ...wireSection(wire),
    '## How it was measured',
    METHOD,
    'To measure again: `npm run build && npm run bench:report`, or `npm run bench -- --quick` for a look. `--only NAME` measures what has that name, `--objects` and `--bytes` say how many and how large.',
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
