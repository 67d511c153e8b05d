import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StateFile } from '../../src/serve/persist/state-file.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
let folder: string;
let env: NodeJS.ProcessEnv;
const started: Cli[] = [];
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'persist-'));
  env = { ...fixture.env, XDG_CACHE_HOME: path.join(folder, 'cache'), XDG_RUNTIME_DIR: folder };
  return async () => {
    for (const cli of started.splice(0)) {
      cli.kill('SIGKILL');
      await cli.ended();
    }
    await rm(folder, { recursive: true, force: true });
  };
});

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const states = () => path.join(folder, 'cache', 'kubectl-informer', 'state');
const stateFile = async () => path.join(states(), (await readdir(states())).find((name) => name.endsWith('.db')) ?? '');

function put(name: string, color: string): void {
  fixture.sandbox.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'keep', name },
    data: { color },
  });
}

async function serve(type = 'cm'): Promise<Cli> {
  const cli = new Cli(['serve', type, '-n', 'keep,shop', '--persist'], { env });
  started.push(cli);
  await cli.until(({ stderr }) => stderr.includes('ready: '), 'it is ready');
  return cli;
}

/** Ends it in the hardest way, after what it holds is stored. */
async function kill(cli: Cli, holds = ''): Promise<void> {
  await eventually(
    async () => {
      const bytes = await Promise.all(
        (await readdir(states())).map((name) => readFile(path.join(states(), name), 'latin1')),
      );
      return bytes.join('').includes(holds);
    },
    { timeoutMs: 30_000 },
  );
  cli.kill('SIGKILL');
  await cli.ended();
}

const names = async () => (await run(['query', 'cm', '-n', 'keep', '-o', 'name'], { env })).stdout.split('\n').sort();
const rows = async () => (await run(['query', 'cm', '-n', 'keep'], { env })).stdout;

describe.skipIf(process.platform === 'win32')('serve --persist', () => {
  beforeEach(() => {
    for (const { metadata } of fixture.sandbox.list(CONFIG_MAPS))
      if (metadata.namespace === 'keep') fixture.sandbox.delete(CONFIG_MAPS, `keep/${metadata.name}`);
    for (const name of ['changed', 'deleted', 'kept']) put(name, `color-of-${name}`);
  });

  it('killed and started again, resumes its watches, and says what changed meanwhile; its answers are the cluster’s', async () => {
    const first = await serve();
    expect(first.stderr).not.toMatch(/resumed|Warning/);
    await kill(first, 'color-of-kept');
    put('changed', 'other');
    fixture.sandbox.delete(CONFIG_MAPS, 'keep/deleted');
    put('added', 'x');
    const second = await serve();
    expect(second.stderr).toMatch(
      /v1\/configmaps: resumed \d+ objects from \S+ ago, verified; 1 added, 1 deleted, 1 changed since\n/,
    );
    expect(await names()).toEqual(['', 'configmap/added', 'configmap/changed', 'configmap/kept']);
    const lists = fixture.sandbox.requests.matching(/configmaps\?/).filter(({ path: at }) => /color/.test(at));
    expect(lists).toEqual([]);
    expect(await rows()).toMatch(/^NAME +DATA +AGE\nadded +1 /);
  });

  it('lists when the history is gone, and says what changed', async () => {
    await kill(await serve(), 'color-of-kept');
    fixture.sandbox.delete(CONFIG_MAPS, 'keep/deleted');
    put('again', 'y');
    fixture.sandbox.compact();
    const { stderr } = await serve();
    expect(stderr).toMatch(/v1\/configmaps: history is gone: listed again; 1 added, 1 deleted, 0 changed since\n/);
    expect(await names()).toEqual(['', 'configmap/again', 'configmap/changed', 'configmap/kept']);
  });

  it('keeps no Secret on disk, and says so; files are of this user alone', async () => {
    const cli = await serve('cm,secrets');
    expect(cli.stderr).toContain('v1/secrets: not kept on disk, because values of Secrets never are\n');
    await kill(cli, 'color-of-kept');
    for (const name of await readdir(states())) {
      const file = path.join(states(), name);
      expect((await stat(file)).mode & 0o777, name).toBe(0o600);
      const bytes = await readFile(file, 'latin1');
      expect(bytes).not.toContain(SECRET_VALUE);
      expect(bytes).not.toContain(Buffer.from(SECRET_VALUE).toString('base64'));
    }
  });

  it('names a damaged or a locked file, and serves without it', async () => {
    await kill(await serve(), 'color-of-kept');
    const file = await stateFile();
    {
      using _ = StateFile.open(file);
      const locked = await serve();
      expect(locked.stderr).toMatch(/--persist has no effect: .*another process uses it/);
      expect(await names()).toContain('configmap/kept');
      locked.kill('SIGKILL');
      await locked.ended();
    }
    await writeFile(file, 'no database '.repeat(1000));
    const damaged = await serve();
    expect(damaged.stderr).toMatch(/is damaged.*set aside/);
    expect(await names()).toContain('configmap/kept');
  });
});
