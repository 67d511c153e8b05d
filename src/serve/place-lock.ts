import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { builtin } from '../kit/builtin.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';

/** How long another command may hold the lock, ms: it holds it for some milliseconds, unless it is stopped. */
const LOCK_MS = 5_000;
const STEP_MS = 20;

/** Source: sqlite3.h. */
const SQLITE_BUSY = 5;

/**
 * Runs `act` while no other process of this user does so in this folder. The lock is the operating system's, through
 * SQLite, so that it ends with a process that is killed: a file that only exists would stay. Rejects with `config` if it
 * is taken for 5 s.
 */
export async function withPlaceLock<T>(folder: string, clock: Clock, act: () => Promise<T>): Promise<T> {
  const database = new (builtin.sqlite().DatabaseSync)(path.join(folder, 'lock.db'), { timeout: 0 });
  try {
    await lock(database, folder, clock);
    return await act();
  } finally {
    database.close();
  }
}

async function lock(database: DatabaseSync, folder: string, clock: Clock): Promise<void> {
  const end = clock.monotonic() + LOCK_MS;
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return;
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode === SQLITE_BUSY && clock.monotonic() < end)
        await clock.sleep(STEP_MS);
      else {
        throw new InformerError('config', `another serve starts or ends in ${folder}: ${messageOf(cause)}`, {
          cause,
          hint: 'try again; a stopped process that holds the lock must be continued (kill -CONT) or ended',
        });
      }
    }
  }
}
