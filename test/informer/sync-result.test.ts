import { expect, it } from 'vitest';
import { type Syncable, SyncResult, waitForSync } from '../../src/informer/sync-result.ts';
import { Latch } from '../../src/kit/latch.ts';

function cache(name: string, isSynced: boolean): Syncable {
  const latch = new Latch();
  if (isSynced) latch.open();
  return { name, hasSynced: isSynced, whenSynced: (signal) => latch.wait(signal) };
}

it.each([
  [{ int: true, string: false }, new Error('C'), 'failed to sync all caches: string: C'],
  [{ string: false, int: false, float: true }, undefined, 'failed to sync all caches: int, string'],
  [{ int: true }, undefined, undefined],
  [{}, undefined, undefined],
])('names those that are late, sorted, and the cause: %o [SHI-31]', (synced, cause, text) => {
  const result = new SyncResult(new Map(Object.entries(synced)), cause);
  expect(result.asError()?.message).toBe(text);
  expect(result.isComplete).toBe(text === undefined);
});

it('is complete when there is nothing to wait for [SHI-29]', async () => {
  expect((await waitForSync([])).isComplete).toBe(true);
});

it('gives up with its signal, and counts what had synced by then [SHI-29]', async () => {
  const result = await waitForSync([cache('done', true), cache('never', false)], AbortSignal.abort(new Error('stopped')));
  expect([...result.synced]).toEqual([
    ['done', true],
    ['never', false],
  ]);
  expect(result.asError()?.message).toBe('failed to sync all caches: never: stopped');
});
