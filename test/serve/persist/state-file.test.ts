import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { StateFault } from '../../../src/serve/persist/state-fault.ts';
import { StateFile, type StoredRow } from '../../../src/serve/persist/state-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'state-'));
  file = path.join(folder, 'cluster.db');
  return () => rmSync(folder, { recursive: true, force: true });
});

const row = (key: string, version = '1', text = `{"of":"${key}"}`): StoredRow => ({
  key,
  uid: `u-${key}`,
  version,
  text,
});
const whole = (rows: readonly StoredRow[], resourceVersion = '10') => ({
  isWhole: true,
  put: rows,
  gone: [],
  resourceVersion,
  at: 5,
});

/** The kind of the fault with which `run` fails, and its text. */
function faultOf(run: () => unknown): { kind: string; message: string; hint: string | undefined } {
  try {
    run();
  } catch (error) {
    if (error instanceof StateFault) return error as StateFault & { hint: string | undefined };
    throw error;
  }
  throw new Error('there was no fault');
}

describe('a file of stored states', () => {
  it('has what was written after it was closed: whole states, changes, deletions, versions', () => {
    {
      using states = StateFile.open(file);
      expect(states.read('pods')).toBeUndefined();
      states.write('pods', whole([row('a/1'), row('a/2'), row('a/3')]));
      states.write('pods', { isWhole: false, put: [row('a/1', '11')], gone: ['a/2'], resourceVersion: '12', at: 9 });
      states.write('nodes', whole([row('n')], '7'));
    }
    using states = StateFile.open(file);
    const { rows, ...rest } = states.read('pods') ?? { rows: [] };
    expect(rows.map(({ key, uid, version, text }) => [key, uid, version, text])).toEqual([
      ['a/1', 'u-a/1', '11', '{"of":"a/1"}'],
      ['a/3', 'u-a/3', '1', '{"of":"a/3"}'],
    ]);
    expect(rest).toEqual({ resourceVersion: '12', at: 9 });
    expect(states.read('nodes')?.resourceVersion).toBe('7');
  });

  it('reads nothing of a state without a version, which is not complete', () => {
    using states = StateFile.open(file);
    states.write('pods', whole([row('a')]));
    states.write('pods', { isWhole: false, put: [], gone: [], resourceVersion: '', at: 5 });
    expect(states.read('pods')).toBeUndefined();
  });

  it('can be read by its user alone, also its log', () => {
    using states = StateFile.open(file);
    states.write('pods', whole([row('a')]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  it('keeps all of a step, or nothing, when a row cannot be written', () => {
    using states = StateFile.open(file);
    states.write('pods', whole([row('a'), row('b')]));
    const broken = { ...row('c'), text: undefined as unknown as string };
    expect(() => states.write('pods', whole([row('d'), broken], '20'))).toThrow();
    expect(states.read('pods')?.rows.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(states.read('pods')?.resourceVersion).toBe('10');
  });

  it('is refused to a second user of it while the first has it open', () => {
    using _ = StateFile.open(file);
    expect(faultOf(() => StateFile.open(file))).toMatchObject({ kind: 'locked' });
  });

  it.each([
    ['garbage', () => writeFileSync(file, 'this is no database, but it is long enough to be looked at'.repeat(100))],
    ['cut off', () => truncateSync(file, 3 * 4096)],
  ])('that is %s is damaged, and a new one begins when it is set aside', (_, damage) => {
    const first = StateFile.open(file);
    first.write('pods', whole(Array.from({ length: 500 }, (_, i) => row(`a/${i}`, '1', 'x'.repeat(200)))));
    first.close();
    damage();
    const use = () => {
      using states = StateFile.open(file);
      return states.read('pods');
    };
    expect(faultOf(use)).toMatchObject({ kind: 'damaged', message: expect.stringContaining(file) });
    StateFile.setAside(file);
    using states = StateFile.open(file);
    expect(states.read('pods')).toBeUndefined();
    expect(statSync(`${file}.damaged`).size).toBeGreaterThan(0);
  });

  it('finds a row whose text was changed, and a row that is missing', () => {
    StateFile.open(file)[Symbol.dispose]();
    const meddle = (sql: string) => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    };
    const write = () => {
      using states = StateFile.open(file);
      states.write('pods', whole([row('a'), row('b')]));
    };
    const use = () => {
      using states = StateFile.open(file);
      return states.read('pods');
    };
    write();
    meddle(`UPDATE object SET text = '{"of":"other"}' WHERE key = 'a'`);
    expect(faultOf(use)).toMatchObject({ kind: 'damaged', message: expect.stringContaining('"a"') });
    write();
    meddle(`DELETE FROM object WHERE key = 'b'`);
    expect(faultOf(use)).toMatchObject({ kind: 'damaged', message: expect.stringContaining('1 of 2 rows') });
  });

  it('of a later version, or of another program, is not touched', () => {
    StateFile.open(file).close();
    const later = new DatabaseSync(file);
    later.exec('PRAGMA user_version = 2');
    later.close();
    const before = readFileSync(file);
    expect(faultOf(() => StateFile.open(file))).toMatchObject({ kind: 'newer' });
    expect(readFileSync(file).equals(before)).toBe(true);
    const other = path.join(folder, 'other.db');
    const theirs = new DatabaseSync(other);
    theirs.exec('CREATE TABLE t (x)');
    theirs.close();
    expect(faultOf(() => StateFile.open(other))).toMatchObject({ kind: 'foreign' });
    const free = new DatabaseSync(other);
    free.exec('BEGIN EXCLUSIVE'); // it was closed again
    free.close();
  });

  it.skipIf(process.platform === 'win32')('that is a link is not opened', () => {
    StateFile.open(file).close();
    const link = path.join(folder, 'link.db');
    symlinkSync(file, link);
    expect(faultOf(() => StateFile.open(link))).toMatchObject({ kind: 'foreign' });
    chmodSync(file, 0o644);
    StateFile.open(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is full at its limit, keeps what it had, and can be read', () => {
    using states = StateFile.open(file, { mostBytes: 200_000 });
    states.write('pods', whole([row('a')]));
    const many = Array.from({ length: 1000 }, (_, i) => row(`k${i}`, '1', 'x'.repeat(1000)));
    expect(faultOf(() => states.write('pods', whole(many, '20')))).toMatchObject({ kind: 'full' });
    expect(states.read('pods')?.rows.map(({ key }) => key)).toEqual(['a']);
    states.write('pods', whole(many.slice(0, 30), '20'));
    expect(states.read('pods')?.rows.length).toBe(30);
  });

  it('removes scopes that were not written for a month, with their objects, and no others', () => {
    const day = 24 * 3600 * 1000;
    const now = 90 * day;
    {
      using states = StateFile.open(file);
      for (const ago of [90, 31, 29, 0]) states.write(`${ago} days`, { ...whole([row('a')]), at: now - ago * day });
      states.removeUnused(now);
      const left = [90, 31, 29, 0].map((ago) => states.read(`${ago} days`)?.rows.length);
      expect(left).toEqual([undefined, undefined, 1, 1]);
    }
    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT count(*) AS n FROM object').get()).toEqual({ n: 2 });
    database.close();
  });

  it('that is closed twice is closed', () => {
    const states = StateFile.open(file);
    states.close();
    states.close();
    expect(() => states.read('pods')).toThrow(StateFault);
  });

  it('that is set aside takes its log along, and replaces an earlier one', () => {
    for (const text of ['first', 'second']) {
      writeFileSync(file, text);
      for (const part of ['-wal', '-shm', '-journal']) writeFileSync(file + part, text);
      StateFile.setAside(file);
      expect(readdirSync(folder)).toEqual(['cluster.db.damaged']);
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(text);
    }
    StateFile.setAside(file); // there is none
    expect(readdirSync(folder)).toEqual(['cluster.db.damaged']);
  });
});
