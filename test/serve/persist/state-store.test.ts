import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { StateFault } from '../../../src/serve/persist/state-fault.ts';
import { StateStore } from '../../../src/serve/persist/state-store.ts';

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'state-store-'));
  file = path.join(folder, 'cluster.db');
  return () => rmSync(folder, { recursive: true, force: true });
});

const state = (resourceVersion: string) => ({
  isWhole: true,
  put: [{ key: 'a/1', uid: 'u', version: resourceVersion, text: '{}' }],
  gone: [],
  resourceVersion,
  at: 5,
});

it('a store does its calls in their order, and the next one has what was written', async () => {
  {
    await using store = await StateStore.open(file, 0);
    const calls = [
      store.read('pods'),
      store.write('pods', state('1')),
      store.write('pods', state('2')),
      store.read('pods'),
    ];
    const [before, , , after] = await Promise.all(calls);
    expect([before, after?.resourceVersion]).toEqual([undefined, '2']);
  }
  await using again = await StateStore.open(file, 0);
  expect(await again.read('pods')).toMatchObject({ resourceVersion: '2', rows: [{ key: 'a/1' }] });
  expect(await again.read('nodes')).toBeUndefined();
});

it('a file that cannot be opened is a fault with its kind and its file, each named once', async () => {
  writeFileSync(file, 'this is no database, and it is long enough to be read as the head of one'.repeat(20), {
    mode: 0o600,
  });
  const fault = await StateStore.open(file, 0).catch((error: unknown) => error as StateFault);
  expect(fault).toBeInstanceOf(StateFault);
  expect((fault as StateFault).kind).toBe('damaged');
  expect((fault as StateFault).message.split(file)).toHaveLength(2);
});

it('a call that waits when the store ends is still done', async () => {
  const store = await StateStore.open(file, 0);
  const waiting = store.write('pods', state('1'));
  await store[Symbol.asyncDispose]();
  await waiting;
  await using again = await StateStore.open(file, 0);
  expect((await again.read('pods'))?.resourceVersion).toBe('1');
});

it('a store keeps the process alive only while a call waits for it', async () => {
  const alive = () => process.getActiveResourcesInfo().filter((each) => /Worker|MessagePort/.test(each)).length;
  const before = alive();
  await using store = await StateStore.open(file, 0);
  const idle = alive();
  const reading = store.read('pods');
  const busy = alive();
  await reading;
  expect([idle, busy, alive()]).toEqual([before, before + 1, before]);
});

it('a call after the end of the store is refused at once', async () => {
  const store = await StateStore.open(file, 0);
  await store[Symbol.asyncDispose]();
  await expect(store.write('pods', state('1'))).rejects.toMatchObject({ kind: 'unusable' });
  await store[Symbol.asyncDispose]();
});
