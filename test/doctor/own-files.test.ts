import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { cacheFound, serveFound, socketsFound } from '../../src/doctor/own-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('folders that are not there are fine, and are not made', async () => {
  expect(cacheFound(path.join(folder, 'cache')).status).toBe('ok');
  expect(cacheFound(path.join(folder, 'cache')).found).toContain('no persisted caches');
  expect(socketsFound({ XDG_RUNTIME_DIR: folder }).found).toContain('no folder of sockets yet');
  expect(await readdir(folder)).toEqual([]);
});

it('a folder of the user alone is fine; one that others can write to is a warning with a fix', async () => {
  const cache = path.join(folder, 'cache');
  await mkdir(path.join(cache, 'state'), { recursive: true, mode: 0o700 });
  expect(cacheFound(cache)).toEqual({ status: 'ok', found: `${path.join(cache, 'state')} is yours alone` });
  await chmod(path.join(cache, 'state'), 0o777);
  expect(cacheFound(cache)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('other users can write to'),
    fix: expect.stringContaining('--cache-dir'),
  });
  const sockets = path.join(folder, 'kubectl-informer/serve');
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  expect(socketsFound({ XDG_RUNTIME_DIR: folder })).toEqual({ status: 'ok', found: `${sockets} is yours alone` });
  await chmod(sockets, 0o777);
  expect(socketsFound({ XDG_RUNTIME_DIR: folder })).toMatchObject({ status: 'warning', fix: expect.any(String) });
});

it('without a serve commands ask the cluster', async () => {
  const config = createConfig({ server: 'https://127.0.0.1:1' });
  expect(await serveFound(config, { XDG_RUNTIME_DIR: folder }, 0)).toEqual({
    status: 'ok',
    found: 'none is running; commands ask the cluster',
  });
});
