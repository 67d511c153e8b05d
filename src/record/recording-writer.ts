import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../kit/clock.ts';
import { inTransaction, openDatabase, ownDatabaseFile, pragmaOf } from '../kit/database-file.ts';
import { jsonText } from '../kit/exact-json.ts';
import type { TableColumn } from '../model/cells.ts';
import { formatGroupResource, formatGvr } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { type RecordedHookRun, writeHookRuns } from './hook-runs.ts';
import type { RecordedChange } from './recorded-change.ts';
import type { RecordedGap } from './recorded-gap.ts';
import { RecordedTime } from './recorded-time.ts';
import { RecordingFault, recordingFault } from './recording-fault.ts';
import { completeStates, firstQuarter, putState, trim } from './retention.ts';
import { CAUSES, EVENTS, makeTypeView, prepareRecording, staysKnown } from './schema.ts';
import type { RecordedState } from './state-text.ts';
import { BlockWriter, nextId } from './text-blocks.ts';

/** The part of a cluster that is recorded as one: a type, in a namespace or in all, by a selection or whole. */
export interface RecordedScope {
  readonly type: ResourceType;
  /** '' = all, or the type has none. */
  readonly namespace: string;
  /** The selectors and names that limit it, as on the command line; '' = all objects. */
  readonly selection: string;
}

/** The last recorded state of an object. */
export interface KnownState {
  readonly object: number;
  readonly uid: string;
  readonly version: string;
  /** The number of differences since the last whole state. */
  readonly depth: number;
}

export interface NewRevision {
  readonly source: number;
  readonly object: number;
  /** For the first revision of an object. */
  readonly identity: { readonly namespace: string; readonly name: string; readonly uid: string } | undefined;
  readonly at: number;
  readonly version: string;
  readonly event: (typeof EVENTS)[number];
  readonly cause: (typeof CAUSES)[number];
  readonly change: RecordedChange | undefined;
  readonly text: string;
  readonly depth: number;
  /** The state for the tables of newest states; undefined: it is gone. */
  readonly state: RecordedState | undefined;
}

/** A stretch of time in which every change of a source was seen. */
export interface RecordedStretch {
  readonly source: number;
  readonly how: string;
  readonly since: number;
  until: number;
  readonly firstVersion: string;
  lastVersion: string;
  readonly objects: number;
}

type WriterClock = Pick<Clock, 'now' | 'monotonic'>;

interface WriterOptions {
  readonly clock: WriterClock;
  /** The command that records, for the name of this process. */
  readonly command: string;
  /** The most that the file may have, bytes. Default: what the disk has room for. */
  readonly mostBytes?: number | undefined;
}

/** How long to wait until a file that could not be written, as on a full disk, is tried again, ms. */
export const FULL_DISK_MS = 10_000;

const PAGE_BYTES = 4096;
/** How long newest states wait to be written, ms: an object that changes often is written once. */
const STATES_MS = 10_000;
/** The newest states that are written in one step. */
const MOST_STATES = 2_000;
/** The texts of changes whose rows are known. */
const KNOWN_CHANGES = 20_000;

/**
 * Writes one recording. Its calls block. Each {@link write} is one transaction in a write-ahead log: a process that is
 * killed leaves a file with all steps that were written. Every error is a `RecordingFault`. The file has mode 0600.
 * One process at a time writes; a second one is refused with the name of the first.
 */
export class RecordingWriter implements Disposable {
  readonly file: string;
  readonly time: RecordedTime;
  readonly #clock: WriterClock;
  readonly #database: DatabaseSync;
  readonly #lock: DatabaseSync;
  readonly #run: number;
  readonly #blocks: BlockWriter;
  readonly #changes = new Map<string, number>();
  readonly #states = new Map<number, { revision: number; at: number; state: NewRevision['state'] }>();
  /** The sources whose objects keep their state when they are gone. */
  readonly #staying = new Set<number>();
  readonly #rows = new WeakMap<object, number>();
  /** Whose rows were entered in this step. */
  #entered: object[] = [];
  readonly #statements = new Map<string, StatementSync>();
  #nextObject: number;
  #nextRevision: number;
  #statesAt: number;

  private constructor(file: string, database: DatabaseSync, lock: DatabaseSync, clock: WriterClock, command: string) {
    this.file = file;
    this.#clock = clock;
    this.#database = database;
    this.#lock = lock;
    const last =
      'SELECT max((SELECT coalesce(max(at), 0) FROM revision), (SELECT coalesce(max(until), 0) FROM run)) AS at';
    this.time = new RecordedTime(clock, Number(database.prepare(last).get()?.at));
    const began = this.now();
    this.#run = Number(
      database
        .prepare('INSERT INTO run (pid, command, began, until) VALUES (?, ?, ?, ?)')
        .run(process.pid, command, began, began).lastInsertRowid,
    );
    this.#blocks = new BlockWriter(database);
    this.#nextObject = nextId(database, 'object');
    this.#nextRevision = nextId(database, 'revision');
    this.#statesAt = clock.monotonic();
  }

  /** Opens a recording to go on with, or creates one. Throws `RecordingFault`. */
  static open(file: string, { clock, command, mostBytes }: WriterOptions): RecordingWriter {
    let [database, lock]: (DatabaseSync | undefined)[] = [];
    try {
      const foreign = ownDatabaseFile(file);
      if (foreign) throw new RecordingFault('foreign', foreign.path, foreign.why);
      database = openDatabase(file, { timeout: 2000 });
      prepareRecording(database, file);
      lock = lockedBeside(file, database);
      database.exec('PRAGMA synchronous = NORMAL');
      if (mostBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(mostBytes / PAGE_BYTES)}`);
      const last = database.prepare('SELECT ended FROM run ORDER BY id DESC LIMIT 1').get();
      const opened = database;
      if (last?.ended === null) inTransaction(opened, () => completeStates(opened)); // it was killed
      return new RecordingWriter(file, database, lock, clock, command);
    } catch (error) {
      for (const each of [database, lock]) if (each?.isOpen) each.close();
      throw recordingFault(error, file);
    }
  }

  /** The time of the recording, wall-clock ms. */
  now(): number {
    return this.time.now();
  }

  newObject(): number {
    return this.#nextObject++;
  }

  /** The number of a source, which is entered where it is new. */
  source({ type, namespace, selection }: RecordedScope): number {
    const { cluster = '' } = type;
    const resource = formatGvr(type.gvr);
    return this.#do(() => {
      this.#prepare(
        'INSERT INTO source (cluster, resource, name, namespace, selection, type) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      ).run(cluster, resource, formatGroupResource(type.gvr), namespace, selection, jsonText(type));
      const find = 'SELECT id FROM source WHERE cluster = ? AND resource = ? AND namespace = ? AND selection = ?';
      const { id } = this.#prepare(find).get(cluster, resource, namespace, selection) as { id: number };
      const columns = this.#prepare('SELECT columns FROM source WHERE id = ?').get(id)?.columns as string | null;
      if (staysKnown(type.gvr)) this.#staying.add(id);
      makeTypeView(this.#database, type.gvr, JSON.parse(columns ?? '[]') as TableColumn[]);
      return id;
    });
  }

  /** Stores the printed columns of a source, and makes its view. */
  columns(source: number, type: ResourceType, columns: readonly TableColumn[]): void {
    this.#do(() => {
      const text = jsonText(columns);
      if (this.#prepare('SELECT columns FROM source WHERE id = ?').get(source)?.columns === text) return;
      this.#prepare('UPDATE source SET columns = ? WHERE id = ?').run(text, source);
      makeTypeView(this.#database, type.gvr, columns);
    });
  }

  /** The objects of a source that were there at the last write, by key. */
  known(source: number): Map<string, KnownState> {
    return this.#do(() => {
      const rows = this.#database
        .prepare(
          `SELECT o.id, o.namespace, o.name, o.uid, r.version, r.depth FROM object o JOIN revision r
           ON r.id = (SELECT max(id) FROM revision WHERE object = o.id) WHERE o.source = ? AND o.gone IS NULL`,
        )
        .all(source);
      return new Map(
        rows.map(({ id, namespace, name, uid, version, depth }) => [
          namespace === '' ? String(name) : `${namespace}/${name}`,
          { object: Number(id), uid: String(uid), version: String(version), depth: Number(depth) },
        ]),
      );
    });
  }

  /** The last stretch of a source, and how the run that recorded it ended; undefined if it is new. */
  lastStretch(source: number): { until: number; lastVersion: string; ended: string | null } | undefined {
    return this.#do(() => {
      const row = this.#database
        .prepare(
          `SELECT t.until, t.last_version, r.ended FROM stretch t JOIN run r ON r.id = t.run
           WHERE t.source = ? AND t.run <> ? ORDER BY t.id DESC LIMIT 1`,
        )
        .get(source, this.#run);
      return (
        row && { until: Number(row.until), lastVersion: String(row.last_version), ended: row.ended as string | null }
      );
    });
  }

  /** Writes revisions, stretches and gaps in one transaction, and that the recording has gone on until now. */
  write(
    revisions: readonly NewRevision[],
    stretches: Iterable<RecordedStretch>,
    gaps: Iterable<RecordedGap>,
    runs: readonly RecordedHookRun[] = [],
  ): void {
    const next = this.#nextRevision;
    this.#entered = [];
    try {
      this.#transaction(() => {
        for (const revision of revisions) this.#insert(revision);
        this.#blocks.write();
        for (const stretch of stretches) this.#writeStretch(stretch);
        for (const gap of gaps) this.#writeGap(gap);
        writeHookRuns(this.#database, runs);
        this.#prepare('UPDATE run SET until = ? WHERE id = ?').run(this.now(), this.#run);
        if (this.#clock.monotonic() - this.#statesAt >= STATES_MS) this.#writeStates(MOST_STATES);
      });
    } catch (error) {
      this.#nextRevision = next;
      for (const each of this.#entered) this.#rows.delete(each);
      this.#changes.clear();
      this.#states.clear();
      this.#blocks.reset();
      throw error;
    }
  }

  /** Removes what was received before a time, or the oldest quarter. Returns the number of revisions that were removed. */
  trim(cutoff: number | 'quarter'): number {
    let removed = 0;
    const most = this.#do(() => pragmaOf(this.#database, 'max_page_count'));
    this.#do(() => this.#database.exec(`PRAGMA max_page_count = ${most * 2}`)); // what is kept is written before the rest goes
    this.#transaction(() => {
      removed = trim(this.#database, this.#blocks, cutoff === 'quarter' ? firstQuarter(this.#database) : cutoff);
    });
    this.#changes.clear();
    this.#do(() =>
      this.#database.exec(
        `PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA max_page_count = ${most}`,
      ),
    );
    return removed;
  }

  /**
   * Brings the tables of newest states up to date, and gives free room back to the disk. This process has recorded
   * nothing, so it leaves no run.
   */
  compact(): void {
    this.#transaction(() => {
      completeStates(this.#database);
      this.#prepare('DELETE FROM run WHERE id = ?').run(this.#run);
    });
    this.#do(() => this.#database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  /** The size of the file, bytes. */
  get size(): number {
    return this.#do(() => pragmaOf(this.#database, 'page_count') * pragmaOf(this.#database, 'page_size'));
  }

  /** When the oldest revision was received, ms; undefined without one. */
  get oldest(): number | undefined {
    return this.#do(() => this.#prepare('SELECT at FROM revision ORDER BY id LIMIT 1').get()?.at as number | undefined);
  }

  /** Takes a gap out of the file: it has turned out that nothing was missed. */
  withdraw(gap: RecordedGap): void {
    const row = this.#rows.get(gap);
    if (row !== undefined) this.#do(() => this.#prepare('DELETE FROM gap WHERE id = ?').run(row));
  }

  /** Writes the newest states and how the recording ended, and lets go of the file. */
  close(ended: string): void {
    try {
      this.#transaction(() => {
        this.#writeStates(Number.POSITIVE_INFINITY);
        this.#prepare('UPDATE run SET until = ?, ended = ? WHERE id = ?').run(this.now(), ended, this.#run);
      });
    } finally {
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#lock.close();
    rmSync(`${this.file}-lock`, { force: true });
  }

  #insert({ source, object, identity, at, version, event, cause, change, text, depth, state }: NewRevision): void {
    const id = this.#nextRevision++;
    if (identity)
      this.#prepare('INSERT INTO object VALUES (?, ?, ?, ?, ?, ?, NULL)').run(
        object,
        source,
        identity.namespace,
        identity.name,
        identity.uid,
        id,
      );
    if (event === 'DELETED') this.#prepare('UPDATE object SET gone = ? WHERE id = ?').run(id, object);
    const { block, place, length } = this.#blocks.add(text);
    this.#prepare('INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      id,
      object,
      at,
      asNumber(version),
      EVENTS.indexOf(event),
      CAUSES.indexOf(cause),
      change ? this.#change(change) : null,
      change?.written ?? null,
      change?.values ?? null,
      block,
      place,
      length,
      depth,
    );
    if (event !== 'DELETED' || !this.#staying.has(source)) this.#states.set(object, { revision: id, at, state });
  }

  #change({ who, paths }: RecordedChange): number {
    const text = `${who}\n${paths}`;
    const known = this.#changes.get(text);
    if (known !== undefined) return known;
    if (this.#changes.size >= KNOWN_CHANGES) this.#changes.clear();
    const id = Number(
      this.#prepare('INSERT INTO change (who, paths) VALUES (?, ?)').run(who ?? null, paths).lastInsertRowid,
    );
    this.#changes.set(text, id);
    return id;
  }

  #writeStretch(stretch: RecordedStretch): void {
    const { source, how, since, until, firstVersion, lastVersion, objects } = stretch;
    const row = this.#rows.get(stretch);
    if (row !== undefined) {
      this.#prepare('UPDATE stretch SET until = ?, last_version = ? WHERE id = ?').run(until, lastVersion, row);
      return;
    }
    const insert =
      'INSERT INTO stretch (source, run, how, since, until, first_version, last_version, objects) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    const { lastInsertRowid } = this.#prepare(insert).run(
      source,
      this.#run,
      how,
      since,
      until,
      firstVersion,
      lastVersion,
      objects,
    );
    this.#enter(stretch, lastInsertRowid);
  }

  #writeGap(gap: RecordedGap): void {
    const { source, reason, since, until = null, fromVersion, toVersion, added, changed, deleted } = gap;
    const row = this.#rows.get(gap) ?? null;
    const { lastInsertRowid } = this.#prepare('INSERT OR REPLACE INTO gap VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      row,
      source,
      reason,
      since,
      until,
      fromVersion,
      toVersion,
      added,
      changed,
      deleted, // biome-ignore format: one row
    );
    if (row === null) this.#enter(gap, lastInsertRowid);
  }

  #enter(what: object, row: number | bigint): void {
    this.#rows.set(what, Number(row));
    this.#entered.push(what);
  }

  #writeStates(most: number): void {
    let left = most;
    for (const [object, { revision, at, state }] of this.#states) {
      if (left-- <= 0) return;
      this.#states.delete(object);
      if (state === undefined) this.#prepare('DELETE FROM state WHERE object = ?').run(object);
      else putState({ prepare: (sql) => this.#prepare(sql) }, { object, revision, at, state });
    }
    this.#statesAt = this.#clock.monotonic();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #transaction(run: () => void): void {
    this.#do(() => inTransaction(this.#database, run));
  }

  #do<R>(run: () => R): R {
    try {
      return run();
    } catch (error) {
      throw recordingFault(error, this.file);
    }
  }
}

/** A version as SQLite stores it in least room; a text where a number would change it. */
function asNumber(version: string): string | bigint {
  return /^[1-9]\d{0,17}$/.test(version) ? BigInt(version) : version;
}

/**
 * Claims the file for this process, until it ends in whatever way: by a lock of the system on a file beside it, because
 * readers need the recording itself. Throws `RecordingFault` with the process that has it.
 */
function lockedBeside(file: string, database: DatabaseSync): DatabaseSync {
  const foreign = ownDatabaseFile(`${file}-lock`);
  if (foreign) throw new RecordingFault('foreign', foreign.path, foreign.why);
  const lock = openDatabase(`${file}-lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    const fault = recordingFault(error, file);
    if (fault.kind !== 'locked') throw fault;
    const run = database.prepare('SELECT pid, command FROM run ORDER BY id DESC LIMIT 1').get();
    throw new RecordingFault('locked', file, `another process records into it: ${run?.command}, pid ${run?.pid}`);
  }
}

/**
 * Removes what was received more than `keepMs` before now, gives free room back to the disk, and brings the tables of
 * newest states up to date. Returns the number of revisions that were removed. Throws `RecordingFault`.
 */
export function compactRecording(
  file: string,
  { clock, keepMs }: { readonly clock: WriterClock; readonly keepMs: number | undefined },
): number {
  using writer = RecordingWriter.open(file, { clock, command: 'record compact' });
  const removed = keepMs === undefined ? 0 : writer.trim(clock.now() - keepMs);
  writer.compact();
  return removed;
}
