import { shortDuration } from '../../kit/duration.ts';
import type { QueuePage } from '../../ops/pages.ts';
import { cellText } from '../../output/escape.ts';
import { AlignedTable } from '../../output/tables/table.ts';

/** One key of a queue, as a row. */
export interface QueueRow {
  readonly key: string;
  readonly controller: string;
  readonly state: 'processing' | 'queued' | 'delayed' | 'parked';
  readonly priority: number | undefined;
  /** How long it has been in this state, ms; undefined for a delayed one. */
  readonly waitedMs: number | undefined;
  /** When it is due, ms from now; undefined for one that is not delayed, or that waits for its own write. */
  readonly dueInMs: number | undefined;
  /** The runs that failed in a row. */
  readonly failures: number;
  readonly reason: string;
}

/** The rows of a queue in the order in which they will run, parked ones last. */
export function rowsOf({ controller, processing, queued, delayed, parked }: QueuePage, now: number): QueueRow[] {
  const { name } = controller;
  return [
    ...processing.map(({ key, priority, heldMs, isDirty, failures }): QueueRow => {
      const reason = isDirty ? 'runs again after that' : '';
      return {
        key,
        controller: name,
        state: 'processing',
        priority,
        waitedMs: heldMs,
        dueInMs: undefined,
        failures,
        reason,
      };
    }),
    ...queued.map(({ key, priority, waitedMs, failures }): QueueRow => {
      return { key, controller: name, state: 'queued', priority, waitedMs, dueInMs: undefined, failures, reason: '' };
    }),
    ...delayed.map(({ key, priority, dueInMs: inMs, failures, why }): QueueRow => {
      const isOwnWrite = why === 'own write'; // its caches decide when it runs
      const [dueInMs, reason] = isOwnWrite ? [undefined, 'waits for its own write'] : [inMs, why];
      return { key, controller: name, state: 'delayed', priority, waitedMs: undefined, dueInMs, failures, reason };
    }),
    ...parked.map(({ key, attempts, since, error }): QueueRow => {
      const waitedMs = now - since;
      return {
        key,
        controller: name,
        state: 'parked',
        priority: undefined,
        waitedMs,
        dueInMs: undefined,
        failures: attempts,
        reason: error,
      };
    }),
  ];
}

/** The longest reason in a table that is not wide. */
const LONGEST_REASON = 100;

/** The rows as an aligned table, as kubectl prints tables. `wide` adds columns, and shows reasons in full. */
export function queueTable(rows: readonly QueueRow[], { wide }: { wide: boolean }): string {
  const table = new AlignedTable();
  const lines = [
    ['KEY', 'STATE', 'PRIORITY', 'WAITED', 'DUE', 'FAILURES', ...(wide ? ['CONTROLLER'] : []), 'REASON'],
    ...rows.map((row) => cellsOf(row, wide).map(cellText)),
  ];
  for (const line of lines) table.fit(line);
  return lines.map((line) => `${table.line(line).trimEnd()}\n`).join('');
}

function cellsOf(row: QueueRow, wide: boolean): string[] {
  const whole = row.reason.replaceAll(/\s+/g, ' ');
  const reason = wide || whole.length <= LONGEST_REASON ? whole : `${whole.slice(0, LONGEST_REASON - 1)}…`;
  return [
    row.key,
    row.state,
    row.priority === undefined ? '-' : String(row.priority),
    row.waitedMs === undefined ? '-' : shortDuration(row.waitedMs),
    row.dueInMs === undefined ? '-' : `in ${shortDuration(row.dueInMs)}`,
    String(row.failures),
    ...(wide ? [row.controller] : []),
    reason === '' ? '-' : reason,
  ];
}
