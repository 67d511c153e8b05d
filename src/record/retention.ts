import type { DatabaseSync } from 'node:sqlite';
import { jsonText } from '../kit/exact-json.ts';
import { trimHookRuns } from './hook-runs.ts';
import { STAYS_KNOWN } from './schema.ts';
import { type RecordedState, stateOf, wholeStateText } from './state-text.ts';
import { BlockReader, type BlockWriter, type TextPlace } from './text-blocks.ts';

/** How far the file may be beyond its size until the next look at it. */
export const BEYOND = 1.25;
/** How often the age and size of the file are looked at, ms. */
export const TRIM_MS = 60_000;

/** The texts of an object up to a revision, the newest first, from its last whole state on. */
function chainOf(database: Pick<DatabaseSync, 'prepare'>, object: number, revision: number): ChainLink[] {
  const select =
    'SELECT id, at, block, place, length, depth FROM revision WHERE object = ? AND id <= ? ORDER BY id DESC';
  const chain: ChainLink[] = [];
  for (const row of database.prepare(select).iterate(object, revision)) {
    chain.push(row as unknown as ChainLink);
    if (row.depth === 0) break;
  }
  return chain;
}

/** A text of a chain, and the number of differences since the last whole state. */
export interface ChainLink extends TextPlace {
  readonly id: number;
  readonly at: number;
  readonly depth: number;
}

/** The state of an object after a revision. */
export function rebuilt(
  database: DatabaseSync,
  blocks: BlockReader,
  object: number,
  revision: number,
): RecordedState | undefined {
  return chainOf(database, object, revision).reduceRight<RecordedState | undefined>(
    (before, place) => stateOf(blocks.textAt(place), place.depth === 0 ? undefined : before),
    undefined,
  );
}

/**
 * Removes what was received before a time, in the transaction of the caller. Of each object that was there then its
 * state is kept, so that every later moment can be rebuilt. Returns the number of revisions that were removed.
 */
export function trim(database: DatabaseSync, blocks: BlockWriter, cutoff: number): number {
  const { id: last } = database.prepare('SELECT coalesce(max(id), 0) AS id FROM revision WHERE at < ?').get(cutoff) as {
    id: number;
  };
  if (last === 0) return 0;
  let removed = 0;
  const run = (sql: string, ...values: number[]) => Number(database.prepare(sql).run(...values).changes);
  removed += run('DELETE FROM revision WHERE object IN (SELECT id FROM object WHERE gone <= ?)', last);
  run('DELETE FROM object WHERE gone <= ?', last);
  run('DELETE FROM state WHERE object NOT IN (SELECT id FROM object)');
  const reader = new BlockReader(database);
  for (const { id } of database.prepare('SELECT id FROM object WHERE first <= ?').all(last)) {
    const object = Number(id);
    const kept = Number(
      database.prepare('SELECT max(id) AS id FROM revision WHERE object = ? AND id <= ?').get(object, last)?.id,
    );
    const state = rebuilt(database, reader, object, kept);
    if (!state) continue;
    const { block, place, length } = blocks.add(wholeStateText(state));
    run('UPDATE revision SET block = ?, place = ?, length = ?, depth = 0 WHERE id = ?', block, place, length, kept);
    removed += run('DELETE FROM revision WHERE object = ? AND id < ?', object, kept);
    run('UPDATE object SET first = ? WHERE id = ?', kept, object);
  }
  blocks.write();
  run('DELETE FROM block WHERE id NOT IN (SELECT block FROM revision)');
  run('DELETE FROM change WHERE id NOT IN (SELECT change FROM revision WHERE change IS NOT NULL)');
  run('DELETE FROM stretch WHERE until < ?', cutoff);
  run('UPDATE stretch SET since = ? WHERE since < ?', cutoff, cutoff);
  run('DELETE FROM gap WHERE until < ?', cutoff);
  trimHookRuns(database, cutoff);
  return removed;
}

/** The time before which a quarter of the revisions were received. */
export function firstQuarter(database: DatabaseSync): number {
  const { first, last } = database.prepare('SELECT min(id) AS first, max(id) AS last FROM revision').get() as Record<
    string,
    number
  >;
  const at = Number(first) + Math.ceil((Number(last) - Number(first)) / 4);
  return Number(database.prepare('SELECT at FROM revision WHERE id >= ? ORDER BY id LIMIT 1').get(at)?.at ?? 0);
}

/** Brings the tables of newest states up to date, after a process that was killed. */
export function completeStates(database: DatabaseSync): void {
  const stale = database
    .prepare(
      `SELECT id, last FROM (SELECT o.id, (SELECT max(id) FROM revision WHERE object = o.id AND event <> 3) AS last
         FROM object o WHERE o.gone IS NULL OR ${STAYS_KNOWN}) n WHERE last IS NOT (SELECT revision FROM state WHERE object = n.id)`,
    )
    .all();
  const reader = new BlockReader(database);
  for (const { id, last } of stale) {
    const state = rebuilt(database, reader, Number(id), Number(last));
    const at = Number(database.prepare('SELECT at FROM revision WHERE id = ?').get(Number(last))?.at);
    if (state) putState(database, { object: Number(id), revision: Number(last), at, state });
  }
  database.exec(`DELETE FROM state WHERE object NOT IN (SELECT id FROM object WHERE gone IS NULL OR ${STAYS_KNOWN})`);
}

/** A state, the revision that made it, and when that was received, wall-clock ms. */
export interface StateRow {
  readonly object: number;
  readonly revision: number;
  readonly at: number;
  readonly state: RecordedState;
}

/** Enters a state into a table of states. managedFields are not in it. */
export function putState(
  database: Pick<DatabaseSync, 'prepare'>,
  { object, revision, at, state }: StateRow,
  table = 'state',
): void {
  const { metadata = {}, ...rest } = state.object as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { managedFields: _, ...shown } = metadata;
  database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?, ?)`).run(
    object,
    revision,
    at,
    shown.labels ? jsonText(shown.labels) : null,
    state.cells ? jsonText(state.cells) : null, // biome-ignore format: one row
    jsonText({ ...rest, metadata: shown }),
  );
}
