import { chmodSync, closeSync, existsSync, lstatSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { builtin } from './builtin.ts';

/**
 * Why a database cannot be read or written: `locked` another process uses it · `damaged` it is broken or cut off ·
 * `newer` a later version of this program made it · `foreign` it is not this user's, or no file of this program ·
 * `full` there is no space, or it is larger than it may be · `unusable` any other error.
 */
export type DatabaseFaultKind = 'locked' | 'damaged' | 'newer' | 'foreign' | 'full' | 'unusable';

/** The faults in words that follow the name of a file. */
export const DATABASE_FAULTS: Readonly<Record<DatabaseFaultKind, string>> = {
  locked: 'another process uses it',
  damaged: 'it is damaged',
  newer: 'a newer version of kubectl-informer made it',
  foreign: 'it is no file of kubectl-informer',
  full: 'there is no room for more',
  unusable: 'it cannot be used',
};

/** The faults behind result codes of SQLite. Source: sqlite.org/rescode.html. */
const KINDS: Readonly<Record<number, DatabaseFaultKind>> = {
  5: 'locked',
  6: 'locked',
  11: 'damaged',
  26: 'damaged',
  13: 'full',
};

/** The fault behind an error of SQLite or of the file system. */
export function databaseFaultKind(error: unknown): DatabaseFaultKind {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  const byResult = typeof errcode === 'number' ? KINDS[errcode & 0xff] : undefined;
  return byResult ?? (code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'unusable');
}

/**
 * Creates the file of a database with mode 0600, or makes sure that it is this user's alone; SQLite gives its other
 * files the same mode. Returns the path that cannot be used and why; undefined if all is well.
 */
export function ownDatabaseFile(file: string): { readonly path: string; readonly why: string } | undefined {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  const uid = process.getuid?.();
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (found === undefined || uid === undefined) continue;
    if (!found.isFile()) return { path: each, why: 'it is not a regular file' };
    if (found.uid !== uid) return { path: each, why: `it belongs to another user (uid ${found.uid})` };
    if ((found.mode & 0o077) !== 0) chmodSync(each, 0o600);
  }
  return undefined;
}

/** The value of a PRAGMA that is a number. */
export function pragmaOf(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0]);
}

/** Runs steps in one transaction, so that all of them are there, or none. */
export function inTransaction(database: DatabaseSync, run: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    run();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK'); // some errors have done so already
    throw error;
  }
}

/** Opens a database file. SQLite is loaded at the first one. */
export const openDatabase = (
  file: string,
  options: { readonly timeout?: number | undefined; readonly readOnly?: boolean } = {},
) => new (builtin.sqlite().DatabaseSync)(file, options);
