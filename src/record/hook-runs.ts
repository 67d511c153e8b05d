import type { DatabaseSync } from 'node:sqlite';
import { type ObjectKey, partsOfKey } from '../model/key.ts';

/** A run of a hook of `reconcile`. */
export interface RecordedHookRun {
  readonly cluster: string;
  /** The reconciled type: `apps/v1/deployments`. */
  readonly resource: string;
  readonly key: ObjectKey;
  readonly hook: string;
  /** Wall-clock ms. */
  readonly began: number;
  readonly ended: number;
  readonly outcome: 'done' | 'failed' | 'gave up' | 'stopped';
  readonly error: string | undefined;
  /** 1 for the first try of the key, one more after each failure. */
  readonly attempt: number;
  /** The time after which the hook asked to run again, ms. */
  readonly againMs: number | undefined;
  /** The actions that it asked for, one text each, without their bodies. */
  readonly actions: readonly string[];
}

/** Made when there is a run: a recording without hooks has no such table. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS hook_run (id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, resource TEXT NOT NULL,
    namespace TEXT NOT NULL, name TEXT NOT NULL, hook TEXT NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL,
    outcome TEXT NOT NULL, error TEXT, attempt INTEGER NOT NULL, again INTEGER, actions TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS hook_run_name ON hook_run (name);
  CREATE VIEW IF NOT EXISTS hook_runs AS SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', began / 1000.0, 'unixepoch') AS time,
    ended - began AS took, cluster, resource, namespace, name, hook, outcome, error, attempt, again, actions FROM hook_run;
`;

/** Whether a recording has runs of hooks. */
export const hasHookRuns = (database: DatabaseSync) =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'hook_run'").get() !== undefined;

/** Enters runs, in the transaction of the caller. */
export function writeHookRuns(database: DatabaseSync, runs: readonly RecordedHookRun[]): void {
  if (runs.length === 0) return;
  database.exec(TABLES);
  const insert = database.prepare('INSERT INTO hook_run VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const { cluster, resource, key, hook, began, ended, outcome, error, attempt, againMs, actions } of runs) {
    const { namespace, name } = partsOfKey(key);
    const told = [outcome, error ?? null, attempt, againMs ?? null, JSON.stringify(actions)];
    insert.run(cluster, resource, namespace, name, hook, began, ended, ...told);
  }
}

/** The runs for which a condition of SQL holds, in their order. */
export function readHookRuns(database: DatabaseSync, where: string, ...values: string[]): RecordedHookRun[] {
  if (!hasHookRuns(database)) return [];
  const rows = database.prepare(`SELECT * FROM hook_run WHERE ${where} ORDER BY began, id`).all(...values);
  return rows.map((row) => ({
    cluster: String(row.cluster),
    resource: String(row.resource),
    key: row.namespace === '' ? String(row.name) : `${row.namespace}/${row.name}`,
    hook: String(row.hook),
    began: Number(row.began),
    ended: Number(row.ended),
    outcome: row.outcome as RecordedHookRun['outcome'],
    error: row.error === null ? undefined : String(row.error),
    attempt: Number(row.attempt),
    againMs: row.again === null ? undefined : Number(row.again),
    actions: JSON.parse(String(row.actions)) as string[],
  }));
}

/** Removes the runs that ended before a time, in the transaction of the caller. */
export function trimHookRuns(database: DatabaseSync, cutoff: number): void {
  if (hasHookRuns(database)) database.prepare('DELETE FROM hook_run WHERE ended < ?').run(cutoff);
}
