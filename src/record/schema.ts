import type { DatabaseSync } from 'node:sqlite';
import { pragmaOf } from '../kit/database-file.ts';
import { formatGroupResource, type GroupResource } from '../model/gvr.ts';
import { RecordingFault } from './recording-fault.ts';

/** The schema of the files. A file of a later one is not touched. */
const RECORDING_SCHEMA = 1;
/** Marks a file as a recording: "kinr". Source: sqlite.org/pragma.html, application_id. */
const APPLICATION = 0x6b696e72;

/** The numbers of events in a file. */
export const EVENTS = ['', 'ADDED', 'MODIFIED', 'DELETED'] as const;
/** The numbers of causes in a file. */
export const CAUSES = ['watch', 'initial', 'relist'] as const;

const timeText = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;
const wordOf = (column: string, words: readonly string[]) =>
  `CASE ${column} ${words.map((word, i) => `WHEN ${i} THEN '${word}'`).join(' ')} END`;

/** Described in docs/history.md. */
const TABLES = `
  CREATE TABLE run (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, command TEXT NOT NULL, began INTEGER NOT NULL,
    until INTEGER NOT NULL, ended TEXT);
  CREATE TABLE source (id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, resource TEXT NOT NULL, name TEXT NOT NULL,
    namespace TEXT NOT NULL, selection TEXT NOT NULL, type TEXT NOT NULL, columns TEXT, UNIQUE (cluster, resource, namespace, selection));
  CREATE TABLE object (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    uid TEXT NOT NULL, first INTEGER NOT NULL, gone INTEGER);
  CREATE INDEX object_name ON object (name);
  CREATE TABLE revision (id INTEGER PRIMARY KEY, object INTEGER NOT NULL, at INTEGER NOT NULL, version, event INTEGER NOT NULL,
    cause INTEGER NOT NULL, change INTEGER, written INTEGER, "values" TEXT, block INTEGER NOT NULL, place INTEGER NOT NULL,
    length INTEGER NOT NULL, depth INTEGER NOT NULL);
  CREATE INDEX revision_object ON revision (object);
  CREATE TABLE change (id INTEGER PRIMARY KEY, who TEXT, paths TEXT NOT NULL);
  CREATE TABLE block (id INTEGER PRIMARY KEY, length INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE TABLE stretch (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, run INTEGER NOT NULL, how TEXT NOT NULL,
    since INTEGER NOT NULL, until INTEGER NOT NULL, first_version TEXT, last_version TEXT, objects INTEGER NOT NULL);
  CREATE TABLE gap (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL,
    until INTEGER, from_version TEXT, to_version TEXT, added INTEGER NOT NULL, changed INTEGER NOT NULL,
    deleted INTEGER NOT NULL);
  CREATE TABLE state (object INTEGER PRIMARY KEY, revision INTEGER NOT NULL, at INTEGER NOT NULL, labels TEXT, cells TEXT,
    json TEXT NOT NULL);
  CREATE VIEW revisions AS SELECT r.id, ${timeText('r.at')} AS time, s.cluster, s.resource, o.namespace, o.name, o.uid,
    r.version, ${wordOf('r.event', EVENTS)} AS event, ${wordOf('r.cause', CAUSES)} AS cause, c.who,
    strftime('%Y-%m-%dT%H:%M:%SZ', r.written, 'unixepoch') AS written, c.paths
    FROM revision r JOIN object o ON o.id = r.object JOIN source s ON s.id = o.source LEFT JOIN change c ON c.id = r.change;
  CREATE VIEW changes AS SELECT r.id AS revision, ${timeText('r.at')} AS time, s.cluster, s.resource, o.namespace, o.name,
    ${wordOf('r.event', EVENTS)} AS event, ${wordOf('r.cause', CAUSES)} AS cause,
    json_extract(p.value, '$[0]') AS path, coalesce(json_extract(p.value, '$[1]'), c.who) AS who,
    json_extract(r."values", '$[' || p.key || '][0]') AS "before", json_extract(r."values", '$[' || p.key || '][1]') AS "after"
    FROM revision r JOIN object o ON o.id = r.object JOIN source s ON s.id = o.source
    LEFT JOIN change c ON c.id = r.change LEFT JOIN json_each(c.paths) p;
  CREATE VIEW gaps AS SELECT g.id, s.cluster, s.resource, s.namespace, g.reason, ${timeText('g.since')} AS since,
    ${timeText('g.until')} AS until, g.added, g.changed, g.deleted FROM gap g JOIN source s ON s.id = g.source;
  CREATE VIEW stretches AS SELECT t.id, s.cluster, s.resource, s.namespace, t.how, ${timeText('t.since')} AS since,
    ${timeText('t.until')} AS until, t.objects FROM stretch t JOIN source s ON s.id = t.source;
`;

/** Makes a new file a recording, or checks that it is one. Throws `RecordingFault`. */
export function prepareRecording(database: DatabaseSync, file: string): void {
  database.exec('PRAGMA trusted_schema = OFF');
  if (pragmaOf(database, 'schema_version') !== 0) {
    checkRecording(database, file);
    return;
  }
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE');
  database.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${RECORDING_SCHEMA}; ${TABLES}; COMMIT`);
}

/** Throws `RecordingFault` for a file that is no recording, or one of a later version. */
export function checkRecording(database: DatabaseSync, file: string): void {
  if (pragmaOf(database, 'application_id') !== APPLICATION)
    throw new RecordingFault('foreign', file, 'it is no recording of kubectl-informer');
  if (pragmaOf(database, 'user_version') > RECORDING_SCHEMA)
    throw new RecordingFault('newer', file, 'a newer version of kubectl-informer made it');
}

/** The names that views of types cannot have. */
const OWN = /^(run|source|object|revision|change|block|stretch|gap|state|revisions|changes|gaps|stretches|sqlite_.*)$/;

/** The heading of a printed column as a name in SQL: `UP-TO-DATE` is `UP_TO_DATE`. */
const columnName = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_');
const FIXED = new Set(['NAME', 'NAMESPACE', 'AGE', 'CLUSTER', 'UID', 'LABELS', 'CREATED', 'TIME', 'OBJECT']);

/** The types whose views have also what is gone: a cluster keeps Events for an hour only. */
const EVENT_TYPES: readonly string[] = ['events', 'events.events.k8s.io'];

/** Whether the states of objects of a type stay when they are gone. */
export const staysKnown = (type: GroupResource) => EVENT_TYPES.includes(formatGroupResource(type));
/** As {@link staysKnown}, of a row of `object` in SQL. */
export const STAYS_KNOWN = `source IN (SELECT id FROM source WHERE name IN ('${EVENT_TYPES.join("', '")}'))`;

const EVENT_COLUMNS = (
  [
    ['type', '$.type'],
    ['reason', '$.reason'],
    ['kind', '$.involvedObject.kind', '$.regarding.kind'],
    ['about', '$.involvedObject.name', '$.regarding.name'],
    ['message', '$.message', '$.note'],
    ['count', '$.series.count', '$.count', '$.deprecatedCount'],
    ['first', '$.firstTimestamp', '$.deprecatedFirstTimestamp', '$.eventTime', '$.metadata.creationTimestamp'],
    ['last', '$.series.lastObservedTime', '$.lastTimestamp', '$.deprecatedLastTimestamp', '$.eventTime'],
    ['who', '$.source.component', '$.reportingComponent', '$.reportingController'],
  ] as const
).map(([name, ...paths]) => {
  const texts = paths.map((each) => `nullif(json_extract(t.json, '${each}'), '')`);
  return `${texts.length === 1 ? texts[0] : `coalesce(${texts.join(', ')})`} AS ${name}, `;
});

interface TypeView {
  /** `pods`, or `pods.metrics.k8s.io` if the short name is that of another type. */
  readonly name: string;
  /** The type: `pods`, `deployments.apps`. */
  readonly type: string;
}

/** The views of types. */
export function typeViews(database: DatabaseSync): TypeView[] {
  const views = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'view'").all();
  return views.flatMap(({ name, sql }) => {
    const [, type] = / AS \/\* (\S+) \*\/ /.exec(String(sql)) ?? [];
    return type === undefined ? [] : { name: String(name), type };
  });
}

type Columns = readonly { readonly name: string }[];

/** Makes the view of the newest states of a type, with its printed columns. */
export function makeTypeView(database: DatabaseSync, type: GroupResource, columns: Columns): void {
  const whole = formatGroupResource(type);
  const found = typeViews(database).find(({ name }) => name === type.resource);
  const name = !OWN.test(type.resource) && (found === undefined || found.type === whole) ? type.resource : whole;
  const text = typeViewText({ name, type: whole }, columns);
  const same = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'view' AND sql = ?").get(text);
  if (!same) database.exec(`DROP VIEW IF EXISTS ${quoted(name)}; ${text}`);
}

/** The view of a type. With `at` it is a view of this connection alone, of the states in another table. */
export function typeViewText(
  { name, type }: TypeView,
  columns: Columns,
  at?: { readonly states: string; readonly revision: number },
): string {
  const isEvents = EVENT_TYPES.includes(type);
  const printed = columns.flatMap(({ name: heading }, i) =>
    FIXED.has(columnName(heading)) ? [] : [`json_extract(t.cells, '$[${i}]') AS ${quoted(columnName(heading))}, `],
  );
  const gone = `(SELECT ${timeText('r.at')} FROM revision r WHERE r.id = o.gone${at ? ` AND o.gone <= ${at.revision}` : ''}) AS gone, `;
  const own = isEvents ? [...EVENT_COLUMNS, gone] : printed;
  const places = `JOIN object o ON o.id = t.object JOIN source s ON s.id = o.source`;
  return `CREATE ${at ? 'TEMP ' : ''}VIEW ${quoted(name)} AS /* ${type} */ SELECT s.cluster, o.namespace, o.name, o.uid,
    t.labels, json_extract(t.json, '$.metadata.creationTimestamp') AS created, ${timeText('t.at')} AS time,
    ${own.join('')}t.json AS object FROM ${at?.states ?? 'state'} t ${places}
    WHERE s.name = '${type.replaceAll("'", "''")}'${isEvents || at ? '' : ' AND o.gone IS NULL'}`;
}

/** A name in SQL. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
