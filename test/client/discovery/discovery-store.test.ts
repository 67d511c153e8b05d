import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Discovery } from '../../../src/client/discovery/discovery.ts';
import { diskDiscoveryStore } from '../../../src/client/discovery/discovery-store.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { fruitOf, serving } from '../../support/served-fruit.ts';

describe('the discovery cache on disk', () => {
  let directory: string;
  const clock = new FakeClock();
  const open = (server = 'https://one:6443/k8s/c-1') =>
    diskDiscoveryStore({ directory: path.join(directory, 'cache'), server, clock });

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'discovery-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it('saves the next run its requests, is not fresh, and is for its owner and server alone', async () => {
    const { transport, requests } = await serving();
    const { types } = await new Discovery(transport, { store: open() }).snapshot();
    requests.length = 0;
    const discovery = new Discovery(transport, { store: open() });
    expect((await discovery.snapshot()).types).toEqual(types);
    expect(fruitOf(types)).toHaveLength(3);
    expect(requests).toHaveLength(0);
    expect(discovery.isFresh()).toBe(false);
    expect(await open('https://two:6443').load()).toBeUndefined();
    const files = path.join(directory, 'cache', 'discovery');
    expect(await readdir(files)).toEqual(['one_6443_k8s_c-1.json']);
    if (process.platform !== 'win32') {
      expect((await stat(files)).mode & 0o777).toBe(0o700);
      expect((await stat(path.join(files, 'one_6443_k8s_c-1.json'))).mode & 0o777).toBe(0o600);
    }
  });

  it('ends after six hours, when cleared, and when its file is damaged', async () => {
    const store = open();
    await store.save({ types: [], failures: [] });
    clock.tick(6 * 3600_000 - 1);
    expect(await store.load()).toEqual({ types: [], failures: [] });
    clock.tick(1);
    expect(await store.load()).toBeUndefined();
    await store.save({ types: [], failures: [] });
    await store.clear();
    expect(await store.load()).toBeUndefined();
    const file = path.join(directory, 'cache', 'discovery', 'one_6443_k8s_c-1.json');
    for (const text of ['not json', '{"form":0}', 'null']) {
      await writeFile(file, text);
      expect(await store.load(), text).toBeUndefined();
    }
  });

  it('does not keep an incomplete snapshot', async () => {
    const { sandbox, transport } = await serving();
    sandbox.faults.add({ fault: { kind: 'status', code: 503 }, match: { path: '/apis' } });
    const discovery = new Discovery(transport, { store: open() });
    expect((await discovery.snapshot()).failures).toHaveLength(1);
    expect(await open().load()).toBeUndefined();
  });

  it('does no harm when it cannot write', async () => {
    await writeFile(path.join(directory, 'cache'), 'a file where the directory should be');
    const discovery = new Discovery((await serving()).transport, { store: open() });
    expect(fruitOf((await discovery.snapshot()).types)).toHaveLength(3);
    expect(await readFile(path.join(directory, 'cache'), 'utf8')).toContain('a file');
  });
});

describe('a damaged discovery cache', () => {
  it.each([
    ['no JSON', '{"form":1,'],
    ['no types', '{"form":1,"savedAt":0,"snapshot":{}}'],
    ['a null type', '{"form":1,"savedAt":0,"snapshot":{"types":[null],"failures":[]}}'],
    [
      'a type without verbs',
      '{"form":1,"savedAt":0,"snapshot":{"types":[{"gvr":{"group":"","version":"v1","resource":"pods"},"kind":"Pod","singular":"pod"}],"failures":[]}}',
    ],
    ['null for a snapshot', '{"form":1,"savedAt":0,"snapshot":null}'],
  ])('is named, and the server is asked again: %s', async (_, text) => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'discovery-'));
    const clock = new FakeClock();
    const damaged: string[] = [];
    const store = diskDiscoveryStore({
      directory,
      server: 'https://one',
      clock,
      onDamaged: (text) => damaged.push(text),
    });
    await store.save({ types: [], failures: [] });
    const file = path.join(directory, 'discovery', 'one.json');
    await writeFile(file, text);
    const { transport } = await serving();
    expect((await new Discovery(transport, { store, clock }).snapshot()).types.length).toBeGreaterThan(20);
    expect(damaged).toEqual([`the discovery cache ${file} is damaged; the server is asked again`]);
    expect((await store.load())?.types.length).toBeGreaterThan(20);
    expect(damaged).toHaveLength(1);
  });

  it('is not a file of an older format', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'discovery-'));
    const damaged: string[] = [];
    const store = diskDiscoveryStore({
      directory,
      server: 'https://one',
      clock: new FakeClock(),
      onDamaged: (text) => damaged.push(text),
    });
    await store.save({ types: [], failures: [] });
    await writeFile(path.join(directory, 'discovery', 'one.json'), '{"form":0,"old":true}');
    expect(await store.load()).toBeUndefined();
    expect(damaged).toEqual([]);
  });
});
