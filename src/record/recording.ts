import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../kit/database-file.ts';
import { parseJson } from '../kit/exact-json.ts';
import type { TableColumn } from '../model/cells.ts';
import { formatGvr } from '../model/gvr.ts';
import { joinKey, type ObjectKey } from '../model/key.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { compareResourceVersions } from '../model/resource-version.ts';
import { type RecordedHookRun, readHookRuns } from './hook-runs.ts';
import { RecordingFault, recordingFault } from './recording-fault.ts';
import { rebuilt, type StateRow } from './retention.ts';
import { CAUSES, checkRecording, EVENTS } from './schema.ts';
import { type StateShape, shapedText } from './state-shape.ts';
import { type RecordedState, stateOf } from './state-text.ts';
import { BlockReader, type TextPlace } from './text-blocks.ts';

/** A type, in a namespace or in all, as it was recorded. */
export interface RecordedSource {
  readonly id: number;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly selection: string;
  readonly columns: readonly TableColumn[];
}

/** A recorded change of an object. */
export interface Revision extends TextPlace {
  readonly id: number;
  readonly object: number;
  readonly source: number;
  readonly key: ObjectKey;
  readonly uid: string;
  /** When it was received, wall-clock ms. */
  readonly at: number;
  readonly version: string;
  readonly event: Exclude<(typeof EVENTS)[number], ''>;
  readonly cause: (typeof CAUSES)[number];
  readonly who: string | undefined;
  /** When the server recorded the write, seconds since 1970. */
  readonly written: number | undefined;
  /** The paths of the changed fields. */
  readonly paths: readonly string[];
  readonly depth: number;
  /** Whether nothing of the object was recorded before. */
  readonly isFirst: boolean;
}

/** An object of a recording, with one of its states. */
export interface RecordedObject {
  readonly id: number;
  readonly source: number;
  readonly uid: string;
  readonly object: RecordedState['object'];
}

/** The state of an object at a moment. */
export interface StateAt extends StateRow {
  readonly key: ObjectKey;
}

/** An object of a recording, and how often it changed. */
export interface ChangedObject {
  readonly id: number;
  readonly source: number;
  readonly namespace: string;
  readonly name: string;
  /** Its first revision. */
  readonly first: number;
  readonly changes: number;
}

/** A time in which changes of a source may be missing. */
export interface MarkedGap {
  readonly source: number;
  readonly reason: string;
  readonly since: number;
  /** Undefined: until the end of the recording. */
  readonly until: number | undefined;
  /** The last version seen before it, and that of the list after it. A change that came late is missing by its version. */
  readonly fromVersion: string;
  readonly toVersion: string;
  /** The number of objects that the next list showed to be new. */
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

/** A time in which every change of a source was seen. It begins with a list. */
export interface SeenStretch {
  readonly since: number;
  readonly until: number;
  /** The resourceVersion of the list. */
  readonly firstVersion: string;
}

/** A run of a command that recorded. */
export interface RecordedRun {
  readonly command: string;
  readonly pid: number;
  readonly began: number;
  readonly until: number;
  /** False: it goes on, or was killed; then up to a second after `until` is missing. */
  readonly isEnded: boolean;
}

/** The knowledge of a source at a moment. */
export type Coverage =
  | { readonly kind: 'seen' }
  /** Changes may be missing. */
  | { readonly kind: 'gap'; readonly gap: MarkedGap }
  /** Before the first list, or after the last sign of life. */
  | { readonly kind: 'outside'; readonly first: number | undefined; readonly last: number | undefined };

/** The objects whose texts are in memory together. */
const TOGETHER: Readonly<Record<StateShape, number>> = { whole: 10_000, bare: 20_000, metadata: 100_000 };

type ObjectRow = readonly [id: number, namespace: string, name: string];
/** A text of the state of an object. */
type LinkRow = readonly [object: number, id: number, at: number, block: number, depth: number, place: number, length: number]; // biome-ignore format: one line

const REVISIONS = `SELECT r.*, o.source, o.namespace, o.name, o.uid, o.first, c.who, c.paths FROM revision r
  JOIN object o ON o.id = r.object LEFT JOIN change c ON c.id = r.change`;

/** Reads a recording, also while another process writes it. Its calls block. Every error is a `RecordingFault`. */
export class Recording implements Disposable {
  readonly file: string;
  readonly sources: readonly RecordedSource[];
  readonly #database: DatabaseSync;
  readonly #blocks: BlockReader;

  readonly #closed: (() => void) | undefined;

  private constructor(file: string, database: DatabaseSync, closed: (() => void) | undefined) {
    this.file = file;
    this.#closed = closed;
    this.#database = database;
    this.#blocks = new BlockReader(database);
    this.sources = this.#all('SELECT * FROM source ORDER BY id').map(({ id, type, namespace, selection, columns }) => ({
      id: Number(id),
      type: parseJson(String(type)) as ResourceType,
      namespace: String(namespace),
      selection: String(selection),
      columns: columns === null ? [] : (parseJson(String(columns)) as TableColumn[]),
    }));
  }

  /** `closed` is called when it has been closed. Throws `RecordingFault`. */
  static open(file: string, closed?: () => void): Recording {
    let database: DatabaseSync | undefined;
    try {
      if (!existsSync(file)) throw new RecordingFault('foreign', file, 'there is no such file');
      database = openDatabase(file, { readOnly: true, timeout: 2000 });
      checkRecording(database, file);
      return new Recording(file, database, closed);
    } catch (error) {
      if (database?.isOpen) database.close();
      throw recordingFault(error, file);
    }
  }

  get runs(): readonly RecordedRun[] {
    return this.#all('SELECT * FROM run ORDER BY id').map(({ command, pid, began, until, ended }) => ({
      command: String(command),
      pid: Number(pid),
      began: Number(began),
      until: Number(until),
      isEnded: ended !== null,
    }));
  }

  /** The gaps of sources that touch a time, in their order. */
  gaps(sources: readonly number[], from = 0, to = Number.MAX_SAFE_INTEGER): MarkedGap[] {
    const select = `SELECT * FROM gap WHERE source IN (${sources.join(',')}) AND since <= ? AND coalesce(until, ?) >= ? ORDER BY since, id`;
    return this.#all(select, to, Number.MAX_SAFE_INTEGER, from).map((row) => ({
      source: Number(row.source),
      reason: String(row.reason),
      since: Number(row.since),
      until: row.until === null ? undefined : Number(row.until),
      fromVersion: String(row.from_version),
      toVersion: String(row.to_version),
      added: Number(row.added),
      changed: Number(row.changed),
      deleted: Number(row.deleted),
    }));
  }

  /** The times of a source in which every change was seen, in their order. */
  stretches(source: number): SeenStretch[] {
    const select = 'SELECT since, until, first_version FROM stretch WHERE source = ? ORDER BY id';
    return this.#all(select, source).map(({ since, until, first_version }) => ({
      since: Number(since),
      until: Number(until),
      firstVersion: String(first_version ?? ''),
    }));
  }

  /** The highest resourceVersion among the last revisions of a source up to one; '' without any. */
  versionAt(source: number, revision: number): string {
    const select =
      'SELECT r.version FROM revision r JOIN object o ON o.id = r.object WHERE o.source = ? AND r.id <= ? ORDER BY r.id DESC LIMIT 200';
    const versions = this.#all(select, source, revision).map(({ version }) => String(version));
    return versions.reduce(
      (last, each) => ((compareResourceVersions(each, last) ?? 0) > 0 ? each : last),
      versions[0] ?? '',
    );
  }

  /** Says how much is known of a source at a moment. */
  coverage(source: number, at: number): Coverage {
    const stretches = this.stretches(source);
    if (stretches.some(({ since, until }) => since <= at && at <= until)) return { kind: 'seen' };
    const gap = this.gaps([source], at, at).at(-1);
    if (gap) return { kind: 'gap', gap };
    return { kind: 'outside', first: stretches[0]?.since, last: stretches.at(-1)?.until };
  }

  /** The last revision that had been received at a moment; 0 before the first one. */
  revisionAt(at: number): number {
    let [low, high] = [0, Number(this.#one('SELECT coalesce(max(id), 0) AS id FROM revision')?.id)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const next = this.#one('SELECT id, at FROM revision WHERE id >= ? ORDER BY id LIMIT 1', middle);
      if (next && Number(next.at) <= at) low = Math.max(middle, Number(next.id));
      else high = middle - 1;
    }
    return low;
  }

  /** The number of objects of a source after a revision. */
  countAt(source: number, revision: number, namespace?: string): number {
    const { where, values } = objectsAt(source, revision, { namespace });
    return Number(this.#one(`SELECT count(*) AS count FROM object o WHERE ${where}`, ...values)?.count);
  }

  /**
   * The states of the objects of a source after a revision, in the order of their keys. `withGone`: also of those that
   * were gone by then, the last one. `shape`: the part of them that is read.
   */
  *statesAt(source: number, revision: number, chosen: ChosenObjects = {}): Generator<StateAt> {
    const { shape = 'whole' } = chosen;
    const { where, values } = objectsAt(source, revision, chosen);
    const select = `SELECT o.id, o.namespace, o.name FROM object o WHERE ${where} ORDER BY o.namespace, o.name, o.id`;
    const objects = this.#rows<ObjectRow>(select, ...values);
    for (let from = 0; from < objects.length; from += TOGETHER[shape]) {
      const some = objects.slice(from, from + TOGETHER[shape]);
      const ids = some.map(([id]) => id).sort((a, b) => a - b);
      const { links, texts, first } = this.#atOnce(() => this.#textsAt(ids, revision, shape));
      for (const [object, namespace, name] of some) {
        let state: RecordedState | undefined;
        let i = first.get(object) ?? links.length;
        for (; links[i]?.[0] === object; i++)
          state = stateOf(texts[i] ?? '', links[i]?.[4] === 0 ? undefined : state, shape);
        const [, id, at] = links[i - 1] ?? [];
        // a moment between two trims, of which the second came while its states were read
        if (!state || id === undefined || at === undefined)
          throw new RecordingFault('unusable', this.file, 'the moment was removed from it while it was read');
        yield { object, key: joinKey(namespace, name), state, revision: id, at };
      }
    }
  }

  /** The texts of the states of objects after a revision. Each block is decompressed once. */
  #textsAt(ids: readonly number[], revision: number, shape: StateShape) {
    const upTo = `min(${revision}, coalesce(o.gone, ${NEVER}) - 1)`;
    const whole = `(SELECT w.id FROM revision w WHERE w.object = o.id AND w.id <= ${upTo} AND w.depth = 0 ORDER BY w.id DESC LIMIT 1)`;
    // objects and revisions come in the order of their ids, which is that of the index
    const select = `SELECT r.object, r.id, r.at, r.block, r.depth, r.place, r.length FROM object o
      CROSS JOIN revision r ON r.object = o.id AND r.id BETWEEN ${whole} AND ${upTo} WHERE o.id IN (SELECT value FROM json_each(?))`;
    const links = this.#rows<LinkRow>(select, JSON.stringify(ids));
    const first = new Map<number, number>();
    const ofBlocks: number[][] = [];
    for (const [i, [object, , , block]] of links.entries()) {
      if (links[i - 1]?.[0] !== object) first.set(object, i);
      ofBlocks[block] ??= [];
      ofBlocks[block]?.push(i);
    }
    const texts: string[] = new Array(links.length);
    for (const inBlock of ofBlocks) {
      for (const i of inBlock ?? []) {
        const [, , , block, depth, place, length] = links[i] as LinkRow;
        const bytes = this.#blocks.bytesAt({ block, place, length });
        texts[i] = depth === 0 ? shapedText(bytes, shape) : bytes.toString('utf8');
      }
    }
    return { links, texts, first };
  }

  /** The state of an object after one of its revisions, or a later one of another object. */
  stateAfter(object: number, revision: number): RecordedState {
    const state = rebuilt(this.#database, this.#blocks, object, revision);
    if (!state) throw new RecordingFault('damaged', this.file, `there is no state of the object ${object}`);
    return state;
  }

  /** The state of a revision whose previous state is known. */
  next(place: TextPlace & { readonly depth?: number }, before: RecordedState | undefined): RecordedState {
    return stateOf(this.#blocks.textAt(place), place.depth === 0 ? undefined : before);
  }

  /** The revisions of the objects that had a name, in their order. */
  revisionsOf(sources: readonly number[], namespace: string | undefined, name: string): Revision[] {
    const where = `o.name = ? AND o.source IN (${sources.join(',')}) ${namespace === undefined ? '' : 'AND o.namespace = ?'}`;
    const rows = this.#all(
      `${REVISIONS} WHERE ${where} ORDER BY r.id`,
      name,
      ...(namespace === undefined ? [] : [namespace]),
    );
    return rows.map(revisionOf);
  }

  /** The revisions of objects after one, in their order. */
  *revisionsOfObjects(objects: readonly number[], after = 0): Generator<Revision> {
    const select = `${REVISIONS} WHERE r.object IN (${objects.join(',')}) AND r.id > ? ORDER BY r.id`;
    for (const row of this.#database.prepare(select).iterate(after)) yield revisionOf(row);
  }

  /** The objects of sources that were there after one revision or up to another, those that changed most first. */
  objectsBetween(sources: readonly number[], after: number, upTo: number): ChangedObject[] {
    const select = `SELECT o.id, o.source, o.namespace, o.name, o.first, count(r.id) AS changes FROM object o
      LEFT JOIN revision r ON r.object = o.id AND r.id > ? AND r.id <= ?
      WHERE o.source IN (${sources.join(',')}) AND o.first <= ? AND (o.gone IS NULL OR o.gone > ?)
      GROUP BY o.id ORDER BY changes DESC, o.id`;
    return this.#all(select, after, upTo, upTo, after).map(({ id, source, namespace, name, first, changes }) => ({
      id: Number(id),
      source: Number(source),
      namespace: String(namespace),
      name: String(name),
      first: Number(first),
      changes: Number(changes),
    }));
  }

  /**
   * Every object that was recorded, in a namespace and without one, or in all. The state of those that are there is the
   * newest one, that of those that are gone their first one.
   */
  *objectsOf(sources: readonly number[], namespace: string | undefined): Generator<RecordedObject> {
    const inPlace = namespace === undefined ? '' : "AND o.namespace IN (?, '')";
    const select = `SELECT o.id, o.source, o.uid, s.json, r.block, r.place, r.length FROM object o
      LEFT JOIN state s ON s.object = o.id AND o.gone IS NULL JOIN revision r ON r.id = o.first
      WHERE o.source IN (${sources.join(',')}) ${inPlace} ORDER BY r.block, r.place`;
    for (const row of this.#all(select, ...(namespace === undefined ? [] : [namespace]))) {
      const { id, source, uid, json } = row;
      const object =
        json === null
          ? stateOf(this.#blocks.textAt(row as unknown as TextPlace), undefined).object
          : (parseJson(String(json)) as RecordedState['object']);
      yield { id: Number(id), source: Number(source), uid: String(uid), object };
    }
  }

  /** The runs of hooks for the objects of a type that had a name, in their order. */
  hookRuns(type: ResourceType, namespace: string | undefined, name: string): RecordedHookRun[] {
    const where = `resource = ? AND name = ? AND ? IN (namespace, '*')`;
    return readHookRuns(this.#database, where, formatGvr(type.gvr), name, namespace ?? '*');
  }

  /** The runs of hooks for objects, in their order. */
  hookRunsOf(objects: readonly number[]): RecordedHookRun[] {
    return readHookRuns(
      this.#database,
      `(cluster, resource, namespace, name) IN (SELECT s.cluster, s.resource, o.namespace, o.name
       FROM object o JOIN source s ON s.id = o.source WHERE o.id IN (${objects.join(',')}))`,
    );
  }

  /** The revisions of sources after one and up to another, in their order. */
  *revisionsBetween(sources: readonly number[], after: number, upTo: number): Generator<Revision> {
    const select = `${REVISIONS} WHERE r.id > ? AND r.id <= ? AND o.source IN (${sources.join(',')}) ORDER BY r.id`;
    // a statement of its own: several may be read at the same time
    for (const row of this.#database.prepare(select).iterate(after, upTo)) yield revisionOf(row);
  }

  [Symbol.dispose](): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#closed?.();
  }

  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  #prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #all(sql: string, ...values: (string | number)[]) {
    try {
      return this.#prepare(sql).all(...values);
    } catch (error) {
      throw recordingFault(error, this.file);
    }
  }

  /** Rows as lists, which is less work than objects. */
  #rows<R>(sql: string, ...values: (string | number)[]): R[] {
    try {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown[] as R[];
    } catch (error) {
      throw recordingFault(error, this.file);
    }
  }

  /** Reads in one transaction: a trim meanwhile moves nothing. */
  #atOnce<R>(read: () => R): R {
    if (this.#database.isTransaction) return read(); // of a generator that is read
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  #one(sql: string, ...values: (string | number)[]) {
    return this.#all(sql, ...values)[0];
  }
}

function revisionOf(row: Record<string, unknown>): Revision {
  const { paths, who, written } = row;
  return {
    id: Number(row.id),
    object: Number(row.object),
    source: Number(row.source),
    key: joinKey(String(row.namespace), String(row.name)),
    uid: String(row.uid),
    at: Number(row.at),
    version: String(row.version),
    event: EVENTS[Number(row.event)] || 'MODIFIED',
    cause: CAUSES[Number(row.cause)] ?? 'watch',
    who: who === null ? undefined : String(who),
    written: written === null ? undefined : Number(written),
    paths: paths === null ? [] : (JSON.parse(String(paths)) as [string][]).map(([path]) => path),
    block: Number(row.block),
    place: Number(row.place),
    length: Number(row.length),
    depth: Number(row.depth),
    isFirst: row.first === row.id,
  };
}

/** The number of a revision after all others. */
const NEVER = Number.MAX_SAFE_INTEGER;

interface ChosenObjects {
  /** Also the objects that were gone by then. */
  readonly withGone?: boolean;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Default: all names. */
  readonly name?: string | undefined;
  /** The part of the objects that is read. Default: all of them. */
  readonly shape?: StateShape;
}

/** The condition of SQL for the objects of a source after a revision, with its values. */
function objectsAt(source: number, revision: number, { withGone = false, namespace, name }: ChosenObjects) {
  const conditions: [text: string, ...values: (string | number)[]][] = [
    ['o.source = ? AND o.first <= ?', source, revision],
  ];
  if (!withGone) conditions.push(['coalesce(o.gone, ?) > ?', NEVER, revision]);
  if (namespace !== undefined) conditions.push(['o.namespace = ?', namespace]);
  if (name !== undefined) conditions.push(['o.name = ?', name]);
  return {
    where: conditions.map(([text]) => text).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}
