import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { withPlaceLock } from '../../src/serve/place-lock.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Another process that holds the lock. */
function held(): DatabaseSync {
  const database = new DatabaseSync(path.join(folder, 'lock.db'));
  database.exec('BEGIN EXCLUSIVE');
  return database;
}

it('acts at once where the lock is free, and frees it after that, also after a failure', async () => {
  const clock = new FakeClock();
  expect(await withPlaceLock(folder, clock, async () => 'done')).toBe('done');
  const failing = withPlaceLock(folder, clock, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow(/^no$/);
  held().close();
});

it('acts while no other does', async () => {
  const acted = withPlaceLock(folder, new FakeClock(), async () => {
    expect(held).toThrow('locked');
  });
  await acted;
});

it('waits until the lock is free, and looks every 20 ms', async () => {
  const clock = new FakeClock();
  const other = held();
  let isDone = false;
  const acting = withPlaceLock(folder, clock, async () => {
    isDone = true;
  });
  await clock.advance(4_985);
  other.close();
  await clock.advance(14);
  expect(isDone).toBe(false);
  await clock.advance(1);
  expect(isDone).toBe(true);
  await acting;
});

it('gives up when the lock is taken for 5 s', async () => {
  const clock = new FakeClock();
  using _ = {
    [Symbol.dispose]: (
      (other) => () =>
        other.close()
    )(held()),
  };
  const acting = withPlaceLock(folder, clock, async () => expect.unreachable('it has no lock'));
  const refused = expect(acting).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(`another serve starts or ends in ${folder}: .*locked`),
    hint: expect.stringContaining('kill -CONT'),
  });
  await clock.advance(4_980);
  expect(clock.pending).toBe(1);
  await clock.advance(20);
  await settled();
  expect(clock.pending).toBe(0);
  await refused;
});
