import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { builtin } from '../../kit/builtin.ts';
import { inTransaction, openDatabase, ownDatabaseFile, pragmaOf } from '../../kit/database-file.ts';
import { StateFault, stateFault } from './state-fault.ts';
import { LONGEST_UNUSED_MS } from './unused-states.ts';

/** One object as it is stored. */
export interface StoredRow {
  readonly key: string;
  readonly uid: string;
  readonly version: string;
  readonly text: string;
}

/** The state of one scope, complete at a version. */
export interface StoredRows {
  readonly rows: readonly StoredRow[];
  readonly resourceVersion: string;
  /** When it was last known to be current, wall-clock ms. */
  readonly at: number;
}

/** The changes of a step in a scope. */
export interface RowChanges {
  /** True if `put` replaces the whole state. */
  readonly isWhole: boolean;
  readonly put: Iterable<StoredRow>;
  readonly gone: Iterable<string>;
  readonly resourceVersion: string;
  readonly at: number;
}

/** The schema of the files. A file of a later one is not touched. */
const SCHEMA = 1;
/** Marks a file as one of this program: "kinf". Source: sqlite.org/pragma.html, application_id. */
const APPLICATION = 0x6b696e66;
const PAGE_BYTES = 4096;
/** The default limit of a file, 1 GiB. */
const MOST_BYTES = 1_073_741_824;

const TABLES = `
  CREATE TABLE scope (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL, at INTEGER NOT NULL,
    count INTEGER NOT NULL);
  CREATE TABLE object (scope INTEGER NOT NULL, key TEXT NOT NULL, uid TEXT NOT NULL, version TEXT NOT NULL,
    text TEXT NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (scope, key)) WITHOUT ROWID;
`;

export interface StateFileOptions {
  /** The most that the file may have, bytes. Default 1 GiB. */
  readonly mostBytes?: number | undefined;
  /** How long to wait for another process that uses the file, ms. Default: not at all. */
  readonly waitMs?: number | undefined;
}

/**
 * A database of stored states, used by one process at a time. Its calls block.
 * Promises: a state is read as it was written, or not at all: each write is one transaction, and each row has a check
 * sum. The file has mode 0600. Every error is a {@link StateFault}.
 * Does not promise: that the last writes are there after the machine lost its power.
 */
export class StateFile implements Disposable {
  readonly file: string;
  readonly #database: DatabaseSync;

  private constructor(file: string, database: DatabaseSync) {
    this.file = file;
    this.#database = database;
  }

  /** Opens the file, or creates it. Throws `StateFault`. */
  static open(file: string, { mostBytes = MOST_BYTES, waitMs }: StateFileOptions = {}): StateFile {
    let database: DatabaseSync | undefined;
    try {
      const foreign = ownDatabaseFile(file);
      if (foreign) throw new StateFault('foreign', foreign.path, foreign.why);
      database = openDatabase(file, { timeout: waitMs });
      prepare(database, file, Math.ceil(mostBytes / PAGE_BYTES));
      return new StateFile(file, database);
    } catch (error) {
      if (database?.isOpen) database.close();
      throw stateFault(error, file);
    }
  }

  /** Sets a damaged file aside, under the same name with `.damaged`, which replaces an earlier one. */
  static setAside(file: string): void {
    for (const part of ['-wal', '-shm', '-journal']) rmSync(file + part, { force: true });
    if (existsSync(file)) renameSync(file, `${file}.damaged`);
  }

  /** The state of a scope; undefined if there is none that is complete. Throws `StateFault`. */
  read(scope: string): StoredRows | undefined {
    return this.#do(() => {
      const found = this.#database.prepare('SELECT id, version, at, count FROM scope WHERE name = ?').get(scope);
      if (!found || found.version === '') return undefined;
      const select = 'SELECT key, uid, version, text, sum FROM object WHERE scope = ? ORDER BY key';
      const rows = this.#database.prepare(select).all(found.id as number) as unknown as (StoredRow & { sum: number })[];
      const damaged = rows.find(({ key, text, sum }) => sumOf(key, text) !== sum);
      if (damaged) throw new StateFault('damaged', this.file, `the row of "${damaged.key}" is damaged`);
      if (rows.length !== found.count)
        throw new StateFault('damaged', this.file, `it has ${rows.length} of ${found.count} rows`);
      return { rows, resourceVersion: String(found.version), at: Number(found.at) };
    });
  }

  /** Writes a step in one transaction, so that all of it is there, or nothing. Throws `StateFault`. */
  write(scope: string, { isWhole, put, gone, resourceVersion, at }: RowChanges): void {
    this.#transaction(() => {
      this.#database
        .prepare(`INSERT INTO scope (name, version, at, count) VALUES (?, '', ?, 0) ON CONFLICT DO NOTHING`)
        .run(scope, at);
      const { id } = this.#database.prepare('SELECT id FROM scope WHERE name = ?').get(scope) as { id: number };
      if (isWhole) this.#database.prepare('DELETE FROM object WHERE scope = ?').run(id);
      const insert = this.#database.prepare('INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?)');
      for (const { key, uid, version, text } of put) insert.run(id, key, uid, version, text, sumOf(key, text));
      const remove = this.#database.prepare('DELETE FROM object WHERE scope = ? AND key = ?');
      for (const key of gone) remove.run(id, key);
      this.#database
        .prepare(
          'UPDATE scope SET version = ?, at = ?, count = (SELECT count(*) FROM object WHERE scope = ?) WHERE id = ?',
        )
        .run(resourceVersion, at, id, id);
    });
  }

  /** Removes the scopes that were not written for a month. Throws `StateFault`. */
  removeUnused(now: number): void {
    this.#transaction(() => {
      const before = now - LONGEST_UNUSED_MS.scope;
      this.#database.prepare('DELETE FROM object WHERE scope IN (SELECT id FROM scope WHERE at < ?)').run(before);
      this.#database.prepare('DELETE FROM scope WHERE at < ?').run(before);
    });
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #transaction(run: () => void): void {
    this.#do(() => inTransaction(this.#database, run));
  }

  #do<R>(run: () => R): R {
    try {
      return run();
    } catch (error) {
      throw stateFault(error, this.file);
    }
  }
}

const sumOf = (key: string, text: string) => builtin.zlib().crc32(`${key} ${text}`);

/** Takes the lock, which the system releases when the process ends, in whatever way. */
function prepare(database: DatabaseSync, file: string, mostPages: number): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON');
  const [schema, application] = [pragmaOf(database, 'user_version'), pragmaOf(database, 'application_id')];
  const isNew = pragmaOf(database, 'schema_version') === 0;
  if (!isNew && application !== APPLICATION) throw new StateFault('foreign', file, 'it is no file of kubectl-informer');
  if (schema > SCHEMA) throw new StateFault('newer', file, 'a newer version of kubectl-informer made it');
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE');
  if (isNew) database.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA}; ${TABLES}`);
  database.exec(`COMMIT; PRAGMA max_page_count = ${mostPages}`);
}
