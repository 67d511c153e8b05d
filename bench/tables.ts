import type { Results, RunResult, StageResult } from './results.ts';
import { perSecond, targetRows } from './targets.ts';
import type { TextTable } from './text-table.ts';

/** One stage, row by row. */
export function stageTable({ name, unit, count, rows }: StageResult): TextTable {
  return {
    title: `${name}, ${number(count)} × ${unit}`,
    head: ['row', 'CPU ms', 'wall ms', `µs CPU per ${unit}`, '× baseline'],
    rows: rows.map((row) => [
      row.name,
      row.cpuMs.toFixed(1),
      row.wallMs.toFixed(1),
      (row.perUnitNs / 1000).toFixed(2),
      row.ratio.toFixed(2),
    ]),
  };
}

/** All that was measured of whole programs, and what it says of the targets. */
export function resultTables(results: Results): TextTable[] {
  const tables = [
    ...programTables(results),
    ...waitingTables(results),
    ...omissionTables(results),
    targetTable(results),
  ];
  if (results.sandbox.length > 0) tables.push(sandboxTable(results));
  return tables.filter(({ rows }) => rows.length > 0);
}

/** A table per collection, one of the burst, one of what is over in a moment. */
export function programTables({ runs }: Results): TextTable[] {
  const isMoment = ({ id }: RunResult) => MOMENTS.has(id);
  const synced = runs.filter((run) => !isMoment(run) && run.events === undefined);
  const sizes = [...new Set(synced.map(({ objects }) => objects))].sort((a, b) => a - b);
  const followed = runs.filter(({ events }) => events !== undefined);
  return [
    ...sizes.map((size) =>
      runTable(
        `an initial list of ${number(size)} pods`,
        synced.filter(({ objects }) => objects === size),
      ),
    ),
    runTable(`a burst of ${number(followed[0]?.events ?? 0)} changes`, followed),
    runTable('start, and the first row of 10 pods', runs.filter(isMoment)),
  ].filter(({ rows }) => rows.length > 0);
}

const MOMENTS = new Set(['node', 'version', 'help', 'kubectl-version', 'first-row', 'kubectl-first-row']);

function runTable(title: string, runs: readonly RunResult[]): TextTable {
  const hasEvents = runs.some(({ events }) => events !== undefined);
  const hasBlock = runs.some(({ work }) => work?.blockMs !== undefined);
  return {
    title,
    head: [
      '',
      'program',
      'wall ms',
      'CPU ms',
      'peak RSS MB',
      'first byte ms',
      ...(hasEvents ? ['events/s'] : []),
      ...(hasBlock ? ['longest block ms'] : []),
      'runs',
    ],
    rows: runs.map((run) => [
      run.group,
      run.name,
      figure(run.wallMs),
      figure(run.cpuMs),
      figure(run.peakRssMb),
      figure(run.firstByteMs),
      ...(hasEvents ? [number(Math.round(perSecond(run) ?? 0))] : []),
      ...(hasBlock ? [figure(run.work?.blockMs)] : []),
      String(run.rounds),
    ]),
  };
}

function waitingTables({ idle, latency }: Results): TextTable[] {
  return [
    { title: 'waiting', head: ['program', 'RSS MB'], rows: idle.map(({ name, rssMb }) => [name, figure(rssMb)]) },
    {
      title: 'from the server’s write to the printed line',
      head: ['program', 'events/s', 'p50 ms', 'p99 ms'],
      rows: latency.map(({ name, perSecond: rate, p50Ms, p99Ms }) => [
        name,
        String(rate),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
      ]),
    },
  ];
}

function omissionTables({ omitted, failed }: Results): TextTable[] {
  const table = (title: string, rows: Results['omitted']) => ({
    title,
    head: ['program', 'pods', 'why'],
    rows: rows.map(({ name, objects, reason }) => [name, number(objects), reason.replaceAll('\n', ' ')]),
  });
  return [table('left out', omitted), table('failed', failed)];
}

function targetTable(results: Results): TextTable {
  const rows = targetRows(results).filter(({ measured }) => measured !== undefined);
  return {
    title: 'targets',
    head: ['work', 'target', 'measured', 'met'],
    rows: rows.map((row) => [row.work, row.target, row.measured ?? '', row.isMet ? 'yes' : 'no']),
  };
}

function sandboxTable({ sandbox }: Results): TextTable {
  return {
    title: 'the sandbox under load, CPU time',
    head: ['work', 'figures'],
    rows: sandbox.map((line) => line.split(/: (.*)/s).slice(0, 2)),
  };
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

/** As many digits as mean something. */
export function figure(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 100 ? value.toFixed(1) : number(Math.round(value));
}
