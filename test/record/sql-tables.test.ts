import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { isInformerError } from '../../src/kit/error.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Recording } from '../../src/record/recording.ts';
import { compactRecording } from '../../src/record/recording-writer.ts';
import { SqlTables } from '../../src/record/sql-tables.ts';
import { recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();

const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');

/** The rows of a statement, at a moment or from the file as it is. */
function rowsOf(file: string, sql: string, at?: number) {
  using recorded = Recording.open(file);
  using tables = new SqlTables(recorded, sql, at);
  return tables.prepare(sql).all();
}

/** The error of a statement, with its hint. */
function errorOf(sql: string): string {
  using recorded = Recording.open(NIGHT);
  using tables = new SqlTables(recorded, sql);
  try {
    tables.prepare(sql).all();
  } catch (error) {
    const known = isInformerError(error) ? error : tables.failed(error);
    if (!isInformerError(known)) throw known;
    return `${known.code}: ${known.message}${known.hint === undefined ? '' : ` (${known.hint})`}`;
  }
  return 'no error';
}

const event = (name: string, reason: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web-1', namespace: 'default' },
  type: 'Warning',
  reason,
  message: `${reason} it is`,
  count: 3,
  firstTimestamp: '2026-11-28T02:00:00Z',
  lastTimestamp: '2026-11-28T02:05:00Z',
  source: { component: 'kubelet' },
});
const configMap = (name: string, color: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { color } },
  data: { color },
});
const EVENTS = { group: '', version: 'v1', resource: 'events' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const OWN = "name NOT LIKE 'kube%'";

describe('the tables of a recording', () => {
  it('have the objects of the end, and of every other moment, as sqlite3 has those of the end', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    sandbox.apply(configMap('a', 'blue'));
    sandbox.apply(configMap('b', 'green'));
    const run = await recording(server, ['v1/configmaps'], { file });
    await clock.advance(1_000);
    const moment = clock.now();
    await clock.advance(1_000);
    sandbox.apply(configMap('a', 'red'));
    sandbox.delete(CONFIG_MAPS, 'default/b');
    sandbox.apply(configMap('c', 'white'));
    await clock.advance(1_000);
    await run.end();
    const sql = `SELECT name, labels ->> 'color' AS label, object ->> '$.data.color' AS color, DATA FROM configmaps WHERE ${OWN}`;
    expect(rowsOf(file, sql)).toEqual([
      { name: 'a', label: 'red', color: 'red', DATA: 1 },
      { name: 'c', label: 'white', color: 'white', DATA: 1 },
    ]);
    const byHand = new DatabaseSync(file, { readOnly: true });
    expect(byHand.prepare(sql).all()).toEqual(rowsOf(file, sql));
    byHand.close();
    expect(rowsOf(file, sql, clock.now())).toEqual(rowsOf(file, sql));
    expect(rowsOf(file, sql, moment)).toEqual([
      { name: 'a', label: 'blue', color: 'blue', DATA: 1 },
      { name: 'b', label: 'green', color: 'green', DATA: 1 },
    ]);
    const changes = `SELECT name, event FROM changes WHERE ${OWN} AND cause = 'watch' ORDER BY revision`;
    expect(rowsOf(file, changes).map(({ name, event }) => `${event} ${name}`)).toEqual([
      'MODIFIED a',
      'MODIFIED a',
      'DELETED b',
      'ADDED c',
    ]);
    expect(rowsOf(file, changes, moment)).toEqual([]);
  });

  it('have also the Events that are gone, with the time at which they went', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/events'], { file });
    sandbox.apply(event('one', 'BackOff'));
    await clock.advance(30_000);
    sandbox.apply(event('two', 'Failed'));
    const before = clock.now();
    await clock.advance(1_000);
    sandbox.delete(EVENTS, 'default/one');
    sandbox.delete(EVENTS, 'default/two');
    await clock.advance(30_000);
    await run.end();
    const sql = 'SELECT reason, type, kind, about, message, count, first, last, who, gone IS NOT NULL AS isGone FROM events ORDER BY name'; // biome-ignore format: one line
    const row = { type: 'Warning', kind: 'Pod', about: 'web-1', count: 3, first: '2026-11-28T02:00:00Z', last: '2026-11-28T02:05:00Z', who: 'kubelet' }; // biome-ignore format: one line
    const rows = [
      { ...row, reason: 'BackOff', message: 'BackOff it is', isGone: 1 },
      { ...row, reason: 'Failed', message: 'Failed it is', isGone: 1 },
    ];
    expect(rowsOf(file, sql)).toEqual(rows);
    expect(rowsOf(file, sql, clock.now())).toEqual(rows);
    expect(rowsOf(file, sql, before).map(({ isGone }) => isGone)).toEqual([0, 0]);
    compactRecording(file, { clock, keepMs: undefined });
    expect(rowsOf(file, sql)).toEqual(rows);
    compactRecording(file, { clock, keepMs: 1 });
    expect(rowsOf(file, sql)).toEqual([]);
  });

  it('are not written, whatever the statement says', () => {
    const before = readFileSync(NIGHT);
    const READ = 'a recording is only read';
    for (const word of ['DELETE FROM state', 'PRAGMA query_only = 0', "ATTACH 'x' AS y", 'VACUUM', 'DROP VIEW pods'])
      expect(errorOf(`/* it */ -- says\n ; ${word}`)).toContain(READ);
    expect(errorOf('WITH all AS (SELECT 1) DELETE FROM state')).toContain('near "all"');
    expect(errorOf('WITH a AS (SELECT 1) DELETE FROM state')).toContain(READ);
    expect(errorOf('WITH a AS (SELECT 1) INSERT INTO temp.x SELECT * FROM a')).toContain('no such table: temp.x');
    expect(errorOf('SELECT 1; DELETE FROM state')).toBe('argument: --sql takes one statement (leave out what follows the first ;)'); // biome-ignore format: one line
    expect(errorOf("SELECT load_extension('x')")).toContain('not authorized');
    expect(errorOf('SELECT 1; -- and /* no */ more\n ;')).toBe('no error');
    expect(readFileSync(NIGHT)).toEqual(before);
  });

  it('explain a mistake by what there is', () => {
    expect(errorOf('SELECT nam FROM gaps')).toBe('argument: --sql: no such column: nam (gaps has id, cluster, resource, namespace, reason, since, until, added, changed, deleted)'); // biome-ignore format: one line
    expect(errorOf('SELECT * FROM services')).toMatch(/^argument: --sql: no such table: services \(the recording has the tables changes, revisions, gaps, stretches, .*pods/); // biome-ignore format: one line
    expect(errorOf('SELEC 1')).toMatch(/^argument: --sql: near "SELEC": syntax error/);
    expect(errorOf('')).toMatch(/^argument: --sql: .*no statements/);
    expect(errorOf('SELECT abs(-9223372036854775808)')).toBe('store: the statement failed: integer overflow');
  });

  it('are made for a moment only where the statement names them', () => {
    using recorded = Recording.open(NIGHT);
    const end = Date.parse('2026-11-28T02:20:00Z');
    const named = (sql: string) => {
      using tables = new SqlTables(recorded, sql, end);
      return tables.read.map(({ type }) => type.gvr.resource).sort();
    };
    expect(named('SELECT count(*) FROM "PODS"')).toEqual(['pods']);
    expect(named('SELECT count(*) FROM gaps')).toEqual([]);
    expect(named('SELECT * FROM deployments d JOIN configmaps c USING (namespace)')).toEqual(['configmaps', 'deployments']); // biome-ignore format: one line
  });
});
